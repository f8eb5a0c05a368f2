package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestPagesWithoutSecretsAreCompressed asks for what browsers read, and for what must not be
// compressed: secrets beside what an attacker chose, streams and protocols.
func TestPagesWithoutSecretsAreCompressed(t *testing.T) {
	for _, c := range []struct {
		method, path, kind, site string
		want                     bool
	}{
		{"GET", "/static/style.css", "text/css; charset=utf-8", "cross-site", true},
		{"GET", "/docs?q=x", "text/html; charset=utf-8", "cross-site", true},
		{"GET", "/openapi.json", "application/json", "", true},
		{"GET", "/admin/usage", "text/html; charset=utf-8", "same-origin", true},
		{"GET", "/account", "text/html; charset=utf-8", "none", true},
		{"GET", "/admin/tasks?text=guess", "text/html; charset=utf-8", "cross-site", false},
		{"GET", "/admin/tasks", "text/html; charset=utf-8", "", false},
		{"POST", "/admin/clients/new", "text/html; charset=utf-8", "same-origin", false},
		{"GET", "/authorize", "text/html; charset=utf-8", "same-origin", false},
		{"GET", "/signin", "text/html; charset=utf-8", "same-origin", false},
		{"GET", "/connect/crm", "text/html; charset=utf-8", "same-origin", false},
		{"GET", "/admin/tasks/events", "text/event-stream", "same-origin", false},
		{"GET", "/admin/usage/export", "text/csv", "same-origin", false},
		{"POST", "/mcp", "application/json", "", false},
	} {
		h, err := newRouting(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", c.kind)
			w.Write([]byte(strings.Repeat("the same again ", 500)))
		}))
		if err != nil {
			t.Fatal(err)
		}
		r := httptest.NewRequest(c.method, c.path, nil)
		r.Header.Set("Accept-Encoding", "gzip, br")
		r.Header.Set("Sec-Fetch-Site", c.site)
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Content-Encoding") == "gzip"; got != c.want {
			t.Errorf("%s %s from %q: compressed is %v, want %v", c.method, c.path, c.site, got, c.want)
		}
	}
}
