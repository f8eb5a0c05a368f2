package e2e

import (
	"crypto/x509"
	"encoding/pem"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// TestMCPClients takes each SDK through the life of a connector, twice: with
// nothing but the URL, and again after the server crashed and came back.
func TestMCPClients(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	for _, name := range []string{"oauth4webapi.mjs", "openidclient.mjs"} {
		t.Run(name, func(t *testing.T) {
			p := demo(t, t.TempDir(), "")
			script{name, nil, []string{"RIALTO_URL=" + p.URL + "/mcp"}}.run(t, p)
		})
	}
}

func TestA2AClients(t *testing.T) {
	t.Parallel()
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

// TestA2AClientsThroughTheBridge has the same conversation with the same agent,
// through the face of a demo: with tokens, by its card, at the root and under
// the agent's name.
func TestA2AClientsThroughTheBridge(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := demo(t, data, "")
	token := output(t, "", "token", "--user", username, "--data", data, "--scope", "a2a:discover a2a:publish")
	for _, name := range []string{"a2a03.mjs", "a2a10.mjs"} {
		for _, at := range []string{"", "/a2a/tableexpert/"} {
			t.Run(name+" at "+at, func(t *testing.T) {
				script{name, nil, []string{"RIALTO_URL=" + p.URL + at, "RIALTO_TOKEN=" + token}}.run(t, p)
			})
		}
	}
}

// TestBrowser drives the pages in Chromium. RIALTO_SCREENSHOTS names a folder
// for pictures of them.
func TestBrowser(t *testing.T) {
	t.Parallel()
	path, err := chromium()
	Need(t, err)
	p := demo(t, t.TempDir(), "")
	cert, key := certificate(t)
	script{"browser.mjs", nil, []string{"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path, "RIALTO_TLS_CERT=" + cert, "RIALTO_TLS_KEY=" + key}}.run(t, p)
}

// certificate writes a certificate for 127.0.0.1 and its key to files.
func certificate(t *testing.T) (cert, key string) {
	t.Helper()
	srv := httptest.NewTLSServer(nil)
	srv.Close()
	pair := srv.TLS.Certificates[0]
	private, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	for path, block := range map[string]*pem.Block{cert: {Type: "CERTIFICATE", Bytes: pair.Certificate[0]}, key: {Type: "PRIVATE KEY", Bytes: private}} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return cert, key
}
