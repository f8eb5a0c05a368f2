package doctor

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// fault is what is wrong with a server, the step that must say so, and a
// client that it must name.
type fault struct {
	name   string
	step   string
	client Client // "" where none is known to break
	spoil  func(*exchange)
}

func TestFaultsAreFound(t *testing.T) {
	for _, f := range slices.Concat(resourceFaults(), serverFaults(), flowFaults(), mcpFaults(), extensionFaults()) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.found(t, newRig(t, f.spoil).examine(t))
		})
	}
}

func (f *fault) found(t *testing.T, r *Report) {
	t.Helper()
	i := slices.IndexFunc(r.Results, func(s Result) bool { return s.ID == f.step })
	if i < 0 || r.Results[i].Status != Failed {
		t.Fatalf("%s did not fail; failed have %v", f.step, failures(r))
	}
	s := r.Results[i]
	if s.Expected == "" || s.Got == "" || s.Fix == "" {
		t.Errorf("%s does not explain itself: %+v", f.step, s)
	}
	if f.client == "" && len(s.Breaks) > 0 || f.client != "" && !slices.Contains(s.Breaks, f.client) {
		t.Errorf("%s: got clients %v, want %q", f.step, s.Breaks, f.client)
	}
}

// The parts of which faults are made.

func status(pattern string, code int) func(*exchange) {
	return func(x *exchange) {
		if x.at(pattern) {
			x.w.Code = code
		}
	}
}

func header(pattern, name, value string) func(*exchange) {
	return func(x *exchange) {
		if x.at(pattern) {
			x.w.Header().Set(name, value)
		}
	}
}

func page(pattern string) func(*exchange) {
	return func(x *exchange) {
		if x.at(pattern) {
			x.answer(x.w.Code, "text/html", "<h1>Sorry</h1>")
		}
	}
}

func moved(pattern string) func(*exchange) {
	return func(x *exchange) {
		if x.at(pattern) {
			x.w.Header().Set("Location", "https://www.example.com/")
			x.w.Code = http.StatusTemporaryRedirect
		}
	}
}

// member sets a member of a JSON answer; nil takes it out.
func member(pattern, name string, value any) func(*exchange) {
	return func(x *exchange) {
		if x.at(pattern) {
			x.edit(func(m map[string]any) {
				if m[name] = value; value == nil {
					delete(m, name)
				}
			})
		}
	}
}

// server sets a member of the authorization server's metadata at all places.
func server(name string, value any) func(*exchange) {
	return both(member("GET /.well-known/oauth-authorization-server", name, value), member("GET /.well-known/openid-configuration", name, value))
}

// resource sets a member of the resource's metadata at both places.
func resource(name string, value any) func(*exchange) {
	return both(member("GET "+resourcePath, name, value), member("GET "+resourcePath+"/mcp", name, value))
}

func both(fs ...func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		for _, f := range fs {
			f(x)
		}
	}
}

// when limits a fault to requests that say a text.
func when(text string, f func(*exchange)) func(*exchange) {
	return func(x *exchange) {
		if x.says(text) {
			f(x)
		}
	}
}

// challenged changes the challenge.
func challenged(old, new string) func(*exchange) {
	return func(x *exchange) {
		if c := x.w.Header().Get("WWW-Authenticate"); c != "" {
			x.w.Header().Set("WWW-Authenticate", strings.Replace(c, old, new, 1))
		}
	}
}

