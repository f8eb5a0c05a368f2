package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"rialto/internal/doctor"
)

// doctorToken is the environment variable with an access token for the doctor. It is
// not a flag, because other users of the computer can read flags.
const doctorToken = "RIALTO_DOCTOR_TOKEN"

func doctorCommand() *cobra.Command {
	var (
		client  string
		login   bool
		hook    string
		asJSON  bool
		all     bool
		timeout time.Duration
	)
	cmd := &cobra.Command{
		Use:   "doctor URL",
		Short: "Say why an app cannot use an MCP server, and what to do",
		Long: "Doctor plays ChatGPT, Claude, Claude Code, Codex, VS Code and MCP Inspector against the MCP server at URL, " +
			"and says first what is wrong and what to do about it. " +
			"The checks behind the login need --login or an access token in " + doctorToken + ".\n\n" +
			"Exit codes: 0 the server works, 1 an app cannot use it, 2 wrong usage, 3 there is no MCP server to examine, 4 the examination did not end.",
		Example: "  rialto doctor https://mcp.example.com/mcp\n" +
			"  rialto doctor https://mcp.example.com/mcp --login\n" +
			"  rialto doctor https://mcp.example.com/mcp --client claude --json",
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			d, err := newDoctor(client, login, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			d.Receiver = hook
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			report := d.Examine(ctx, doctor.Complete(args[0]))
			write := func(w io.Writer) error { return report.WriteText(w, all) }
			if asJSON {
				write = func(w io.Writer) error { return writeJSON(w, report) }
			}
			if err := write(cmd.OutOrStdout()); err != nil {
				return err
			}
			return unwell(report)
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "only the checks of one `client`: chatgpt, claude, claude-code, codex, vscode or inspector")
	cmd.Flags().BoolVar(&login, "login", false, "print an address for your browser, and examine the server after the login")
	cmd.Flags().StringVar(&hook, "receiver", "", "the `URL` at which the server reaches port 43118 of this computer, for its webhooks; without it, only servers on this computer are asked for events")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVarP(&all, "verbose", "v", false, "show every check, also those that passed or were not tried")
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "time limit, including the login")
	return cmd
}

func newDoctor(client string, login bool, to io.Writer) (*doctor.Doctor, error) {
	d := &doctor.Doctor{Client: doctor.Client(client), Token: os.Getenv(doctorToken)}
	if client != "" && !slices.Contains(doctor.Clients(), d.Client) {
		return nil, fmt.Errorf("--client %s: use one of %v", client, doctor.Clients())
	}
	if login {
		d.Login = func(_ context.Context, address string) error {
			_, err := fmt.Fprintf(to, "Open this address in a browser on this computer:\n\n  %s\n\n", address)
			return err
		}
	}
	return d, nil
}

// unwell is the error of the command for a report, with an exit code for scripts.
func unwell(r *doctor.Report) error {
	switch {
	case r.Usable():
		return nil
	case r.Absent():
		return exitError{3, fmt.Errorf("%s: there is no MCP server to examine", r.URL)}
	case r.Verdict.ID == doctor.Unfinished:
		return exitError{4, fmt.Errorf("%s: the examination did not end", r.URL)}
	}
	return fmt.Errorf("%s does not work with %s", r.URL, doctor.Names(r.Stops))
}
