package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheDoorsOfADemo asks one demo at all its addresses, as clients do that have their own HTTP.
func TestTheDoorsOfADemo(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	p := demo(t, data, "")
	bearer := "Bearer " + output(t, "", "token", "--user", username, "--data", data)
	t.Run("addresses beside the endpoint", func(t *testing.T) { addressesBesideTheEndpoint(t, p, bearer) })
	t.Run("the endpoint describes itself only to readers", func(t *testing.T) { describesItself(t, p) })
	t.Run("each connector finds itself", func(t *testing.T) { connectorsFindThemselves(t, p) })
	t.Run("without a token every address says where to begin", func(t *testing.T) { saysWhereToBegin(t, p) })
	t.Run("a wrong token is called invalid", func(t *testing.T) { wrongTokenIsInvalid(t, p) })
	t.Run("the way in is the same everywhere", func(t *testing.T) { wayInIsTheSame(t, p) })
	t.Run("an unknown address is a page and not an error", func(t *testing.T) { unknownAddressIsAPage(t, p) })
}

// addressesBesideTheEndpoint are those that clients of earlier servers
// know: some are public, and the others say where to begin.
func addressesBesideTheEndpoint(t *testing.T, p *program, bearer string) {
	const list = `{"jsonrpc":"2.0","id":"1","method":"tools/list"}`
	const search = `{"name":"search","arguments":{"query":"claims"}}`
	for name, c := range map[string]struct {
		method, path, body, token string
		status                    int
		holds                     string
	}{
		"a handshake":             {"POST", "/mcp/initialize", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}`, "", 200, `"protocolVersion":"2025-03-26"`},
		"tools":                   {"GET", "/mcp/tools/list", "", "", 200, `"name":"send_task"`},
		"tools, by POST":          {"POST", "/mcp/tools/list", list, "", 200, `{"jsonrpc":"2.0","id":"1","result":{"tools":[`},
		"tools, by a stale token": {"POST", "/mcp/tools/list", list, "Bearer stale", 200, `"name":"search"`},
		"resources":               {"GET", "/mcp/resources/list", "", "", 200, `{"resources":[`},
		"whether it is valid":     {"GET", "/mcp/validate", "", "", 200, `{"valid":true`},
		"whether it is well":      {"GET", "/mcp/health", "", "", 200, `{"status":"ok"}`},
		"a call":                  {"POST", "/mcp/tools/call", search, bearer, 200, `"structuredContent":{"results":[`},
		"a call of nobody":        {"POST", "/mcp/tools/call", search, "", 401, "unauthorized"},
		"a stream of nobody":      {"GET", "/mcp/sse", "", "", 401, "unauthorized"},
		"a message of nobody":     {"POST", "/mcp/messages?sessionId=x", list, "", 401, "unauthorized"},
		"a message of no stream":  {"POST", "/mcp/messages?sessionId=x", list, bearer, 404, "open a new one"},
		"a new client, at /sse":   {"POST", "/sse", list, bearer, 405, "takes GET"},
	} {
		t.Run(name, func(t *testing.T) {
			header := []string{"Content-Type", "application/json"}
			if c.token != "" {
				header = append(header, "Authorization", c.token)
			}
			resp := do(t, c.method, p.URL+c.path, c.body, header...)
			if resp.StatusCode != c.status || !strings.Contains(string(resp.body), c.holds) {
				t.Errorf("got %d %.400s, want %d and %s", resp.StatusCode, resp.body, c.status, c.holds)
			}
			if challenged := resp.Header.Get("WWW-Authenticate") != ""; challenged != (c.status == 401) {
				t.Errorf("got the challenge %q", resp.Header.Get("WWW-Authenticate"))
			}
		})
	}
}

func describesItself(t *testing.T, p *program) {
	for name, c := range map[string]struct {
		status int
		header []string
	}{
		"a reader":                        {200, []string{"Accept", "application/json"}},
		"a reader that would take more":   {200, []string{"Accept", "text/html, application/json;q=0.9"}},
		"a reader of another case":        {200, []string{"Accept", "Application/JSON"}},
		"a page of a chat app":            {200, []string{"Accept", "application/json", "Origin", "https://claude.ai"}},
		"a page of elsewhere":             {403, []string{"Accept", "application/json", "Origin", "https://evil.example"}},
		"a client that takes streams":     {401, []string{"Accept", "application/json, text/event-stream"}},
		"a client that takes anything":    {401, []string{"Accept", "application/json, */*;q=0.1"}},
		"a client that says nothing":      {401, nil},
		"a client that names a revision":  {401, []string{"Accept", "application/json", "MCP-Protocol-Version", "2024-11-05"}},
		"one that takes what is not JSON": {401, []string{"Accept", "application/json-seq"}},
	} {
		for _, path := range []string{"/mcp", "/mcp/"} {
			resp := do(t, "GET", p.URL+path, "", c.header...)
			if resp.StatusCode != c.status {
				t.Errorf("%s at %s: got %d, want %d", name, path, resp.StatusCode, c.status)
			}
			if c.status == 200 && !strings.Contains(strings.Join(resp.Header.Values("Vary"), ", "), "Accept") {
				t.Errorf("%s: got Vary %v, want Accept in it", name, resp.Header.Values("Vary"))
			}
		}
	}
}

// connectorBlock is what the metadata says to one connector.
type connectorBlock struct {
	Authentication struct {
		Type     string
		TokenURL string `json:"token_url"`
	}
	AuthRequest struct {
		RedirectURI string `json:"redirect_uri"`
		Scope       string
	} `json:"auth_request"`
	Params struct {
		RedirectURIs []string `json:"redirect_uris"`
	} `json:"oauth_client_params"`
}

// connectorsFindThemselves registers with what the metadata prepares for
// each connector.
func connectorsFindThemselves(t *testing.T, p *program) {
	for origin, want := range map[string]string{
		"": "chatgpt", "https://elsewhere.example": "chatgpt",
		"https://chatgpt.com": "chatgpt", "https://chat.openai.com": "chatgpt",
		"https://claude.ai": "claude_code", "https://claude.com": "claude_code",
	} {
		resp := do(t, "GET", p.URL+"/.well-known/mcp-metadata", "", "Origin", origin)
		var doc struct {
			connectorBlock
			OAuth      struct{ Issuer string } `json:"oauth_config"`
			ChatGPT    connectorBlock          `json:"chatgpt_connector"`
			ClaudeCode connectorBlock          `json:"claude_code_connector"`
			Connectors map[string]json.RawMessage
			Endpoints  map[string]string
		}
		decode(t, resp, &doc)
		if got := string(doc.Connectors["default_connector"]); got != `"`+want+`"` || resp.Header.Get("Vary") != "Origin" {
			t.Errorf("%s: got %s, Vary %q, want %s", origin, got, resp.Header.Get("Vary"), want)
		}
		mine := map[string]connectorBlock{"chatgpt": doc.ChatGPT, "claude_code": doc.ClaudeCode}[want]
		if doc.AuthRequest != mine.AuthRequest || doc.Authentication != mine.Authentication || doc.OAuth.Issuer != p.URL {
			t.Errorf("%s: got %+v, want the block of its connector %+v", origin, doc.connectorBlock, mine)
		}
		for name, one := range map[string]connectorBlock{"chatgpt": doc.ChatGPT, "claude_code": doc.ClaudeCode} {
			if one.Authentication.Type != "oauth" || one.Authentication.TokenURL != p.URL+"/token" || one.AuthRequest.Scope != "mcp:tools" {
				t.Errorf("%s: got %+v", name, one)
			}
			if doc.Connectors[name] == nil {
				t.Errorf("connectors has no %s", name)
			}
			register(t, p, strings.Join(one.Params.RedirectURIs, `","`))
		}
		for name, at := range doc.Endpoints {
			if !strings.HasPrefix(at, p.URL+"/mcp/") {
				t.Errorf("%s is at %s", name, at)
			}
		}
	}
}

// TestTheListCanBeHidden turns the settings of the endpoint.
func TestTheListCanBeHidden(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	addr, config := freeAddress(t), filepath.Join(dir, "rialto.yaml")
	err := os.WriteFile(config, []byte("url: http://"+addr+"\ndatabase: "+filepath.Join(dir, "db")+
		"\nagents:\n  - {name: a, url: \"http://127.0.0.1:1\"}\nmcp: {public_listing: false, strict: true}\n"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", config)
	bearer := "Bearer " + output(t, "", "token", "--user", "alice", "--config", config)
	p := start(t, addr, "serve", "--config", config, "--listen", addr)
	for _, path := range []string{"/mcp/tools/list", "/mcp/resources/list"} {
		if resp := do(t, "GET", p.URL+path, ""); resp.StatusCode != http.StatusUnauthorized {
			t.Errorf("%s: got %d, want 401", path, resp.StatusCode)
		}
		if resp := do(t, "GET", p.URL+path, "", "Authorization", bearer); resp.StatusCode != http.StatusOK {
			t.Errorf("%s with a token: got %d, want 200", path, resp.StatusCode)
		}
	}
	if resp := do(t, "GET", p.URL+"/mcp/validate", ""); strings.Contains(string(resp.body), "send_task") {
		t.Errorf("got %s, want no tools", resp.body)
	}
	// What Claude's connectors send is understood unless the setting is strict.
	hybrid := []string{"Authorization", bearer, "Content-Type", "application/json", "MCP-Protocol-Version", "2025-11-25"}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	if resp := do(t, "POST", p.URL+"/mcp", body, hybrid...); resp.StatusCode != http.StatusBadRequest || !strings.Contains(string(resp.body), "-32020") {
		t.Errorf("got %d %s, want 400 and -32020", resp.StatusCode, resp.body)
	}
}

// TestTheSDKSpeaksThePairOf2024 logs in at the address of the stream.
func TestTheSDKSpeaksThePairOf2024(t *testing.T) {
	t.Parallel()
	p := demo(t, t.TempDir(), "")
	kept := filepath.Join(t.TempDir(), "kept.json")
	env := []string{"RIALTO_URL=" + p.URL + "/mcp/sse", "RIALTO_TRANSPORT=sse"}
	script{"mcp1.mjs", []string{"login", kept}, env}.run(t, p)
}
