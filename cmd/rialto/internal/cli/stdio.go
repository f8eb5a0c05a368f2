package cli

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/login"
	"rialto/cmd/rialto/internal/stdio"
)

func stdioCommand() *cobra.Command {
	var clientID, filesRoot string
	cmd := &cobra.Command{
		Use:   "stdio URL",
		Short: "Connect a program that launches commands to an MCP server at a URL",
		Long: "Stdio passes MCP messages between standard input and output and a server at a URL, " +
			"for programs that only launch commands and for servers that are not public.\n\n" +
			"It uses the token in " + callToken + ", or the stored login that \"rialto call --url URL\" " +
			"uses as well, or logs in with your browser.\n\n" +
			"Exit codes: 0 done, 1 standard input or output failed, 2 wrong usage, 3 no login, 4 server not reached.",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runStdio(cmd, args[0], clientID, filesRoot)
		},
	}
	textFlag(
		cmd,
		&filesRoot,
		"files-root",
		"`DIR` whose files calls may send to a Rialto by their paths",
	)
	textFlag(
		cmd,
		&clientID,
		"client-id",
		"`ID` of a registered client, or the address of a client ID metadata document",
	)
	return cmd
}

func runStdio(cmd *cobra.Command, address, clientID, filesRoot string) error {
	if err := checkAddress(address); err != nil {
		return err
	}

	l, err := newLogin(address, clientID, cmd.ErrOrStderr())
	if err != nil {
		return err
	}

	l.Attended = true
	l.Browser = login.HasBrowser()
	p := &stdio.Proxy{
		URL:     address,
		Login:   l,
		Command: program() + " call --url " + sanitize.ShellWord(address),
		Err:     cmd.ErrOrStderr(),
	}
	if filesRoot != "" {
		dir, err := filepath.Abs(filesRoot)
		if err == nil {
			p.Files, err = os.OpenRoot(dir)
		}
		if err != nil {
			return usageError{err}
		}
	}
	return callError(p.Run(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout()))
}
