// Command rialto lets chat apps log in and reach A2A agents: it is an MCP
// server and the OAuth authorization server in front of it, in one binary.
//
// This package reads flags and configuration, opens the store, puts the
// packages together, lists the routes and runs. What each part does is in the
// packages themselves; docs/design.md has the map.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "rialto:", err)
		os.Exit(1)
	}
}

func command() *cobra.Command {
	root := &cobra.Command{
		Use:           "rialto",
		Short:         "Let chat apps log in and reach A2A agents",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       version(),
	}
	root.AddCommand(
		demoCommand(), serveCommand(), configCommand(), tokenCommand(),
		userCommand(), tableExpertCommand(), healthCommand(), doctorCommand(),
		keysCommand(), agentsCommand(), pushCommand(),
	)
	return root
}
