package authserver_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/internal/safehttp"
)

// vendor serves documents of clients.
type vendor struct {
	url     string
	fetched atomic.Int64

	mu     sync.Mutex
	status int
	header map[string]string
	body   string // "{id}" stands for the address of the document
}

func newVendor(t *testing.T) *vendor {
	v := &vendor{}
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v.fetched.Add(1)
		v.mu.Lock()
		defer v.mu.Unlock()
		for name, value := range v.header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(v.status)
		fmt.Fprint(w, strings.ReplaceAll(v.body, "{id}", v.url+r.URL.Path))
	}))
	t.Cleanup(ts.Close)
	v.url = ts.URL
	v.serve(200, goodDocument)
	return v
}

const goodDocument = `{"client_id":"{id}","client_name":"An app","redirect_uris":["` + callback + `","https://app.example/cb"],
	"grant_types":["authorization_code","refresh_token","urn:ietf:params:oauth:grant-type:device_code"],"token_endpoint_auth_method":"none"}`

// serve changes what is served; header holds names and values in turn.
func (v *vendor) serve(status int, body string, header ...string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.status, v.body, v.header = status, body, map[string]string{"Content-Type": "application/json"}
	for i := 0; i+1 < len(header); i += 2 {
		v.header[header[i]] = header[i+1]
	}
}

// client is the client whose document is at a path.
func (v *vendor) client(path string) client { return client{id: v.url + path, redirect: callback} }

// documented returns a rig that fetches documents from this computer.
func documented(t *testing.T) (*rig, *vendor) {
	return newRig(t, func(s *setup) { s.Fetch = &safehttp.Client{Loopback: true} }), newVendor(t)
}

func TestAClientComesInByItsDocument(t *testing.T) {
	r, v := documented(t)
	c := v.client("/client.json")
	got := r.tokens(c, nil)
	r.ok(r.call(got.str("access_token")))
	r.ok(r.form("/token", refreshForm(c, got.str("refresh_token"))))
	r.ok(r.form("/revoke", params{"client_id": c.id, "token": got.str("access_token")}))
	refused(t, r.call(got.str("access_token")), 401, "invalid_token")
	if n := v.fetched.Load(); n != 1 {
		t.Errorf("the document was fetched %d times, want once", n)
	}
	// RFC 9449 section 5.2
	v.serve(200, strings.Replace(goodDocument, "{", `{"dpop_bound_access_tokens":true,`, 1))
	bound := v.client("/bound.json")
	refused(t, r.form("/token", codeForm(bound, r.code(bound, nil))), 400, "invalid_dpop_proof")
	page := r.browser().Get(r.authorizeURL(c, nil))
	if text := page.Text(); page.Has("#unverified") || !strings.Contains(text, c.id) || !strings.Contains(text, "127.0.0.1:9") {
		t.Errorf("want the page to show the document's address and where the answer goes: %s", text)
	}
}

func TestDocumentsAreAdvertisedWhenTheyAreRead(t *testing.T) {
	r, _ := documented(t)
	doc := document(t, r.s, "/.well-known/oauth-authorization-server")
	if doc["client_id_metadata_document_supported"] != true || !strings.Contains(strings.Join(words(doc["token_endpoint_auth_methods_supported"]), " "), "none") {
		t.Errorf("got %v; Claude takes part only if both are there", doc)
	}
	off := newRig(t)
	v := newVendor(t)
	local(t, off.browser().Get(off.authorizeURL(v.client("/client.json"), nil)), 400)
	if v.fetched.Load() != 0 {
		t.Error("a document was fetched although documents are off")
	}
}

func TestI1AnIDThatIsNoPlainURLIsNotFetched(t *testing.T) {
	r, v := documented(t)
	for name, id := range map[string]string{
		"no path":           v.url,
		"an empty path":     v.url + "/",
		"a dot segment":     v.url + "/a/../client.json",
		"encoded dots":      v.url + "/a/%2e%2e/client.json",
		"a fragment":        v.url + "/client.json#x",
		"an empty fragment": v.url + "/client.json#",
		"a query":           v.url + "/client.json?x=1",
		"an empty query":    v.url + "/client.json?",
		"user information":  strings.Replace(v.url, "://", "://x@", 1) + "/client.json",
		"a backslash":       v.url + `\client.json`,
		"a space":           v.url + "/client.json ",
		"another scheme":    "ftp" + strings.TrimPrefix(v.url, "http") + "/client.json",
		"without end":       v.url + "/" + strings.Repeat("x", 600),
		"not ASCII":         v.url + "/clïent.json",
	} {
		p := r.browser().Get(r.authorizeURL(client{id: id, redirect: callback}, nil))
		if p.Status != 400 {
			t.Errorf("%s: got %d, want a page that refuses it", name, p.Status)
		}
	}
	strict := newRig(t, func(s *setup) { s.Fetch = &safehttp.Client{} })
	local(t, strict.browser().Get(strict.authorizeURL(v.client("/client.json"), nil)), 400) // http
	if n := v.fetched.Load(); n != 0 {
		t.Errorf("%d documents were fetched, want none", n)
	}
}