func resourceFaults() []fault {
	at := "GET " + resourcePath
	return []fault{
		{"the endpoint redirects", "redirect-mcp", Claude, moved("POST /mcp")},
		{"the endpoint with a slash redirects", "redirect-slash", Inspector, moved("POST /mcp/")},
		{"no token is answered 403", "post-401", ChatGPT, when("initialize", func(x *exchange) {
			if x.w.Code == 401 {
				x.w.Code = 403
			}
		})},
		{"no token is answered with a result", "post-401", VSCode, func(x *exchange) {
			if x.w.Code == 401 {
				x.result(map[string]any{"isError": true})
			}
		}},
		{"GET is 405 for strangers", "get-401", Codex, status("GET /mcp", 405)},
		{"DELETE is 405 for strangers", "delete-401", "", func(x *exchange) {
			if x.at("DELETE /mcp") && x.w.Code == 401 {
				x.w.Code = 405
			}
		}},
		{"the body is parsed before the token is looked at", "401-before-body", "", func(x *exchange) {
			if string(x.body) == "{" {
				x.w.Code = 400
			}
		}},
		{"the 401 has no challenge", "challenge", Claude, func(x *exchange) { x.w.Header().Del("WWW-Authenticate") }},
		{"the challenge is Basic", "challenge", ChatGPT, challenged("Bearer", "Basic")},
		{"resource_metadata is relative", "challenge", Codex, challenged("http://127.0.0.1", "")},
		{"the challenge names no scope", "challenge-scope", Codex, challenged(`, scope="tools"`, "")},
		{"a stranger is blamed", "challenge-error", "", challenged(`, scope`, `, error="invalid_token", scope`)},
		{"a bad token is not called bad", "bad-token-error", "", challenged(`, error="invalid_token"`, "")},
		{"a bad token is answered 500", "bad-token", ClaudeCode, func(x *exchange) {
			if strings.Contains(x.r.Header.Get("Authorization"), "no-token") {
				x.w.Code = 500
			}
		}},
		{"the challenge leads nowhere", "prm-challenge", ChatGPT, challenged(resourcePath, "/nowhere")},
		{"the metadata are only at the root", "prm-path", ClaudeCode, status(at+"/mcp", 404)},
		{"the metadata are only at the path", "prm-root", "", status(at, 404)},
		{"the resource is the origin", "prm-resource", Claude, resource("resource", "https://example.com")},
		{"the resource has a slash more", "prm-resource", ClaudeCode, func(x *exchange) {
			x.edit(func(m map[string]any) {
				if s, ok := m["resource"].(string); ok {
					m["resource"] = s + "/"
				}
			})
		}},
		{"no authorization server is named", "prm-servers", Claude, resource("authorization_servers", []string{})},
		{"the resource offers offline_access", "prm-offline", "", resource("scopes_supported", []string{"tools", offline})},
		{"the challenge asks for a scope that is not listed", "prm-scopes", Claude, challenged(`"tools"`, `"tools admin"`)},
		{"the metadata redirect", "prm-redirect", Claude, moved(at + "/mcp")},
		{"the metadata are a page", "prm-path", Codex, page(at + "/mcp")},
	}
}

