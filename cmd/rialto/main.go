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
	var delay atomic.Int64       // of the shutdown
	context.AfterFunc(ctx, func() { forceExit(time.Duration(delay.Load())) })
	if err := cli.Command(func(d time.Duration) { delay.Store(int64(d)) }).ExecuteContext(ctx); err != nil {
		fmt.Fprintln(
			os.Stderr, "rialto:", sanitize.Text(err.Error()),
		) // an agent's words may be in it
		os.Exit(cli.ExitCode(err))
	}
}