func TestI5AndI7ADocumentInsideTheNetworkIsNotFetched(t *testing.T) {
	r := newRig(t, func(s *setup) { s.Fetch = &safehttp.Client{} })
	for _, host := range []string{"127.0.0.1", "localhost", "10.0.0.1", "169.254.169.254", "[::1]", "[::ffff:127.0.0.1]", "[64:ff9b::7f00:1]", "0.0.0.0", "100.64.0.1", "8.8.8.8:22"} {
		p := r.browser().Get(r.authorizeURL(client{id: "https://" + host + "/client.json", redirect: callback}, nil))
		if p.Status != 503 {
			t.Errorf("%s: got %d, want a page that says that it cannot be fetched", host, p.Status)
		}
	}
	for _, host := range []string{"2130706433", "0x7f000001", "0177.0.0.1", "127.1"} {
		p := r.browser().Get(r.authorizeURL(client{id: "https://" + host + "/client.json", redirect: callback}, nil))
		if p.Status != 503 && p.Status != 400 {
			t.Errorf("%s: got %d, want a refusal", host, p.Status)
		}
	}
}

func TestI2ToI10ADocumentThatIsWrongIsRefused(t *testing.T) {
	r, v := documented(t)
	with := func(rest string) string {
		return `{"client_id":"{id}","redirect_uris":["` + callback + `"],` + rest + `}`
	}
	for name, test := range map[string]struct {
		status int
		body   string
		page   int
	}{
		"I2 another client_id":              {200, `{"client_id":"https://claude.ai/x","redirect_uris":["` + callback + `"]}`, 400},
		"I2 a slash more":                   {200, `{"client_id":"{id}/","redirect_uris":["` + callback + `"]}`, 400},
		"I2 no client_id":                   {200, `{"redirect_uris":["` + callback + `"]}`, 400},
		"I3 not there":                      {404, goodDocument, 503},
		"I3 another success":                {203, goodDocument, 503},
		"I3 a redirect":                     {302, goodDocument, 503},
		"I4 too large":                      {200, with(`"x":"` + strings.Repeat("x", 17<<10) + `"`), 503},
		"I9 a secret":                       {200, with(`"client_secret":"x"`), 400},
		"I9 a method with a secret":         {200, with(`"token_endpoint_auth_method":"client_secret_post"`), 400},
		"I9 a method that does not exist":   {200, with(`"token_endpoint_auth_methods_supported":["tls_client_auth"]`), 400},
		"I9 a private key":                  {200, with(`"jwks":{"keys":[{"kty":"EC","d":"x"}]}`), 400},
		"I10 another redirect URI":          {200, `{"client_id":"{id}","redirect_uris":["https://app.example/other"]}`, 400},
		"H2 no redirect URI":                {200, `{"client_id":"{id}"}`, 400},
		"H2 a redirect URI in plain http":   {200, `{"client_id":"{id}","redirect_uris":["http://evil.example/cb"]}`, 400},
		"H7 a name twice":                   {200, with(`"client_id":"{id}"`), 400},
		"H7 too deep":                       {200, with(`"x":` + strings.Repeat("[", 8000)), 400},
		"not JSON":                          {200, `<html>`, 400},
		"grants without authorization_code": {200, with(`"grant_types":["client_credentials"]`), 400},
	} {
		t.Run(name, func(t *testing.T) {
			v.serve(test.status, test.body, "Location", v.url+"/elsewhere")
			c := v.client("/" + strings.ReplaceAll(name, " ", "-"))
			r.clock.advance(time.Minute) // past the limits
			p := r.browser().Get(r.authorizeURL(c, nil))
			if p.Status != test.page || p.Header.Get("Location") != "" {
				t.Errorf("got %d, want %d: %s", p.Status, test.page, p.Text())
			}
			if (test.page == 503) != (p.Header.Get("Retry-After") != "") {
				t.Errorf("got Retry-After %q with %d", p.Header.Get("Retry-After"), p.Status)
			}
			code := map[int]string{400: "invalid_client", 503: "temporarily_unavailable"}[test.page]
			if !strings.HasPrefix(name, "I10") {
				refused(t, r.form("/token", codeForm(c, "rialto_code_x")), map[int]int{400: 401, 503: 503}[test.page], code)
			}
			v.serve(200, goodDocument) // I11: what was wrong is not kept
			r.clock.advance(time.Hour + time.Minute)
			r.tokens(c, nil)
		})
	}
	t.Run("I3 HTML with a document in it", func(t *testing.T) {
		v.serve(200, goodDocument, "Content-Type", "text/html")
		if p := r.browser().Get(r.authorizeURL(v.client("/html"), nil)); p.Status != 503 {
			t.Errorf("got %d, want 503", p.Status)
		}
	})
}

