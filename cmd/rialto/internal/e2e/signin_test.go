package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestWhoSignsIn takes a new server through every way to sign in, with an
// identity provider that others wrote, in Chromium.
func TestWhoSignsIn(t *testing.T) {
	t.Parallel()
	path, err := chromium()
	Need(t, err)
	addr, issuer := freeAddress(t), "http://"+freeAddress(t)
	dir := t.TempDir()
	config := filepath.Join(dir, "rialto.yaml")
	text := fmt.Sprintf(`
database: %s
sign_in:
  oidc:
    - id: corp
      name: Corp
      issuer: %s
      client_id: rialto
      client_secret:
        file: %s
      private_network: true
      email_domains: [corp.example]
  pasted_token:
    issuer: %s
    private_network: true
`, filepath.Join(dir, "rialto.db"), issuer, filepath.Join(dir, "secret"), issuer)
	for name, content := range map[string]string{config: text, filepath.Join(dir, "secret"): "a secret between the provider and its client"} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, addr, "serve", "--config", config, "--listen", addr)
	code := p.setupCode(t)
	script{"signin.mjs", nil, []string{
		"RIALTO_URL=" + p.URL + "/mcp", "RIALTO_CHROMIUM=" + path, "RIALTO_PROVIDER=" + issuer, "RIALTO_SETUP_CODE=" + code,
	}}.run(t, p)
}
