package oauth

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rialto/internal/guardhttp"
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
		a, err := parseRedirect(registered)
		if err != nil {
			return
		}
		if strings.ContainsAny(registered, "#\\ \r\n\x00") || a.u.User != nil || !utf8.ValidString(registered) {
			t.Errorf("accepted %q", registered)
		}
		if (a.u.Scheme == "http" || a.u.Scheme == "https") && authority(registered) != a.u.Host {
			t.Errorf("%q: two readings of the authority: %q and %q", registered, authority(registered), a.u.Host)
		}
		answer, err := url.Parse(a.with(param{"code", "c&d"}, param{"iss", "https://rialto.example"}))
		if err != nil || answer.Host != a.u.Host || answer.Scheme != a.u.Scheme || !strings.HasSuffix(answer.RawQuery, "code=c%26d&iss=https%3A%2F%2Frialto.example") {
			t.Errorf("%q: the answer goes to %s", registered, answer)
		}
		b, err := parseRedirect(requested)
		if err != nil || !a.matches(b) || registered == requested {
			return
		}
		if !a.loopback() || a.u.Hostname() != b.u.Hostname() || a.u.EscapedPath() != b.u.EscapedPath() || a.u.RawQuery != b.u.RawQuery {
			t.Errorf("%q matches %q", registered, requested)
		}
	})
}

// FuzzScope checks that a scope parameter survives being written and read.
func FuzzScope(f *testing.F) {
	for _, seed := range []string{"", "a b", " a  a\tb ", "a\u00a0b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		set := parseScope(s)
		again := parseScope(set.String())
		if slices.ContainsFunc(set, func(word string) bool { return !again.Has(word) }) || len(again) != len(set) {
			t.Errorf("%q: got %q, then %q", s, set, again)
		}
		for _, word := range set {
			if word == "" || strings.Contains(word, " ") {
				t.Errorf("%q has the scope %q", s, word)
			}
		}
	})
}

// FuzzBasic checks that nothing but a whole header is read as credentials.
func FuzzBasic(f *testing.F) {
	for _, seed := range []string{"Basic QTpC", "basic QTpC", "Basic", "Basic QUI=", "Basic %%", "Bearer x", "Basic JTAwOkI="} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, header string) {
		cred, err := readCredentials([]string{header}, form{})
		if err != nil {
			return
		}
		if cred.method != authBasic || !isText(cred.id) || !isText(cred.secret) || !strings.EqualFold(header[:5], "Basic") {
			t.Errorf("%q was read as %+v", header, cred)
		}
	})
}

// FuzzToken checks that a token has one spelling only.
func FuzzToken(f *testing.F) {
	for _, seed := range []string{"AA.AA.AA", "..", "AA.AA", "AA==.AA.AA", "AB.AA.AA", "A\nA.AA.AA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, token string) {
		parts, ok := splitToken(token)
		if !ok {
			return
		}
		b64 := base64.RawURLEncoding.EncodeToString
		if got := b64(parts[0]) + "." + b64(parts[1]) + "." + b64(parts[2]); got != token {
			t.Errorf("%q reads like %q", token, got)
		}
	})
}

