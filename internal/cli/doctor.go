package cli

import (
	"context"
	"encoding/json"
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
		asJSON  bool
		timeout time.Duration
	)
	cmd := &cobra.Command{
		Use:   "doctor URL",
		Short: "Examine an MCP server as chat apps would; the exit code tells the result",
		Long: "Doctor plays ChatGPT, Claude, Claude Code, Codex, VS Code and MCP Inspector against the MCP server at URL, " +
			"step by step, and prints which of them a problem breaks and how to fix it. " +
			"The steps after the login need --login or an access token in " + doctorToken + ".",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			d, err := newDoctor(client, login, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			return writeReport(cmd.OutOrStdout(), d.Examine(ctx, args[0]), asJSON)
		},
	}
	cmd.Flags().StringVar(&client, "client", "", "only the steps that break one `client`: chatgpt, claude, claude-code, codex, vscode or inspector")
	cmd.Flags().BoolVar(&login, "login", false, "print an address for your browser, and examine the server after the login")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
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

// writeReport prints the report. A problem of the server is an error of the command, for scripts.
func writeReport(w io.Writer, r *doctor.Report, asJSON bool) error {
	write := r.WriteText
	if asJSON {
		write = func(w io.Writer) error {
			e := json.NewEncoder(w)
			e.SetIndent("", "  ")
			return e.Encode(r)
		}
	}
	if err := write(w); err != nil {
		return err
	}
	if !r.Healthy() {
		return fmt.Errorf("%s has problems", r.URL)
	}
	return nil
}