func serverFaults() []fault {
	return []fault{
		{"there are no metadata of the server", "as-metadata", Inspector, both(
			status("GET /.well-known/oauth-authorization-server", 404), status("GET /.well-known/openid-configuration", 404))},
		{"OpenID Connect's address answers with the web app", "as-variants", ChatGPT, page("GET /.well-known/openid-configuration")},
		{"OpenID Connect's address names another issuer", "as-variants", Claude, member("GET /.well-known/openid-configuration", "issuer", "https://example.com")},
		{"only OpenID Connect's metadata are served", "as-root", "", status("GET /.well-known/oauth-authorization-server", 404)},
		{"the issuer has a slash more", "as-issuer", Codex, func(x *exchange) {
			x.edit(func(m map[string]any) {
				if s, ok := m["issuer"].(string); ok {
					m["issuer"] = s + "/"
				}
			})
		}},
		{"the token endpoint is relative", "as-absolute", Claude, server("token_endpoint", "/token")},
		{"an endpoint is on another origin", "as-origin", "", server("revocation_endpoint", "https://example.com/revoke")},
		{"the endpoints have paths of their own only", "as-paths", Claude, both(server("registration_endpoint", "http://127.0.0.1/clients"), status("GET /register", 404))},
		{"PKCE is not advertised", "as-s256", ChatGPT, server("code_challenge_methods_supported", nil)},
		{"plain is advertised", "as-plain", "", server("code_challenge_methods_supported", []string{"S256", "plain"})},
		{"iss is not advertised", "as-iss", "", server(issSupported, nil)},
		{"the code flow is not listed", "as-code", "", server("response_types_supported", nil)},
		{"refresh tokens are not listed", "as-refresh", ClaudeCode, server("grant_types_supported", []string{"authorization_code"})},
		{"public clients are not listed", "as-none", Codex, server("token_endpoint_auth_methods_supported", nil)},
		{"client metadata documents come without none", "as-cimd", Claude, server("token_endpoint_auth_methods_supported", []string{"client_secret_basic"})},
		{"there is no way to register", "as-registration", ChatGPT, both(server("registration_endpoint", nil), server(cimdSupported, nil))},
		{"there is no revocation", "as-revocation", "", server("revocation_endpoint", nil)},
		{"pages may not read the metadata", "cors-metadata", Inspector, header("GET /.well-known/oauth-authorization-server", "Access-Control-Allow-Origin", "")},
		{"a preflight of the token endpoint is 405", "cors-token", Inspector, status("OPTIONS /token", 405)},
		{"a preflight of the registration is 404", "cors-register", Inspector, status("OPTIONS /register", 404)},
		{"a preflight of the endpoint needs a token", "cors-mcp", Inspector, status("OPTIONS /mcp", 401)},
		{"a preflight allows everything but Authorization", "cors-mcp", Inspector, header("OPTIONS /mcp", "Access-Control-Allow-Headers", "*")},
		{"the challenge is hidden from pages", "cors-challenge", Inspector, func(x *exchange) { x.w.Header().Del("Access-Control-Expose-Headers") }},
	}
}

