package doctor

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	mcpgo "github.com/mark3labs/mcp-go/server"
	"github.com/modelcontextprotocol/go-sdk/auth"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// expectVerdict examines an address, and wants a cause and the beginning of its sentence.
func expectVerdict(t *testing.T, d *Doctor, address, id, text string) *Report {
	t.Helper()
	r := d.Examine(t.Context(), address)
	if got := r.Verdict.Text.Error(); r.Verdict.ID != id || !strings.HasPrefix(got, text) {
		var all strings.Builder
		r.WriteText(&all, false, Status.Mark)
		t.Errorf("got %s, want %s: %s\n%s", r.Verdict.ID, id, text, all.String())
	}
	return r
}

// serve serves a handler until the test ends.
func serve(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	t.Cleanup(s.CloseClientConnections)
	return s.URL
}

func sdkServer() *gosdk.Server {
	s := gosdk.NewServer(&gosdk.Implementation{Name: "other", Version: "1"}, nil)
	look := func(context.Context, *gosdk.CallToolRequest, struct{}) (*gosdk.CallToolResult, any, error) {
		return &gosdk.CallToolResult{Content: []gosdk.Content{&gosdk.TextContent{Text: "seen"}}}, nil, nil
	}
	gosdk.AddTool(s, &gosdk.Tool{Name: "look", Annotations: &gosdk.ToolAnnotations{ReadOnlyHint: true}}, look)
	return s
}

func sdkHandler(stateless bool) http.Handler {
	s := sdkServer()
	return gosdk.NewStreamableHTTPHandler(func(*http.Request) *gosdk.Server { return s }, &gosdk.StreamableHTTPOptions{Stateless: stateless})
}

func mcpGoServer() *mcpgo.MCPServer {
	s := mcpgo.NewMCPServer("other", "1")
	s.AddTool(mcp.NewTool("look", mcp.WithReadOnlyHintAnnotation(true)), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("seen"), nil
	})
	return s
}

const everyone = "ChatGPT, Claude, Claude Code, Codex, VS Code, MCP Inspector"

// TestOtherServersWithoutALoginWork: the doctor wanted a 401 of every server.
func TestOtherServersWithoutALoginWork(t *testing.T) {
	for name, h := range map[string]http.Handler{
		"go-sdk": sdkHandler(false), "go-sdk without sessions": sdkHandler(true),
		"mcp-go": mcpgo.NewStreamableHTTPServer(mcpGoServer()), "mcp-go without sessions": mcpgo.NewStreamableHTTPServer(mcpGoServer(), mcpgo.WithStateLess(true)),
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.Handle("/mcp", h)
			expectVerdict(t, &Doctor{}, serve(t, mux)+"/mcp", Works, "This server works with "+everyone+". It asks for no login.")
		})
	}
}