// FuzzForm checks that what passes is well formed, each parameter once.
func FuzzForm(f *testing.F) {
	for _, seed := range []string{"a=1&b=2", "a=1&a=2", "a=&a=", "a=%00", "a;b", "%zz", "resource=a&resource=b"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := parseForm(raw, "resource")
		if err != nil {
			return
		}
		for name, values := range got {
			if len(values) > 1 && name != "resource" {
				t.Errorf("%q: %s is there %d times", raw, name, len(values))
			}
			for _, v := range values {
				if !isText(v) || v == "" {
					t.Errorf("%q: %s is %q", raw, name, v)
				}
			}
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
		c, err := (&Server{}).parseRegistration(body)
		if err != nil {
			return
		}
		if c.Name == "" || utf8.RuneCountInString(c.Name) > maxNameLength+1 && !strings.Contains(c.Name, ".") || !isText(c.Name) {
			t.Errorf("%q: the name is %q", body, c.Name)
		}
		if len(c.RedirectURIs) == 0 || !c.may(grantCode) || c.URI != "" && !strings.HasPrefix(c.URI, "https://") {
			t.Errorf("%q: got %+v", body, c)
		}
		for _, raw := range c.RedirectURIs {
			if uri, err := parseRedirect(raw); err != nil || !uri.registrable([]string{"cursor"}) {
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
		c, err := (&Server{Fetch: &guardhttp.Client{}}).parseDocument(id, body)
		if err != nil {
			return
		}
		if c.ID != id || c.Name == "" || len(c.RedirectURIs) == 0 || !c.documented {
			t.Errorf("got %+v of %q", c, body)
		}
		for _, method := range append(c.otherMethods, c.AuthMethod) {
			if method != authNone && method != authKey || method == authKey && c.Keys == "" && c.KeysURI == "" {
				t.Errorf("got method %s of %q", method, body)
			}
		}
	})
}

func FuzzKeys(f *testing.F) {
	for _, seed := range []string{
		`{"keys":[]}`, `{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}`,
		`{"keys":[{"kty":"oct","k":"x"}]}`, `{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"}]}`, `{"keys":[{"kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}]}`, `{"keys":[1]}`, `{}`, `null`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		keys, err := parseKeys(body, maxClientKeys)
		if err != nil {
			return
		}
		for _, key := range keys {
			if !key.IsPublic() || len(algsOf(key)) == 0 {
				t.Errorf("got a key that is private or weak of %q", body)
			}
		}
	})
}

func FuzzAssertion(f *testing.F) {
	f.Add("eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJ4Iiwic3ViIjoieCIsImF1ZCI6WyJ5Il19.eA")
	f.Add("eyJhbGciOiJub25lIn0.e30.")
	f.Add("a.b.c")
	f.Fuzz(func(t *testing.T, assertion string) {
		s := &Server{}
		if _, err := s.assertionPayload(t.Context(), &Client{ID: "x", Keys: `{"keys":[]}`}, assertion); err == nil {
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
		s := &Server{Fetch: &guardhttp.Client{}}
		if !s.isDocumentID(id) {
			return
		}
		body, err := pinnedDocument(id)
		if err != nil || body == nil {
			return
		}
		if c, err := s.parseDocument(id, body); err != nil || c.ID != id {
			t.Errorf("the pinned document of %q: %v", id, err)
		}
	})
}

// FuzzForeignToken feeds what people paste to the parser of access tokens of
// other issuers, up to the signature.
func FuzzForeignToken(f *testing.F) {
	for _, seed := range []string{
		`{"alg":"ES256","typ":"at+jwt"}|{"iss":"https://id.example","sub":"1","aud":"a","scope":"mcp:tools:x","exp":4000000000}`,
		`{"alg":"none"}|{}`, `{"alg":"ES256","typ":"JWT","crit":[]}|[]`, `|`, `{"alg":"ES256","alg":"none"}|{"aud":["a"],"aud":"b"}`,
		`{"alg":"RS256","typ":"JWT"}|{"iss":"https://id.example","sub":"1","aud":["a","b"],"exp":1e308,"nonce":null}`,
	} {
		f.Add(seed)
	}
	is := &Issuer{URL: "https://id.example", Audiences: []string{"a"}}
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, both string) {
		head, payload, _ := strings.Cut(both, "|")
		h, why := foreignHeader([]byte(head), is.algorithms())
		if why == "" && (h.Algorithm == "none" || strings.HasPrefix(h.Algorithm, "HS")) {
			t.Errorf("%s passes", head)
		}
		var c foreignClaims
		if json.Unmarshal([]byte(payload), &c) != nil || checkForeign(&c, is, now) != "" {
			return
		}
		if c.Issuer != is.URL || c.Subject == "" || c.Expires <= now.Unix() {
			t.Errorf("%s passes", payload)
		}
		for _, useCase := range namedUseCases(parseScope(c.Scope)) {
			if useCase != "*" && !isUseCase(useCase) {
				t.Errorf("got the use case %q of %s", useCase, payload)
			}
		}
	})
}

// FuzzUpstreamOf finds the issuer that a token names, before anything of it is
// believed: one that the operator listed, named in full, or none.
func FuzzUpstreamOf(f *testing.F) {
	encoded := base64.RawURLEncoding.EncodeToString
	for _, payload := range []string{
		`{"iss":"https://id.example"}`, `{"iss":"https://id.example/"}`, `{"iss":["https://id.example"]}`, `{"ISS":"https://id.example"}`,
		`{"iss":"https://evil.example","iss":"https://id.example"}`, `{"iss":null}`, `{}`, `[]`, "", `{"iss":"https:\/\/id.example","x":1e999}`,
	} {
		f.Add(encoded([]byte(`{"alg":"ES256"}`)) + "." + encoded([]byte(payload)) + ".AAAA")
	}
	f.Add("a.b.c")
	f.Add(strings.Repeat("A", maxToken+1))
	s := &Server{Upstreams: []Upstream{{Issuer: Issuer{URL: "https://id.example"}}, {Issuer: Issuer{URL: "https://other.example"}}}}
	f.Fuzz(func(t *testing.T, token string) {
		u := s.upstreamOf(token)
		if (&Server{}).upstreamOf(token) != nil {
			t.Errorf("%q has an issuer where none is listed", token)
		}
		if u == nil {
			return
		}
		parts := strings.Split(token, ".")
		if len(parts) != 3 || u != &s.Upstreams[0] && u != &s.Upstreams[1] {
			t.Fatalf("%q names %v", token, u)
		}
		payload, err := base64.RawURLEncoding.Strict().DecodeString(parts[1])
		var claims map[string]jsontext.Value
		var iss string
		if err != nil || json.Unmarshal(payload, &claims) != nil || json.Unmarshal(claims["iss"], &iss) != nil || iss != u.Issuer.URL {
			t.Errorf("%q was taken for one of %s", payload, u.Issuer.URL)
		}
	})
}

// FuzzPerson decides about claims of every shape.
func FuzzPerson(f *testing.F) {
	for _, seed := range []string{
		`{"sub":"1","preferred_username":"ada","email":"a@corp.example","email_verified":true,"groups":["x"]}`,
		`{"sub":1,"groups":{"x":[]},"email":"@corp.example"}`, `{}`, `{"a":{"b":{"c":["x"]}},"a.b.c":"y"}`, `{"sub":"1","usecases":"* a"}`,
	} {
		f.Add(seed, "a.b.c")
	}
	f.Fuzz(func(t *testing.T, raw, path string) {
		var claims map[string]any
		if json.Unmarshal([]byte(raw), &claims) != nil {
			return
		}
		p := &Provider{ID: "corp", Allow: Rule{path, []string{"x"}}, Domains: []string{"corp.example"}, UseCases: path}
		a, err := p.person(claims)
		if err != nil {
			return
		}
		if !strings.HasPrefix(a.Name, "corp:") || a.Admin || claims["email_verified"] != true {
			t.Errorf("%s gives %+v", raw, a)
		}
	})
}