func flowFaults() []fault {
	revoked := when("refresh_token=refresh-", func(x *exchange) { x.refuse(400, "invalid_grant") })
	used := map[string]bool{}
	return []fault{
		{"registration needs a credential", "dcr", VSCode, both(server(cimdSupported, nil), func(x *exchange) {
			if x.at("POST /register") {
				x.refuse(401, "invalid_token")
			}
		})},
		{"registration answers 200", "dcr", Inspector, status("POST /register", 200)},
		{"registration gives a public client a secret", "dcr-answer", "", member("POST /register", "client_secret", "shh-shh")},
		{"registration knows only loopback", "dcr-hosted", ChatGPT, when("chatgpt.com", func(x *exchange) { x.refuse(400, "invalid_redirect_uri") })},
		{"registration refuses with a page", "dcr-error", "", when("javascript:", page("POST /register"))},
		{"the authorize page is JSON", "authorize-page", Claude, func(x *exchange) {
			if x.at("GET /authorize") && x.w.Code == 200 {
				x.json(200, map[string]any{})
			}
		}},
		{"the page may be framed", "authorize-frame", "", header("GET /authorize", "Content-Security-Policy", "default-src 'self'")},
		{"the page is stored", "authorize-no-store", "", header("GET /authorize", "Cache-Control", "private")},
		{"people are sent to unknown addresses", "authorize-redirect", "", when("rialto-doctor.invalid", moved("GET /authorize"))},
		{"an unknown client gets JSON", "authorize-client", ClaudeCode, func(x *exchange) {
			if x.at("GET /authorize") && x.w.Code == 400 {
				x.refuse(400, "invalid_client")
			}
		}},
		{"plain is accepted", "authorize-plain", "", when("plain", func(x *exchange) { x.answer(200, "text/html", "May it?") })},
		{"PKCE is not demanded", "authorize-pkce", "", func(x *exchange) {
			if x.at("GET /authorize") && !x.says("code_challenge") {
				x.answer(200, "text/html", "May it?")
			}
		}},
		{"errors go back without iss", "authorize-error", Codex, sentBack("error", "iss", "")},
		{"loopback ports are compared", "authorize-port", ClaudeCode, when("43118", func(x *exchange) { x.answer(400, "text/html", "No") })},
		{"the token endpoint redirects", "token-redirect", Claude, moved("POST /token")},
		{"the token endpoint refuses with a page", "token-code-error", Claude, when("no-code", page("POST /token"))},
		{"a bad refresh token is invalid_request", "token-refresh-error", Claude, when("no-token", member("POST /token", "error", "invalid_request"))},
		{"an unknown client is invalid_request", "token-client-error", Claude, func(x *exchange) {
			if x.at("POST /token") && x.w.Code == 401 {
				x.refuse(400, "invalid_request")
			}
		}},
		{"refusals are stored", "token-error-no-store", "", when("no-code", header("POST /token", "Cache-Control", "public"))},
		{"the person says no", "login", ChatGPT, sentBack("code", "code", "")},
		{"the answer has no iss", "login-state", Codex, sentBack("code", "iss", "")},
		{"the answer has another iss", "login-state", ChatGPT, sentBack("code", "iss", "https://example.com")},
		{"the state is changed", "login-state", VSCode, sentBack("code", "state", "other")},
		{"the token has another type", "token", Claude, member("POST /token", "token_type", "MAC")},
		{"the token does not say how long it lasts", "token-expires", Claude, member("POST /token", "expires_in", nil)},
		{"there is no refresh token", "token-refresh", ChatGPT, member("POST /token", "refresh_token", nil)},
		{"the token does not say its scope", "token-scope", "", member("POST /token", "scope", nil)},
		{"tokens are stored", "token-no-store", "", header("POST /token", "Cache-Control", "public")},
		{"refreshing fails", "refresh", Codex, revoked},
		{"refresh tokens are not rotated", "refresh", ChatGPT, when("refresh_token=refresh-", member("POST /token", "refresh_token", nil))},
		{"there is no grace", "refresh-grace", ClaudeCode, func(x *exchange) {
			f, _ := url.ParseQuery(string(x.body))
			if token := f.Get("refresh_token"); strings.HasPrefix(token, "refresh-") {
				if used[token] {
					x.refuse(400, "invalid_grant")
				}
				used[token] = true
			}
		}},
		{"the successor branches", "refresh-successor", "", branching()},
		{"public clients cannot revoke", "revoke", ClaudeCode, status("POST /revoke", 401)},
		{"a code works twice", "code-once", "", func(x *exchange) {
			if x.says("authorization_code") && !x.says("no-code") && x.w.Code == 400 {
				x.json(200, map[string]any{"access_token": "again"})
			}
		}},
	}
}

// sentBack changes a parameter of answers to the client that have another.
func sentBack(having, name, value string) func(*exchange) {
	return func(x *exchange) {
		to := parsed(x.w.Header().Get("Location"))
		q := to.Query()
		if !q.Has(having) {
			return
		}
		if q.Set(name, value); value == "" {
			q.Del(name)
		}
		if name == "code" {
			q.Set("error", "access_denied")
		}
		to.RawQuery = q.Encode()
		x.w.Header().Set("Location", to.String())
	}
}

// branching gives each use of a refresh token a successor of its own.
func branching() func(*exchange) {
	n := 0
	return when("refresh_token=refresh-", func(x *exchange) {
		x.edit(func(m map[string]any) {
			n++
			m["refresh_token"] = strings.Repeat("x", 20+n)
		})
	})
}

