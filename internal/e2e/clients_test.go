package e2e

import (
	"path/filepath"
	"testing"
)

// TestMCPClients takes each SDK through the life of a connector, twice: with
// nothing but the URL, and again after the server crashed and came back.
func TestMCPClients(t *testing.T) {
	for _, c := range []struct{ name, script, era string }{
		{"SDK 1, the initialize handshake", "mcp1.mjs", "legacy"},
		{"SDK 2, the initialize handshake", "mcp2.mjs", "legacy"},
		{"SDK 2, revision 2026-07-28", "mcp2.mjs", "modern"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, kept := t.TempDir(), filepath.Join(t.TempDir(), "kept.json")
			p := observedDemo(t, data)
			env := []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_ERA=" + c.era}
			script{c.script, []string{"login", kept}, env}.run(t, p)

			p.kill()
			p = p.again(t)
			script{c.script, []string{"resume", kept}, env}.run(t, p)
		})
	}
}

// TestOAuthClients takes the strictest OAuth libraries through everything that
// the server's metadata offers them.
func TestOAuthClients(t *testing.T) {
	for _, name := range []string{"oauth4webapi.mjs", "openidclient.mjs"} {
		t.Run(name, func(t *testing.T) {
			p := demo(t, t.TempDir(), "")
			script{name, nil, []string{"RIALTO_URL=" + p.URL + "/mcp"}}.run(t, p)
		})
	}
}

func TestA2AClients(t *testing.T) {
	for _, c := range []struct{ name, script string }{
		{"SDK 0.3", "a2a03.mjs"},
		{"SDK 1", "a2a10.mjs"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := tableExpert(t)
			script{c.script, nil, []string{"RIALTO_URL=" + p.URL}}.run(t, p)
		})
	}
}

// TestBrowser drives the pages in Chromium. RIALTO_SCREENSHOTS names a folder
// for pictures of them.
func TestBrowser(t *testing.T) {
	path, err := chromium()
	need(t, err)
	p := demo(t, t.TempDir(), "")
	script{"browser.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path}}.run(t, p)
}