// TestAnotherVendorsLoginWorks examines a server of go-sdk whose login is at another host.
func TestAnotherVendorsLoginWorks(t *testing.T) {
	g := newRig(t, nil)
	mux := http.NewServeMux()
	url := serve(t, mux)
	verify := func(_ context.Context, token string, _ *http.Request) (*auth.TokenInfo, error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		if !g.live[token] {
			return nil, auth.ErrInvalidToken
		}
		return &auth.TokenInfo{Expiration: time.Now().Add(time.Hour), UserID: "someone"}, nil
	}
	mux.Handle("/mcp", auth.RequireBearerToken(verify, &auth.RequireBearerTokenOptions{ResourceMetadataURL: url + resourcePath + "/mcp"})(sdkHandler(false)))
	mux.HandleFunc(resourcePath+"/mcp", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"resource":"`+url+`/mcp","authorization_servers":["`+g.url+`"]}`)
	})
	expectVerdict(t, &Doctor{}, url+"/mcp", Works, everyone+" can reach this server and start its login at "+strings.TrimPrefix(g.url, "http://")+".")
	expectVerdict(t, &Doctor{Login: approve}, url+"/mcp", Works, "This server works with "+everyone+".")
}

func TestAServerOfTheOldTransportIsNamed(t *testing.T) {
	s := sdkServer()
	for name, h := range map[string]http.Handler{
		"go-sdk": gosdk.NewSSEHandler(func(*http.Request) *gosdk.Server { return s }, nil), "mcp-go": mcpgo.NewSSEServer(mcpGoServer()),
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			mux.Handle("/sse", h)
			url := serve(t, mux)
			expectVerdict(t, &Doctor{}, url+"/sse", "sse-only", "This server speaks only the old HTTP+SSE transport (2024-11-05).")
			expectVerdict(t, &Doctor{}, url+"/mcp", "wrong-path", "There is no MCP server at "+url+"/mcp, but there is one at "+url+"/sse.")
		})
	}
}

// TestLoginWallsAreNamed: the answers are those of oauth2-proxy 7.15.2, with and without its first
// page, and of Cloudflare.
func TestLoginWallsAreNamed(t *testing.T) {
	json401 := func(w http.ResponseWriter, r *http.Request) bool {
		if ok := strings.Contains(r.Header.Get("Accept"), "application/json"); !ok {
			return false
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusUnauthorized)
		io.WriteString(w, "{}")
		return true
	}
	for name, c := range map[string]struct {
		text   string
		answer http.HandlerFunc
	}{
		"oauth2-proxy": {"oauth2-proxy asks for a login", func(w http.ResponseWriter, r *http.Request) {
			if !json401(w, r) {
				w.WriteHeader(http.StatusForbidden)
				io.WriteString(w, `<title>Sign In</title><form method="GET" action="/oauth2/start">`)
			}
		}},
		"oauth2-proxy without a page": {"oauth2-proxy asks for a login", func(w http.ResponseWriter, r *http.Request) {
			if !json401(w, r) {
				w.Header().Set("Set-Cookie", "_oauth2_proxy_csrf=x; Path=/; HttpOnly")
				http.Redirect(w, r, "https://login.example/authorize?client_id=x", http.StatusFound)
			}
		}},
		"Cloudflare Access": {"Cloudflare Access asks for a login", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://team.cloudflareaccess.com/cdn-cgi/access/login/mcp.example.com?kid=x", http.StatusFound)
		}},
		"Cloudflare's challenge": {"Cloudflare's bot check stops apps", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Cf-Mitigated", "challenge")
			w.WriteHeader(http.StatusForbidden)
		}},
		"a password": {"A password (HTTP Basic) stops apps", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Www-Authenticate", `Basic realm="x"`)
			w.WriteHeader(http.StatusUnauthorized)
		}},
		"another login": {"A login page answers instead", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/login?next=/mcp", http.StatusFound)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			r := expectVerdict(t, &Doctor{}, serve(t, c.answer)+"/mcp", "login-wall", c.text)
			if r.Verdict.Do.Key == "" || !r.Absent() {
				t.Errorf("got %+v, want what to do", r.Verdict)
			}
		})
	}
}

// TestAddressesOfTLSAreNamed: the server was called without TLS, or TLS ends before it.
func TestAddressesOfTLSAreNamed(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	defer s.Close()
	plain := strings.Replace(s.URL, "https", "http", 1)
	expectVerdict(t, &Doctor{}, plain+"/mcp", "https-only", strings.TrimPrefix(s.URL, "https://")+" is reached over https only: use "+s.URL+"/mcp.")
	expectVerdict(t, &Doctor{}, s.URL+"/mcp", "unreachable", "The certificate of ")

	g := newRig(t, nil)
	s.Config.Handler = g // whose documents say http
	at := strings.TrimPrefix(s.URL, "https://")
	g.url = "http://" + at
	expectVerdict(t, &Doctor{Transport: s.Client().Transport}, s.URL+"/mcp", "http-behind-https", "The server believes that its address is http://"+at+"/mcp. It does not know that apps reach it over https.")
}

// TestALoginWithoutRegistrationIsNamed: the login takes only apps that it knows.
func TestALoginWithoutRegistrationIsNamed(t *testing.T) {
	g := newRig(t, both(server("registration_endpoint", nil), server(cimdSupported, nil)))
	expectVerdict(t, &Doctor{}, g.url+"/mcp", "no-registration", "The login at ")
}

// TestASuspicionIsNoVerdict: the server answers a wrong token as it answers none, which many do, and a
// 401 without a challenge may be the server's own.
func TestASuspicionIsNoVerdict(t *testing.T) {
	g := newRig(t, challenged(`, error="invalid_token"`, ""))
	expectVerdict(t, &Doctor{}, g.url+"/mcp", Works, everyone+" can reach this server and start its login.")
	g = newRig(t, func(x *exchange) { x.w.Header().Del("WWW-Authenticate") })
	expectVerdict(t, &Doctor{}, g.url+"/mcp", "no-challenge", "The 401 has no WWW-Authenticate header")
}

// TestATokenThatNeverArrivesIsNamed: the server's own token is refused as if none had been sent.
func TestATokenThatNeverArrivesIsNamed(t *testing.T) {
	g := newRig(t, nil)
	blind := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Authorization")
		g.ServeHTTP(w, r)
	}))
	g.url = blind
	expectVerdict(t, &Doctor{Login: approve}, blind+"/mcp", "no-authorization", "A proxy removes Authorization from requests")
}

// TestAFirstCheckIsNamed: no cause explains it.
func TestAFirstCheckIsNamed(t *testing.T) {
	r := expectVerdict(t, &Doctor{}, newRig(t, server("code_challenge_methods_supported", []string{})).url+"/mcp", OneCheck, "ChatGPT, Claude cannot use this server. It fails at:")
	if r.Verdict.Check != "PKCE with S256 is advertised" || r.Usable() || r.Absent() {
		t.Errorf("got %+v", r.Verdict)
	}
}