func mcpFaults() []fault {
	let := func(method string, f func(*exchange)) func(*exchange) {
		return when(`"method":"`+method+`"`, func(x *exchange) {
			if x.w.Code == 200 || x.w.Code == 202 || x.w.Code == 404 {
				f(x)
			}
		})
	}
	no := func(x *exchange) { x.fault(400, -32020, nil) }
	listed := func(ok func(*exchange) bool) func(*exchange) {
		return let("tools/list", func(x *exchange) {
			if ok(x) {
				no(x)
			}
		})
	}
	revision := func(x *exchange) string { return x.r.Header.Get("Mcp-Protocol-Version") }
	inSession := func(x *exchange) bool { return x.r.Header.Get("Mcp-Session-Id") != "" }
	return []fault{
		{"the current revision is not served", "mcp-discover", Claude, let("server/discover", func(x *exchange) { x.fault(404, -32601, nil) })},
		{"2025-06-18 is answered with another revision", "mcp-initialize-2025-06-18", Codex, let("initialize", func(x *exchange) {
			x.inResult(func(m map[string]any) { m["protocolVersion"] = rev202511 })
		})},
		{"initialize is gone", "mcp-initialize-2025-11-25", Inspector, let("initialize", func(x *exchange) { x.fault(404, -32601, nil) })},
		{"notifications are answered 200", "mcp-initialized", "", let("notifications/initialized", func(x *exchange) { x.w.Code = 200 })},
		{"sessions are lost at once", "mcp-session-list", Inspector, let("tools/list", func(x *exchange) {
			if inSession(x) {
				x.fault(404, -32001, nil)
			}
		})},
		{"GET answers with a page", "mcp-get", Codex, func(x *exchange) {
			if x.at("GET /mcp") && x.w.Code == 405 {
				x.answer(200, "text/html", "Hello")
			}
		}},
		{"a dead session is answered 400", "mcp-dead-session", "", func(x *exchange) {
			if strings.HasPrefix(x.r.Header.Get("Mcp-Session-Id"), "no-session") {
				x.w.Code = 400
			}
		}},
		{"foreign pages may call", "mcp-origin", "", func(x *exchange) {
			if x.w.Code == 403 {
				x.result(map[string]any{})
			}
		}},
		{"an unknown revision is served", "mcp-version", "", when("2099", func(x *exchange) { x.result(map[string]any{}) })},
		{"an unknown method is answered 200", "mcp-method", "", when("rialto/doctor", func(x *exchange) { x.w.Code = 200 })},
		{"a header older than the body is refused", "hybrid-older-header", Claude, listed(func(x *exchange) bool { return revision(x) == rev202511 && x.says(rev202607) })},
		{"client info without a revision is refused", "hybrid-meta", ChatGPT, listed(func(x *exchange) bool { return x.says("clientInfo") && !x.says(rev202607) })},
		{"a header newer than the session is refused", "hybrid-newer-header", Claude, listed(func(x *exchange) bool { return revision(x) == rev202607 && inSession(x) })},
		{"a request without a revision is refused", "hybrid-no-header", Claude, listed(func(x *exchange) bool { return revision(x) == "" })},
		{"a doubled header is refused", "hybrid-doubled", "", listed(func(x *exchange) bool { return strings.Contains(revision(x), ",") })},
		{"Accept: */* is refused", "accept-any", Claude, listed(func(x *exchange) bool { return x.r.Header.Get("Accept") == "*/*" })},
		{"there are no tools", "tools-list", VSCode, let("tools/list", func(x *exchange) { x.inResult(func(m map[string]any) { m["tools"] = []any{} }) })},
		{"a tool has no schema", "tools-schema", Codex, func(x *exchange) { x.inTools(func(m map[string]any) { delete(m, "inputSchema") }) }},
		{"a tool has no hints", "tools-hints", ChatGPT, func(x *exchange) {
			x.inTools(func(m map[string]any) { delete(m["annotations"].(map[string]any), "openWorldHint") })
		}},
		{"a tool has no title", "tools-hints", Claude, func(x *exchange) { x.inTools(func(m map[string]any) { delete(m, "title") }) }},
		{"the order changes", "tools-order", "", func(x *exchange) {
			if revision(x) == rev202511 {
				x.inResult(func(m map[string]any) {
					if tools, ok := m["tools"].([]any); ok {
						slices.Reverse(tools)
					}
				})
			}
		}},
		{"the list does not say how long it holds", "tools-cache", "", func(x *exchange) { x.inResult(func(m map[string]any) { delete(m, "ttlMs") }) }},
		{"calls fail", "call", ClaudeCode, let("tools/call", func(x *exchange) { x.fault(500, -32603, nil) })},
		{"wrong arguments are a protocol error", "call-input", "", let("tools/call", func(x *exchange) {
			if bytes.Contains(x.w.Body.Bytes(), []byte("isError")) {
				x.fault(200, -32602, nil)
			}
		})},
		{"search answers in two items", "search", ChatGPT, when(`"query"`, func(x *exchange) {
			x.inResult(func(m map[string]any) { m["content"] = append(m["content"].([]any), map[string]any{"type": "text"}) })
		})},
		{"search links to nothing that opens", "search", ChatGPT, func(x *exchange) {
			x.w.Body = bytes.NewBuffer(bytes.ReplaceAll(x.w.Body.Bytes(), []byte("https://example.com/1"), []byte("doc:1")))
		}},
		{"fetch has another structure than text", "fetch", ChatGPT, when(`"name":"fetch"`, func(x *exchange) {
			x.inResult(func(m map[string]any) { delete(m, "structuredContent") })
		})},
		{"sessions cannot be ended", "mcp-delete", "", func(x *exchange) {
			if x.at("DELETE /mcp") && x.w.Code == 204 {
				x.w.Code = 500
			}
		}},
		{"the A2A card names no interface", "a2a-card", "", func(x *exchange) {
			if x.at("GET " + cardPath) {
				x.json(200, map[string]any{"name": "rig"})
			}
		}},
		{"an interface of the A2A card is not there", "a2a-served", "", func(x *exchange) {
			if x.at("GET /a2a/tasks/rialto-doctor") {
				x.answer(404, "text/plain", "not here")
			}
		}},
		{"revoked tokens live on", "revoke-works", "", liveOn()},
	}
}

