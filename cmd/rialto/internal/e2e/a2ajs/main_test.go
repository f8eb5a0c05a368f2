package a2ajs

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2atest/interop"
)

var update = flag.Bool("update", false, "rewrite this part of docs/interop.md")

// table is who understands whom here.
var table = &interop.Table{Name: "@a2a-js/sdk"}

func TestMain(m *testing.M) {
	if os.Getenv("RIALTO_E2E") == "later" {
		fmt.Println("left to a later run, as RIALTO_E2E=later says")
		os.Exit(0)
	}
	flag.Parse()
	os.Exit(table.Main(m.Run, "../../../../../docs/interop.md", *update))
}

// peer is a version of the SDK that speaks a generation over a binding.
type peer struct {
	version    string
	generation a2a.Generation
	binding    a2a.Binding
}

func peers() []peer {
	return []peer{
		{"0.2.5", a2a.V02, a2a.JSONRPC},
		{"0.3.7", a2a.V03, a2a.JSONRPC}, {"0.3.7", a2a.V03, a2a.HTTPJSON},
		{"0.3.14", a2a.V03, a2a.JSONRPC}, {"0.3.14", a2a.V03, a2a.HTTPJSON}, {"0.3.14", a2a.V03, a2a.GRPC},
		{"1.3.0", a2a.V10, a2a.JSONRPC}, {"1.3.0", a2a.V10, a2a.HTTPJSON}, {"1.3.0", a2a.V10, a2a.GRPC},
		{"1.3.0", a2a.V03, a2a.JSONRPC}, {"1.3.0", a2a.V03, a2a.HTTPJSON}, {"1.3.0", a2a.V03, a2a.GRPC},
	}
}

func (p peer) String() string {
	return p.version + " in " + string(p.generation) + " over " + string(p.binding)
}

func (p peer) row(ours, theirs string) interop.Row {
	return interop.Row{Ours: ours, Theirs: "@a2a-js/sdk " + p.version + ", " + theirs, Spoken: string(p.generation) + " over " + string(p.binding)}
}
