package e2e

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"testing"

	"rialto/mcp/mcptest/wire"
)

// observedDemo runs "rialto demo" behind a proxy that checks every message of
// MCP, in both directions, against the schema of its revision, at the address of
// the server and at those of its connectors.
func observedDemo(t *testing.T, data string) *program {
	t.Helper()
	o := &wire.Observer{Report: func(problem string) { t.Error(problem) }}
	return frontedDemo(t, data, func(next http.Handler) http.Handler {
		observed := o.Handler(next)
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/mcp" || connectorPath.MatchString(r.URL.Path) {
				observed.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(w, r)
		})
	})
}

// connectorPath matches the MCP endpoints of the connectors that tests add.
var connectorPath = regexp.MustCompile("^/mcp/(sales|desk|law)$")

// frontedDemo runs "rialto demo" behind a proxy, whose address is the program's
// public one.
func frontedDemo(t *testing.T, data string, before func(http.Handler) http.Handler) *program {
	t.Helper()
	addr := freeAddress(t)
	front := httptest.NewServer(before(passTo(t, addr)))
	t.Cleanup(front.Close)
	p := start(t, addr, "demo", "--listen", addr, "--data", data, "--url", front.URL)
	p.URL = front.URL
	return p
}

// passTo returns a proxy to an address.
func passTo(t *testing.T, addr string) http.Handler {
	return &httputil.ReverseProxy{
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
	}
}

// again runs the program anew where it was, after kill.
func (p *program) again(t *testing.T) *program {
	t.Helper()
	args := p.cmd.Args[1:]
	next := startWith(t, "", p.variables, args...)
	next.URL = p.URL
	return next
}