func TestTheMethodIsOneThatBothSidesKnow(t *testing.T) {
	r, v := documented(t)
	for name, methods := range map[string]string{
		"nothing is said":              ``,
		"none in the singular":         `,"token_endpoint_auth_method":"none"`,
		"none among others":            `,"token_endpoint_auth_method":"private_key_jwt","token_endpoint_auth_methods_supported":["none","private_key_jwt"],"jwks_uri":"https://app.example/jwks.json"`,
		"an unknown one in the single": `,"token_endpoint_auth_method":"x","token_endpoint_auth_methods_supported":["none"]`,
	} {
		v.serve(200, `{"client_id":"{id}","redirect_uris":["`+callback+`"]`+methods+`}`)
		c := v.client("/" + strings.ReplaceAll(name, " ", "-"))
		if got := r.tokens(c, nil); got.status != 200 {
			t.Errorf("%s: got %d %s", name, got.status, got.body)
		}
		refused(t, r.form("/token", codeForm(c, "rialto_code_x").with(params{"client_secret": "x"})), 401, "invalid_client")
	}
}

func TestI11ADocumentIsKeptAsLongAsItsServerSaysWithinLimits(t *testing.T) {
	for caching, fresh := range map[string]time.Duration{
		"":                             time.Hour,
		"max-age=0":                    5 * time.Minute,
		"no-store":                     5 * time.Minute,
		"public, max-age=7200":         2 * time.Hour,
		"max-age=999999999":            24 * time.Hour,
		"max-age=99999999999999999999": time.Hour,
	} {
		r, v := documented(t)
		v.serve(200, goodDocument, "Cache-Control", caching)
		c := v.client("/client.json")
		r.browser().Get(r.authorizeURL(c, nil))
		r.clock.advance(fresh - time.Second)
		r.browser().Get(r.authorizeURL(c, nil))
		if n := v.fetched.Load(); n != 1 {
			t.Errorf("%q: fetched %d times within %s", caching, n, fresh)
		}
		r.clock.advance(time.Second)
		r.browser().Get(r.authorizeURL(c, nil))
		if n := v.fetched.Load(); n != 2 {
			t.Errorf("%q: fetched %d times after %s, want twice", caching, n, fresh)
		}
	}
}

func TestI12AChangedDocumentCountsAtOnce(t *testing.T) {
	r, v := documented(t)
	c := v.client("/client.json")
	b := r.browser()
	page := b.Get(r.authorizeURL(c, nil))
	v.serve(200, `{"client_id":"{id}","redirect_uris":["https://app.example/cb"]}`)
	r.clock.advance(time.Hour)
	local(t, r.browser().Get(r.authorizeURL(c, nil)), 400)
	r.clock.advance(-time.Hour + time.Minute) // the page has not expired; the document is not what it was
	local(t, b.Submit(page, map[string]string{"username": user, "password": password, "decision": "approve"}), 400)
}

func TestI13ManyWhoComeAtOnceShareAFetch(t *testing.T) {
	r, v := documented(t)
	var wg sync.WaitGroup
	for range 100 {
		wg.Go(func() {
			if a := r.do(r.request("GET", strings.TrimPrefix(r.authorizeURL(v.client("/client.json"), nil), r.url), "", "")); a.status != 200 {
				t.Errorf("got %d, want the page", a.status)
			}
		})
	}
	wg.Wait()
	if n := v.fetched.Load(); n > 10 {
		t.Errorf("fetched %d times for 100 who came at once", n)
	}
}

