package server

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"rialto/cmd/rialto/internal/config"
)

// TestPagesWithoutSecretsAreCompressed asks for what browsers read, and for what must not be
// compressed: secrets beside what an attacker chose, streams and protocols.
func TestPagesWithoutSecretsAreCompressed(t *testing.T) {
	r := newRigWith(t, func(c *config.Config) {
		c.Name = strings.Repeat("long enough ", 100) // answers of less than 1 KiB are never compressed
	})
	if err := r.oauth.Accounts.SetAdmin(t.Context(), "alice", true); err != nil {
		t.Fatal(err)
	}
	browser := r.visitor("alice")
	for _, c := range []struct {
		method, path, kind, site string
		want                     bool
	}{
		{"GET", "/static/console.css", "text/css", "cross-site", true},
		{"GET", "/docs?q=task", "text/html", "cross-site", true},
		{"GET", "/openapi.json", "application/json", "", true},
		{"GET", "/", "text/html", "none", true},
		{"GET", "/admin/usage", "text/html", "same-origin", true},
		{"GET", "/account", "text/html", "none", true},
		{"GET", "/answer/none", "text/html", "same-origin", true},
		{"GET", "/admin/tasks?text=guess", "text/html", "cross-site", false},
		{"GET", "/admin/tasks", "text/html", "", false},
		{"POST", "/admin/clients/new", "text/html", "same-origin", false},
		{"GET", "/authorize", "text/html", "same-origin", false},
		{"GET", "/signin", "text/html", "same-origin", false},
		{"GET", "/connect/crm", "text/html", "same-origin", false},
		{"GET", "/shared/none", "text/html", "same-origin", false},
		{"GET", "/admin/tasks/events", "text/event-stream", "same-origin", false},
		{"GET", "/admin/audit/export?format=csv", "text/csv", "same-origin", false},
		{"GET", "/.well-known/oauth-authorization-server", "application/json", "", false},
	} {
		req, err := http.NewRequestWithContext(t.Context(), c.method, r.cfg.Load().URL+c.path, strings.NewReader("name=x"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", r.cfg.Load().URL)
		req.Header.Set("Accept-Encoding", "gzip, br")
		req.Header.Set("Sec-Fetch-Site", c.site)
		resp, err := browser.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(c.path, "/events") {
			_, _ = io.Copy(io.Discard, resp.Body)
		}
		resp.Body.Close()
		if kind := resp.Header.Get("Content-Type"); !strings.HasPrefix(kind, c.kind) {
			t.Errorf("%s %s: got %d of %s, want %s", c.method, c.path, resp.StatusCode, kind, c.kind)
		}
		if got := resp.Header.Get("Content-Encoding") == "gzip"; got != c.want {
			t.Errorf("%s %s from %q: compressed is %v, want %v", c.method, c.path, c.site, got, c.want)
		}
	}
}
