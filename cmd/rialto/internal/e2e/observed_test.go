package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"testing"

	"rialto/mcp/mcptest/wire"
)

// observedDemo runs "rialto demo" behind a proxy that checks every message of
// MCP, in both directions, against the schema of its revision. The proxy's
// address is the program's public one.
func observedDemo(t *testing.T, data string) *program {
	t.Helper()
	addr := freeAddress(t)
	o := &wire.Observer{Report: func(problem string) { t.Error(problem) }}
	front := httptest.NewServer(only("/mcp", o.Handler, &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: addr})
			r.Out.Host = r.In.Host
			// The transport may look for the end of the body when the answer is
			// on its way already, which is too late to read from a server's
			// request; it would give up the answer.
			body, err := io.ReadAll(r.In.Body)
			if err != nil {
				t.Error(err)
			}
			r.Out.Body = io.NopCloser(bytes.NewReader(body))
		},
		FlushInterval: -1,
	}))
	t.Cleanup(front.Close)
	p := start(t, addr, "demo", "--listen", addr, "--data", data, "--url", front.URL)
	p.URL = front.URL
	return p
}

// only puts a guard before one path.
func only(path string, guard func(http.Handler) http.Handler, next http.Handler) http.Handler {
	guarded := guard(next)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == path {
			guarded.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// again runs the program anew where it was, after kill.
func (p *program) again(t *testing.T) *program {
	t.Helper()
	args := p.cmd.Args[1:]
	next := startWith(t, "", p.variables, args...)
	next.URL = p.URL
	return next
}
