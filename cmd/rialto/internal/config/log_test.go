package config

import (
	"log/slog"
	"net"
	"testing"
	"time"
)

// TestAttributesAreInWords checks how JSON logs write values that JSON has no type for.
func TestAttributesAreInWords(t *testing.T) {
	for _, tc := range []struct {
		in   any
		want string
	}{
		{1500 * time.Millisecond, "1.5s"},
		{&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80}, "127.0.0.1:80"},
		{"text", "text"},
	} {
		if got := asText(nil, slog.Any("k", tc.in)); got.Value.String() != tc.want || got.Value.Kind() != slog.KindString {
			t.Errorf("got %v, want %q", got, tc.want)
		}
	}
}
