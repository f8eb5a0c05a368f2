package doctor

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the table in docs/doctor.md")

// TestDocumentListsTheChecks keeps the table of docs/doctor.md the code.
func TestDocumentListsTheChecks(t *testing.T) {
	const path, begin = "../../docs/doctor.md", "| step | what is expected | breaks |\n|---|---|---|\n"
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, got, ok := strings.Cut(string(b), begin)
	if !ok {
		t.Fatalf("%s has no table of steps", path)
	}
	var want strings.Builder
	for _, s := range checks() {
		clients := "–"
		if len(s.Breaks) > 0 {
			clients = Names(s.Breaks)
		}
		fmt.Fprintf(&want, "| `%s`: %s | %s | %s |\n", s.ID, s.Title, strings.NewReplacer("<", "&lt;", "|", "\\|").Replace(s.Expect), clients)
	}
	if got == want.String() {
		return
	}
	if !*update {
		t.Fatalf("the table of %s is not that of the code; run go test -update", path)
	}
	if err := os.WriteFile(path, []byte(before+begin+want.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
