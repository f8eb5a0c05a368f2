package peers

import (
	"flag"
	"os"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest/interop"
)

var update = flag.Bool("update", false, "rewrite this part of docs/interop.md")

// table is who understands whom here.
var table = &interop.Table{Name: "a2a-go"}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(table.Main(m.Run, "../../../docs/interop.md", *update))
}

// The rows of the table: our server before their clients, and our client before
// their servers.
func (w way) theirClient() interop.Row {
	return interop.Row{Ours: "server", Theirs: "a2a-go 2.4.0, client", Spoken: w.String()}
}

func (w way) theirServer() interop.Row {
	return interop.Row{Ours: "client", Theirs: "a2a-go 2.4.0, server", Spoken: w.String()}
}

var (
	oldClientRow     = interop.Row{Ours: "server", Theirs: "a2a-go 0.3.15, client", Spoken: way{a2a.JSONRPC, a2a.V03}.String()}
	oldClientRowGRPC = interop.Row{Ours: "server", Theirs: "a2a-go 0.3.15, client", Spoken: way{a2a.GRPC, a2a.V03}.String()}
	oldServerRow     = interop.Row{Ours: "client", Theirs: "a2a-go 0.3.15, server", Spoken: way{a2a.JSONRPC, a2a.V03}.String()}
	oldServerRowGRPC = interop.Row{Ours: "client", Theirs: "a2a-go 0.3.15, server", Spoken: way{a2a.GRPC, a2a.V03}.String()}
)
