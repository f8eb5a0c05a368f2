// Command bench measures Rialto beside its peers. It is a module of its own, so
// that the product does not depend on them.
//
//	go run . mcp      calls of an instant tool, beside mcp-go and go-sdk
//	go run . oauth    codes, refreshes and token checks, beside fosite
//	go run . a2a      A2A clients and servers, beside a2a-go and a client written by hand
//	go run . bridge   send_task from end to end, beside handlers that only pass a message on
//
// Each takes -h.
package main

import (
	"fmt"
	"os"

	"rialto/cmd/rialto/internal/bench/a2abench"
	"rialto/cmd/rialto/internal/bench/bridgebench"
	"rialto/cmd/rialto/internal/bench/mcpbench"
	"rialto/cmd/rialto/internal/bench/oauthbench"
)

func main() {
	benchmarks := map[string]func(args []string) error{
		"mcp": mcpbench.Main, "oauth": oauthbench.Main, "a2a": a2abench.Main, "bridge": bridgebench.Main,
		"serve-bridge": bridgebench.Serve, "serve-oauth": oauthbench.Serve, // what the benchmarks start
	}
	if len(os.Args) < 2 || benchmarks[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: bench mcp|oauth|a2a|bridge [flags]")
		os.Exit(2)
	}
	if err := benchmarks[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintf(os.Stderr, "bench %s: %v\n", os.Args[1], err)
		os.Exit(1)
	}
}
