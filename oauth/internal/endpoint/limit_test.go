package endpoint

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"rialto/internal/quota"
)

// TestTheSecurityDocumentHasAllBuckets compares the table in docs/security.md with the code.
func TestTheSecurityDocumentHasAllBuckets(t *testing.T) {
	doc, err := os.ReadFile("../../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []quota.Bucket{Authorize, Push, ToProvider, Callback, Register(10), Fetch, refused} {
		_, row, _ := strings.Cut(string(doc), "\n| `"+b.Name+"` |")
		row, _, _ = strings.Cut(row, "\n")
		if want := fmt.Sprintf("| %d | %v |", b.Burst, b.Window/time.Duration(b.Burst)); !strings.Contains(row, want) {
			t.Errorf("%s: got the row %q, want one with %s", b.Name, row, want)
		}
	}
}
