package e2e

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// saysWhereToBegin: clients knock in different ways
// before they hold a token (Codex with GET, Claude Code with POST), and all of
// them start from this header. A redirect would lose them.
func saysWhereToBegin(t *testing.T, p *program) {
	want := `Bearer resource_metadata="` + p.URL + `/.well-known/oauth-protected-resource/mcp", scope="mcp:tools"`
	for _, path := range []string{"/mcp", "/mcp/"} {
		for _, method := range []string{"GET", "POST", "DELETE"} {
			resp := do(t, method, p.URL+path, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`, "Content-Type", "application/json")
			if resp.StatusCode != http.StatusUnauthorized {
				t.Errorf("%s %s: got %d, want 401", method, path, resp.StatusCode)
			}
			if got := resp.Header.Get("WWW-Authenticate"); got != want {
				t.Errorf("%s %s: got %q, want %q", method, path, got, want)
			}
		}
	}
}

func wrongTokenIsInvalid(t *testing.T, p *program) {
	resp := do(t, "POST", p.URL+"/mcp", "{}", "Authorization", "Bearer not.a.token")
	got := resp.Header.Get("WWW-Authenticate")
	if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(got, `error="invalid_token"`) || !strings.Contains(got, "resource_metadata=") {
		t.Errorf("got %d %q, want 401, invalid_token and where to begin", resp.StatusCode, got)
	}
}

// wayInIsTheSame follows the documents as a client does.
func wayInIsTheSame(t *testing.T, p *program) {
	for _, path := range []string{"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"} {
		var resource struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
		}
		decode(t, do(t, "GET", p.URL+path, ""), &resource)
		if resource.Resource != p.URL+"/mcp" || len(resource.Servers) != 1 || resource.Servers[0] != p.URL {
			t.Errorf("%s: got %+v, want the resource %s/mcp of %s", path, resource, p.URL, p.URL)
		}
	}
	for _, path := range []string{"/.well-known/oauth-authorization-server", "/.well-known/oauth-authorization-server/mcp", "/mcp/.well-known/oauth-authorization-server"} {
		var server struct{ Issuer string }
		decode(t, do(t, "GET", p.URL+path, ""), &server)
		if server.Issuer != p.URL {
			t.Errorf("%s: got issuer %q, want %q", path, server.Issuer, p.URL)
		}
	}
}

func unknownAddressIsAPage(t *testing.T, p *program) {
	resp := do(t, "GET", p.URL+"/nothing/here", "")
	if resp.StatusCode != http.StatusNotFound || resp.Header.Get("Content-Security-Policy") == "" {
		t.Errorf("got %d with policy %q, want our own 404", resp.StatusCode, resp.Header.Get("Content-Security-Policy"))
	}
}

// s256 is the challenge of a verifier (RFC 7636 section 4.2).
func s256(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func register(t *testing.T, p *program, callback string) (id string) {
	t.Helper()
	var client struct {
		ID string `json:"client_id"`
	}
	decode(t, do(t, "POST", p.URL+"/register", `{"client_name":"Raw","redirect_uris":["`+callback+`"],"token_endpoint_auth_method":"none"}`,
		"Content-Type", "application/json"), &client)
	return client.ID
}

// answer is a response whose body has been read.
type answer struct {
	*http.Response
	body []byte
}

// do sends a request and follows no redirect.
func do(t *testing.T, method, address, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return answer{Response: &http.Response{}}
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Error(err)
		return answer{Response: &http.Response{}}
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		t.Error(err)
	}
	return answer{resp, b}
}

func decode(t *testing.T, a answer, into any) {
	t.Helper()
	if a.StatusCode/100 != 2 {
		t.Fatalf("got %d: %s", a.StatusCode, a.body)
	}
	if err := json.Unmarshal(a.body, into); err != nil {
		t.Fatalf("got %s: %v", a.body, err)
	}
}
