// Command rialto lets chat apps log in and reach A2A agents: it is an MCP
// server and the OAuth authorization server in front of it, in one binary.
// It runs a command of cmd/rialto/internal/cli and handles signals.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/cli"
)

// main runs the command and ends the program on SIGINT and SIGTERM.
func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once

	var delay atomic.Int64 // of the shutdown
	context.AfterFunc(ctx, func() { forceExit(time.Duration(delay.Load())) })
	command := cli.Command(func(d time.Duration) { delay.Store(int64(d)) })

	if err := command.ExecuteContext(ctx); err != nil {
		text := sanitize.Text(err.Error()) // which may quote an agent
		fmt.Fprintln(os.Stderr, "rialto:", text)
		os.Exit(cli.ExitCode(err))
	}
}
