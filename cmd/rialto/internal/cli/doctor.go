package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"rialto/cmd/rialto/internal/term"
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
		Args: cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "" {
				cmd.SetOut(cmd.ErrOrStderr())
				return errors.Join(
					usagef("name the URL of an MCP server"), cmd.Help(),
				)
			}
			d, stop, err := newDoctor(client, login, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			defer stop()
			d.Receiver = hook
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			report := d.Examine(ctx, doctor.Complete(args[0]))
			stop()
			mark := markOf(cmd.OutOrStdout())
			write := func(w io.Writer) error { return report.WriteText(w, all, mark) }
			if asJSON {
				write = func(w io.Writer) error { return writeJSON(w, report) }
			}
			if err := write(cmd.OutOrStdout()); err != nil {
				return err
			}
			return exitErrorFor(report)
		},
	}
	textFlag(
		cmd,
		&client,
		"client",
		"only the checks of one `client`: chatgpt, claude, claude-code, codex, vscode or inspector",
	)
	boolFlag(
		cmd,
		&login,
		"login",
		"print an address for your browser, and examine the server after the login",
	)
	textFlag(
		cmd,
		&hook,
		"receiver",
		"the `URL` at which the server reaches port 43118 of this computer, for its webhooks; without it, only servers on this computer are asked for events",
	)
	boolFlag(cmd, &asJSON, "json", "print JSON")
	cmd.Flags().BoolVarP(
		&all,
		"verbose",
		"v",
		false,
		"show every check, also those that passed or were not tried",
	)
	cmd.Flags().DurationVar(&timeout, "timeout", 5*time.Minute, "time limit, including the login")
	return cmd
}

// markOf returns the signs for the ends of checks, in the colors of the terminal.
func markOf(out io.Writer) func(doctor.Status) string {
	style := term.StyleOf(out)
	return func(s doctor.Status) string { return style.As(string(s), s.Mark()) }
}

// newDoctor returns a doctor that shows its progress, until stop is called.
func newDoctor(client string, login bool, to io.Writer) (d *doctor.Doctor, stop func(), err error) {
	var clients []string
	for _, c := range doctor.Clients() {
		clients = append(clients, string(c))
	}
	if err := oneOf("--client", client, clients...); err != nil {
		return nil, nil, err
	}
	bar := term.Start(to, "Examining")
	d = &doctor.Doctor{
		Client:   doctor.Client(client),
		Token:    os.Getenv(doctorToken),
		Checking: func(title string) { bar.Say(title) },
	}
	if login {
		d.Login = func(_ context.Context, address string) error {
			bar.Stop()
			defer func() { bar = term.Start(to, "Waiting for the login") }()
			_, err := fmt.Fprintf(
				to, "Open this address in a browser on this computer:\n\n  %s\n\n", address,
			)
			return err
		}
	}
	return d, func() { bar.Stop() }, nil
}

// exitErrorFor is the error of the command for a report, with an exit code for scripts.
func exitErrorFor(r *doctor.Report) error {
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
