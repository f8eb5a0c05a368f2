package e2e

import (
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestConnectorsSideBySide connects clients of others to three connectors of one server, at the same time.
// Each logs in with nothing but its URL, and calls. The token of one is refused at the others.
func TestConnectorsSideBySide(t *testing.T) {
	data := t.TempDir()
	p := observedDemo(t, data)
	names := []string{"sales", "desk", "law"}
	for _, name := range names {
		output(t, "", "connectors", "add", name, "--data", data)
	}
	t.Run("clients", func(t *testing.T) {
		for i, c := range []struct{ script, era string }{
			{"mcp1.mjs", "legacy"}, {"mcp2.mjs", "legacy"}, {"mcp2.mjs", "modern"},
		} {
			t.Run(fmt.Sprintf("%s %s at %s", c.script, c.era, names[i]), func(t *testing.T) {
				t.Parallel()
				kept := filepath.Join(t.TempDir(), "kept.json")
				env := []string{"RIALTO_URL=" + p.URL + "/mcp/" + names[i], "RIALTO_ERA=" + c.era}
				script{c.script, []string{"login", kept}, env}.run(t, p)
			})
		}
		t.Run("mcp-remote at sales", func(t *testing.T) {
			t.Parallel()
			_, port, _ := strings.Cut(freeAddress(t), ":")
			args := []string{p.URL + "/mcp/sales", port, "--allow-http"}
			said := visitor{script: mcpRemote, args: args, home: t.TempDir()}.run(t, p, 1)
			if !strings.Contains(said, "Connected successfully!") {
				t.Errorf("got\n%s", said)
			}
		})
	})
	for _, of := range names {
		token := strings.TrimSpace(
			output(t, "", "token", "--user", username, "--connector", of, "--data", data),
		)
		for _, at := range append([]string{""}, names...) {
			want := http.StatusUnauthorized
			if at == of {
				want = http.StatusOK
			}
			if got := listsTools(t, strings.TrimSuffix(p.URL+"/mcp/"+at, "/"), token); got != want {
				t.Errorf("a token of %s at %q: got %d, want %d", of, at, got, want)
			}
		}
	}
}

// listsTools returns the status of tools/list at an address.
func listsTools(t *testing.T, address, token string) int {
	t.Helper()
	body := strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	return resp.StatusCode
}
