package secret

import (
	"strings"
	"testing"
)

// One ID in 64 began with a dash, and "rialto grants revoke -ar_…" took it for a flag.
func TestNoIDBeginsWithADash(t *testing.T) {
	for range 2000 {
		if id := NewID(); strings.HasPrefix(id, "-") {
			t.Fatalf("got the ID %q, want one that is no flag", id)
		}
	}
}
