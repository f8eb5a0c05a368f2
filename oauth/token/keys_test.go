package token

import (
	"strings"
	"testing"
	"time"
)

// One thumbprint in 64 begins with a dash, and "rialto keys revoke" takes such an ID for a flag.
func TestNoKeyIDBeginsWithADash(t *testing.T) {
	ks := &Keys{Algorithm: EdDSA, Secret: make([]byte, 32)}
	for range 1000 {
		key, err := ks.create(nil, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(key.KeyID, "-") {
			t.Fatalf("got the key ID %q, want one that is no flag", key.KeyID)
		}
	}
}
