package v01

import (
	"flag"
	"os"
	"testing"

	"rialto/a2a/a2atest/interop"
)

var update = flag.Bool("update", false, "rewrite this part of docs/interop.md")

// table is who understands whom here.
var table = &interop.Table{Name: "trpc-a2a-go 0.0.3"}

var (
	clientRow = interop.Row{Ours: "server", Theirs: "trpc-a2a-go 0.0.3, client", Spoken: "0.1 over JSONRPC"}
	serverRow = interop.Row{Ours: "client", Theirs: "trpc-a2a-go 0.0.3, server", Spoken: "0.1 over JSONRPC"}
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(table.Main(m.Run, "../../../../docs/interop.md", *update))
}
