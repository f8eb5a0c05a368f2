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

	"rialto/bridge"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	context.AfterFunc(ctx, endAnyway)
	if err := command().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "rialto:", bridge.Clean(err.Error())) // an agent's words may be in it
		os.Exit(1)
	}
}
