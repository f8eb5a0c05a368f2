package cli

import (
	"testing"

	"rialto/cmd/rialto/internal/server"
)

// TestOwnAddress: "rialto health" in a container asks the server where
// RIALTO_LISTEN put it.
func TestOwnAddress(t *testing.T) {
	for listen, want := range map[string]string{
		"":                "127.0.0.1:8080",
		":19040":          "127.0.0.1:19040",
		"0.0.0.0:80":      "127.0.0.1:80",
		"[::]:80":         "[::1]:80",
		"192.0.2.1:81":    "192.0.2.1:81",
		"localhost:19040": "localhost:19040",
	} {
		if got := server.LocalAddress(listen); got != want {
			t.Errorf("LocalAddress(%q): got %s, want %s", listen, got, want)
		}
	}
}