// liveOn answers to tokens that were revoked.
func liveOn() func(*exchange) {
	revoked := false
	return func(x *exchange) {
		revoked = revoked || x.at("POST /revoke")
		if revoked && x.at("POST /mcp") {
			x.result(map[string]any{})
		}
	}
}

func TestFaultsOfTheAddressAreFound(t *testing.T) {
	lookup := func(addrs ...string) Resolver {
		all := addresses{}
		for _, a := range addrs {
			all = append(all, netip.MustParseAddr(a))
		}
		return all
	}
	nobody := httptest.NewServer(nil)
	nobody.Close()
	secure := httptest.NewTLSServer(nil)
	t.Cleanup(secure.Close)
	for _, c := range []struct {
		fault
		url    string
		lookup Resolver
	}{
		{fault{name: "the URL is a path", step: "url", client: Codex}, "/mcp", nil},
		{fault{name: "the URL holds a password", step: "url", client: Claude}, "http://a:b@127.0.0.1:1/mcp", nil},
		{fault{name: "the URL has a fragment", step: "url", client: VSCode}, nobody.URL + "/mcp#tools", nil},
		{fault{name: "plain http in public", step: "https", client: ChatGPT}, "http://mcp.invalid/mcp", lookup("203.0.113.1")},
		{fault{name: "no address", step: "dns", client: Inspector}, "http://mcp.invalid/mcp", lookup()},
		{fault{name: "a private address", step: "public", client: Claude}, "http://mcp.invalid/mcp", lookup("10.0.0.1")},
		{fault{name: "IPv6 only", step: "ipv4", client: Claude}, "http://mcp.invalid/mcp", lookup("2001:db8::1")},
		{fault{name: "a certificate of no authority", step: "tls", client: ChatGPT}, secure.URL, nil},
		{fault{name: "nobody is there", step: "reach", client: Codex}, nobody.URL, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := &Doctor{Resolver: c.lookup}
			if c.lookup != nil { // names that must not be dialed
				d.Transport = http.NewFileTransport(http.Dir(t.TempDir()))
			}
			c.found(t, d.Examine(t.Context(), c.url))
		})
	}
}

// addresses are those of every name.
type addresses []netip.Addr

func (a addresses) LookupNetIP(context.Context, string, string) ([]netip.Addr, error) { return a, nil }
