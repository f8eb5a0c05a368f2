package directhttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// BenchmarkCall makes calls this way and the other. What the server costs is in both.
func BenchmarkCall(b *testing.B) {
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.Copy(w, r.Body) }))
	defer web.Close()
	ours, theirs := direct(b), behind()
	defer theirs.CloseIdleConnections()
	for _, way := range []struct {
		name string
		http.RoundTripper
	}{{"directhttp", ours}, {"Transport", theirs}} {
		b.Run(way.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := call(way, post(b, b.Context(), web.URL, strings.Repeat("x", 500))); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
