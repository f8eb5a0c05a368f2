package client

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
)

// FuzzRedirect checks what must hold of every redirect URI that is accepted.
func FuzzRedirect(f *testing.F) {
	for _, seed := range []string{
		"https://app.example/cb", "http://127.0.0.1:9/cb?x=1", "http://[::1]/", "cursor://a/b", "https://a@b/", `https://a\@b/`,
		"https://a/%2e%2e/b", "https://a#", "http://localhost:/", "https://a%2fb/", "javascript:alert(1)", "com.example.app:/cb",
	} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, registered, requested string) {
		a, err := ParseRedirect(registered)
		if err != nil {
			return
		}
		if strings.ContainsAny(registered, "#\\ \r\n\x00") || a.URL.User != nil || !utf8.ValidString(registered) {
			t.Errorf("accepted %q", registered)
		}
		if (a.URL.Scheme == "http" || a.URL.Scheme == "https") && authority(registered) != a.URL.Host {
			t.Errorf("%q: two readings of the authority: %q and %q", registered, authority(registered), a.URL.Host)
		}
		answer, err := url.Parse(a.With("code", "c&d", "iss", "https://rialto.example"))
		if err != nil || answer.Host != a.URL.Host || answer.Scheme != a.URL.Scheme || !strings.HasSuffix(answer.RawQuery, "code=c%26d&iss=https%3A%2F%2Frialto.example") {
			t.Errorf("%q: the answer goes to %s", registered, answer)
		}
		b, err := ParseRedirect(requested)
		if err != nil || !a.matches(b) || registered == requested {
			return
		}
		if !a.Loopback() || a.URL.Hostname() != b.URL.Hostname() || a.URL.EscapedPath() != b.URL.EscapedPath() || a.URL.RawQuery != b.URL.RawQuery {
			t.Errorf("%q matches %q", registered, requested)
		}
	})
}

// FuzzBasic checks that nothing but a whole header is read as credentials.
func FuzzBasic(f *testing.F) {
	for _, seed := range []string{"Basic QTpC", "basic QTpC", "Basic", "Basic QUI=", "Basic %%", "Bearer x", "Basic JTAwOkI="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		cred, err := readCredentials([]string{header}, endpoint.Form{})
		if err != nil {
			return
		}
		if cred.method != oauth.AuthBasic || !endpoint.IsText(cred.id) || !endpoint.IsText(cred.secret) || !strings.EqualFold(header[:5], "Basic") {
			t.Errorf("%q was read as %+v", header, cred)
		}
	})
}

// FuzzRegistration checks what must hold of every client that is admitted.
func FuzzRegistration(f *testing.F) {
	for _, seed := range []string{
		`{"redirect_uris":["https://app.example/cb"]}`, `{"redirect_uris":[]}`, `{"redirect_uris":["http://localhost/cb"],"client_name":"a\u202eb"}`,
		`{"redirect_uris":["https://a.example"],"grant_types":["x"],"jwks":{"keys":[{"d":1}]}}`, `[]`, `{"a":1,"a":2}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := (&Policy{Fetcher: &Fetcher{}, Env: unlimited()}).parseRegistration(body)
		if err != nil {
			return
		}
		if c.Name == "" || utf8.RuneCountInString(c.Name) > maxNameLength+1 && !strings.Contains(c.Name, ".") || !endpoint.IsText(c.Name) {
			t.Errorf("%q: the name is %q", body, c.Name)
		}
		if len(c.RedirectURIs) == 0 || !c.May(oauth.GrantAuthorizationCode) || c.URI != "" && !strings.HasPrefix(c.URI, "https://") {
			t.Errorf("%q: got %+v", body, c)
		}
		for _, raw := range c.RedirectURIs {
			if uri, err := ParseRedirect(raw); err != nil || !uri.registrable() {
				t.Errorf("%q: registered %q", body, raw)
			}
		}
	})
}

func FuzzDocument(f *testing.F) {
	const id = "https://app.example/client.json"
	for _, seed := range []string{
		`{"client_id":"` + id + `","redirect_uris":["https://app.example/cb"]}`,
		`{"client_id":"` + id + `","redirect_uris":["http://localhost/cb"],"token_endpoint_auth_methods_supported":["none","private_key_jwt"],"jwks_uri":"https://app.example/k"}`,
		`{"client_id":"` + id + `","client_secret":"x"}`, `{"client_id":7}`, `[]`, `null`, `{"a":1,"a":2}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, err := fetching().parse(id, body)
		if err != nil {
			return
		}
		if c.ID != id || c.Name == "" || len(c.RedirectURIs) == 0 || !c.Documented {
			t.Errorf("got %+v of %q", c, body)
		}
		for _, method := range append(c.OtherAuthMethods, c.AuthMethod) {
			if method != oauth.AuthNone && method != oauth.AuthPrivateKeyJWT || method == oauth.AuthPrivateKeyJWT && c.Keys == "" && c.KeysURI == "" {
				t.Errorf("got method %s of %q", method, body)
			}
		}
	})
}

func FuzzAssertion(f *testing.F) {
	f.Add("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4Iiwic3ViIjoieCIsImF1ZCI6WyJ5Il19.eA")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, assertion string) {
		s := &Authenticator{}
		if _, err := s.checkSigned(httptest.NewRequest("POST", "/token", nil), &oauth.Client{ID: "x", Keys: `{"keys":[]}`}, assertion); err == nil {
			t.Errorf("%q was taken without any key", assertion)
		}
		assertedClient(assertion)
	})
}

func FuzzPinned(f *testing.F) {
	f.Add("https://claude.ai/oauth/mcp-oauth-client-metadata")
	f.Add("https://chatgpt.com/oauth/x/client.json")
	f.Add("https://chatgpt.com/oauth/{id}/client.json")
	f.Fuzz(func(t *testing.T, id string) {
		s := fetching()
		if !s.isID(id) {
			return
		}
		body, err := pinnedDocument(id)
		if err != nil || body == nil {
			return
		}
		if c, err := s.parse(id, body); err != nil || c.ID != id {
			t.Errorf("the pinned document of %q: %v", id, err)
		}
	})
}

// fetching returns documents that may be fetched.
func fetching() *Documents {
	f := &Fetcher{HTTP: &safehttp.Client{}}
	return &Documents{Fetcher: f, Policy: &Policy{Fetcher: f, Env: unlimited()}}
}

// unlimited returns an environment whose settings limit nothing.
func unlimited() *endpoint.Env { return &endpoint.Env{Settings: noSettings{}} }

type noSettings struct{ endpoint.Settings }

func (noSettings) RedirectPrefixes() []string { return nil }
