package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/server"
	"rialto/cmd/rialto/internal/tableexpert"
)

// tokenEnv is the variable with the token that callers of a stand-alone Table Expert must send.
const tokenEnv = "RIALTO_TABLEEXPERT_TOKEN"

func tableExpertCommand() *cobra.Command {
	var listenAt, address, tables string
	cmd := &cobra.Command{
		Use:   "tableexpert",
		Short: "Run the Table Expert: an A2A agent that answers questions about tables",
		Long: "Run the Table Expert: an A2A agent that answers questions about tables.\n\n" +
			"Callers must send the token in " + tokenEnv + ". The token is optional on loopback only.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return runTableExpert(cmd, listenAt, address, tables)
		},
	}
	cmd.Flags().StringVar(&listenAt, "listen", "127.0.0.1:8090", "`HOST:PORT` to listen on")
	textFlag(
		cmd,
		&address,
		"url",
		"`address` in the agent's card, if it differs from --listen",
	)
	textFlag(
		cmd,
		&tables,
		"tables",
		"`directory` of CSV files and SQLite databases (default: built-in insurance data)",
	)
	return cmd
}

// runTableExpert serves the tables until the command is stopped.
func runTableExpert(cmd *cobra.Command, listenAt, address, tables string) error {
	signal.Ignore(syscall.SIGHUP) // a service manager may send it to reload
	token := os.Getenv(tokenEnv)
	host, _, err := net.SplitHostPort(listenAt)
	if err != nil {
		return fmt.Errorf("--listen: %q is not HOST:PORT", listenAt)
	}
	if token == "" && !config.Loopback(host) {
		return errors.New(
			"--listen: other machines could read the tables: set " + tokenEnv + " to a token that callers must send",
		)
	}
	model, err := tableExpertModel()
	if err != nil {
		return err
	}
	log := config.Log{Level: "info", Format: "text"}.Logger(new(slog.LevelVar))
	l, err := server.Listen(listenAt)
	if err != nil {
		return err
	}
	defer l.Close()
	expert, err := tableexpert.Open(
		cmd.Context(), tableexpert.Config{Tables: tables, Model: model, Log: log},
	)
	if err != nil {
		return server.UnlessStopped(cmd.Context(), err)
	}
	defer expert.Close()
	if address == "" {
		address = "http://" + l.Addr().String()
	}
	fmt.Fprintf(
		cmd.OutOrStdout(),
		"The Table Expert listens.\nagent  %s\ncard   %s/.well-known/agent-card.json\n",
		address,
		address,
	)
	return server.ServeTableExpert(cmd.Context(), l, expert, address, token, log)
}
