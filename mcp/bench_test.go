package mcp_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

// BenchmarkCall measures a call of a trivial tool in both eras, over a connection and
// with the handler alone.
func BenchmarkCall(b *testing.B) {
	s := &mcp.Server{Tools: mcptest.Tools()}
	srv := serve(b, s)
	for _, era := range eras {
		c := &client{t: b, srv: srv, era: era}
		if !era.modern {
			c.initialize()
		}
		r := c.request(b.Context(), "1", "tools/call", `"name":"echo","arguments":{"text":"hello"}`)
		body, _ := io.ReadAll(r.Body) // from memory
		b.Run(fmt.Sprint("http/", era.name), func(b *testing.B) { benchHTTP(b, srv, r, body) })
		b.Run(fmt.Sprint("handler/", era.name), func(b *testing.B) { benchHandler(b, s, r, body) })
	}
}

func benchHTTP(b *testing.B, srv *httptest.Server, r *http.Request, body []byte) {
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		r := r.Clone(b.Context())
		for pb.Next() {
			r.Body = io.NopCloser(bytes.NewReader(body))
			res, err := srv.Client().Do(r)
			if err != nil {
				b.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, res.Body)
			res.Body.Close()
		}
	})
}

func benchHandler(b *testing.B, s *mcp.Server, r *http.Request, body []byte) {
	b.ReportAllocs()
	for b.Loop() {
		r.Body = io.NopCloser(bytes.NewReader(body))
		w := httptest.NewRecorder()
		if s.ServeHTTP(w, r); w.Code != http.StatusOK {
			b.Fatal(w.Code, w.Body)
		}
	}
}