func TestI14DocumentsWithoutEndAreLimited(t *testing.T) {
	r, v := documented(t)
	limited := 0
	for i := range 30 {
		if r.browser().Get(r.authorizeURL(v.client(fmt.Sprintf("/%d.json", i)), nil)).Status == 503 {
			limited++
		}
	}
	if n := v.fetched.Load(); n > 10 || limited != 30-int(n) {
		t.Errorf("fetched %d documents for one network, %d were refused; want 10 fetched", n, limited)
	}
}

func TestI16AnOutageOfTheVendorLocksNobodyOut(t *testing.T) {
	r, v := documented(t)
	c := v.client("/client.json")
	r.tokens(c, nil)
	v.serve(403, "<html>challenge</html>", "Content-Type", "text/html")
	r.clock.advance(6 * 24 * time.Hour)
	r.tokens(c, nil)
	before := v.fetched.Load()
	r.tokens(c, nil)
	if n := v.fetched.Load() - before; n != 0 {
		t.Errorf("asked %d times more within a minute of a failure", n)
	}
	r.clock.advance(2 * 24 * time.Hour)
	p := r.browser().Get(r.authorizeURL(c, nil))
	if p.Status != 503 || p.Header.Get("Retry-After") == "" {
		t.Errorf("after a week: got %d, want 503 with Retry-After", p.Status)
	}
	v.serve(200, goodDocument)
	r.clock.advance(time.Minute)
	r.tokens(c, nil)
}

func TestThePinnedDocumentsLetTheVendorsInWithoutANetwork(t *testing.T) {
	r := newRig(t, func(s *setup) { s.Fetch = &safehttp.Client{Timeout: time.Nanosecond} })
	for id, redirect := range map[string]string{
		"https://claude.ai/oauth/mcp-oauth-client-metadata":   "https://claude.ai/api/mcp/auth_callback",
		"https://claude.ai/oauth/claude-code-client-metadata": "http://localhost:51234/callback",
		"https://chatgpt.com/oauth/client.json":               "https://chatgpt.com/connector_platform_oauth_redirect",
		"https://chatgpt.com/oauth/abc-123/client.json":       "https://chatgpt.com/connector/oauth/abc-123",
		"https://chatgpt.com/oauth/codex/client.json":         "http://127.0.0.1:51234/callback",
		"https://chatgpt.com/oauth/codex/abc/client.json":     "http://127.0.0.1:51234/callback/abc",
		"https://grok.com/oauth/mcp-client.json":              "https://grok.com/connectors-oauth-exchange-code/",
		"https://vscode.dev/oauth/client-metadata.json":       "http://127.0.0.1:33418/",
		"https://opencode.ai/oauth/opencode/client.json":      "http://127.0.0.1:51234/callback",
	} {
		c := client{id: id, redirect: redirect}
		got := r.tokens(c, nil)
		r.ok(r.form("/token", refreshForm(c, got.str("refresh_token"))))
		if p := r.browser().Get(r.authorizeURL(c, nil)); p.Has("#lookalike") {
			t.Errorf("%s: the vendor is taken for an impostor", id)
		}
		local(t, r.browser().Get(r.authorizeURL(client{id: id, redirect: "https://evil.example/cb"}, nil)), 400)
	}
	for _, id := range []string{
		"https://chatgpt.com/oauth//client.json",
		"https://chatgpt.com/oauth/a%2fb/client.json",
		"https://chatgpt.com/oauth/codex/a/b/client.json",
		"https://chatgpt.com.evil.example/oauth/client.json",
	} {
		if p := r.browser().Get(r.authorizeURL(client{id: id, redirect: "https://chatgpt.com/connector/oauth/x"}, nil)); p.Status != 503 {
			t.Errorf("%s: got %d, want no pinned document", id, p.Status)
		}
	}
}

func TestJ9AForeignDocumentWithAVendorsNameIsWarnedOf(t *testing.T) {
	r, v := documented(t)
	v.serve(200, strings.Replace(goodDocument, "An app", "Claude Code", 1))
	if p := r.browser().Get(r.authorizeURL(v.client("/client.json"), nil)); !p.Has("#lookalike") {
		t.Error("a document of another host bears the vendor's name without a warning")
	}
}
