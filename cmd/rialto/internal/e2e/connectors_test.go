package e2e

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// connectorNames are those of TestConnectorsSideBySide.
var connectorNames = []string{"sales", "desk", "law"}

// TestConnectorsSideBySide connects clients of others to three connectors of one server, at the same time.
// Each logs in with nothing but its URL, and calls. Then those of another account connect to the same three,
// which the first do not notice: their tokens, logins and tasks are there. The token of one connector is
// refused at the others.
func TestConnectorsSideBySide(t *testing.T) {
	takesLong(t)
	t.Parallel()
	data := t.TempDir()
	p := observedDemo(t, data)
	output(t, password+"\n", "user", "add", "grace", "--password-stdin", "--data", data)
	for _, name := range connectorNames {
		output(t, "", "connectors", "add", name, "--data", data)
	}
	var all []*accountClients
	for _, user := range []string{username, "grace"} {
		_, port, _ := strings.Cut(freeAddress(t), ":")
		all = append(all, &accountClients{p: p, user: user, home: t.TempDir(), port: port, tasks: map[string]string{}})
	}
	for _, c := range all {
		t.Run(c.user+" connects", c.connect)
	}
	for i, c := range all {
		other := all[1-i]
		t.Run(c.user+" is back", func(t *testing.T) { c.comeBack(t, other) })
	}
	for _, of := range connectorNames {
		token := output(t, "", "token", "--user", username, "--connector", of, "--data", data)
		for _, at := range append([]string{""}, connectorNames...) {
			path := strings.TrimSuffix("/mcp/"+at, "/")
			got := listsTools(t, p.URL+path, token)
			challenge := got.Header.Get("WWW-Authenticate")
			metadata := fmt.Sprintf("resource_metadata=%q", p.URL+"/.well-known/oauth-protected-resource"+path)
			switch {
			case at == of && got.StatusCode != http.StatusOK:
				t.Errorf("a token of %s at its connector: got %d", of, got.StatusCode)
			case at != of && (got.StatusCode != http.StatusUnauthorized || !strings.Contains(challenge, metadata)):
				t.Errorf("a token of %s at %q: got %d %s, want 401 and %s", of, at, got.StatusCode, challenge, metadata)
			}
		}
	}
}

// accountClients are the clients of one account.
type accountClients struct {
	p     *program
	user  string
	home  string
	port  string            // of mcp-remote's callback
	tasks map[string]string // of the Inspector, by the connector
}

// tsClients are runs of the TypeScript SDKs, one for each connector.
var tsClients = []struct{ script, era string }{{"mcp1.mjs", "legacy"}, {"mcp2.mjs", "legacy"}, {"mcp2.mjs", "modern"}}

func (c *accountClients) sdk(t *testing.T, i int, mode string) {
	t.Parallel()
	at := c.p.URL + "/mcp/" + connectorNames[i]
	env := []string{"RIALTO_URL=" + at, "RIALTO_ERA=" + tsClients[i].era, "RIALTO_USERNAME=" + c.user}
	script{tsClients[i].script, []string{mode, filepath.Join(c.home, connectorNames[i]+".json")}, env}.run(t, c.p)
}

func (c *accountClients) remote(t *testing.T, consents int) {
	t.Parallel()
	args := []string{c.p.URL + "/mcp/sales", c.port, "--allow-http"}
	said := visitor{script: mcpRemote, args: args, home: c.home, user: c.user}.run(t, c.p, consents)
	if !strings.Contains(said, "Connected successfully!") {
		t.Errorf("got\n%s", said)
	}
}

// inspector returns the Inspector at a connector.
func (c *accountClients) inspector(t *testing.T, i int) inspected {
	era := []string{"legacy", "auto", "modern"}[i]
	return inspected{t: t, p: c.p, home: c.home, era: era, user: c.user, at: "/" + connectorNames[i]}
}

// connect logs in with each client at once, and calls.
func (c *accountClients) connect(t *testing.T) {
	for i, run := range tsClients {
		t.Run(run.script+" "+run.era, func(t *testing.T) { c.sdk(t, i, "login") })
	}
	t.Run("mcp-remote", func(t *testing.T) { c.remote(t, 1) })
	t.Run("Inspector", func(t *testing.T) { // one file has its logins to all connectors
		t.Parallel()
		for i, at := range connectorNames {
			one := c.inspector(t, i)
			one.run(1, "--method", "tools/list", "--strict")
			got := one.call("send_task", `{"message":"SELECT count(*) AS n FROM claims"}`).StructuredContent
			if c.tasks[at] = got.ID; got.State != "completed" {
				t.Errorf("%s: got %+v, want a completed task", at, got)
			}
		}
	})
}

// comeBack uses each login again, and finds the tasks of the account and not those of the other.
func (c *accountClients) comeBack(t *testing.T, other *accountClients) {
	for i, run := range tsClients {
		t.Run(run.script+" "+run.era, func(t *testing.T) { c.sdk(t, i, "resume") })
	}
	t.Run("mcp-remote", func(t *testing.T) { c.remote(t, 0) })
	t.Run("Inspector", func(t *testing.T) {
		t.Parallel()
		for i, at := range connectorNames {
			one := c.inspector(t, i)
			if got := one.call("get_task", `{"task_id":"`+c.tasks[at]+`"}`); got.StructuredContent.State != "completed" {
				t.Errorf("%s: got %+v, want the task of before", at, got)
			}
			result, _ := one.run(0, "--method", "tools/call", "--tool-name", "list_tasks")
			hers, others := bytes.Contains(result, []byte(c.tasks[at])), bytes.Contains(result, []byte(other.tasks[at]))
			if !hers || others {
				t.Errorf("%s: got %s, want the tasks of %s alone", at, result, c.user)
			}
		}
	})
}

// listsTools returns the answer to tools/list at an address.
func listsTools(t *testing.T, address, token string) *http.Response {
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
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	return resp
}
