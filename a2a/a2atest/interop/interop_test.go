package interop

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheDocumentIsHeldToTheTable(t *testing.T) {
	x := &Table{Name: "a peer"}
	row := Row{"client", "server of theirs", "1.0, JSONRPC"}
	t.Run("all but two", func(t *testing.T) {
		x.Tries(t, row, Send, Stream, MultiTurn, Get, Cancel, Error)
	})
	document := filepath.Join(t.TempDir(), "interop.md")
	if err := os.WriteFile(document, []byte("# Title\n\n"+x.mark("begin")+x.mark("end")+"\nThe end.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := x.check(document, true); err == nil || !strings.Contains(err.Error(), "nothing tries") {
		t.Errorf("got %v, want that a cell is empty", err)
	}
	x.Without(row, "It has no call for it.", Resubscribe, Push)
	x.Without(row, "Only of ended tasks.", Error)
	if err := x.check(document, false); err == nil || !strings.Contains(err.Error(), "-update") {
		t.Errorf("got %v, want that the document is old", err)
	}
	if err := x.check(document, true); err != nil {
		t.Fatal(err)
	}
	if err := x.check(document, false); err != nil {
		t.Error(err)
	}
	b, err := os.ReadFile(document)
	want := "| client | server of theirs | 1.0, JSONRPC | ✓ | ✓ | ✓ | ✓ | ✓ | [1] | [1] | ✓ [2] |\n\n1. It has no call for it.\n2. Only of ended tasks.\n" + x.mark("end") + "\nThe end.\n"
	if err != nil || !strings.HasPrefix(string(b), "# Title\n") || !strings.HasSuffix(string(b), want) {
		t.Errorf("got %s, %v", b, err)
	}
}
