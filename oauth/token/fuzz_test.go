package token

import (
	"encoding/base64"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rialto/oauth"
	"rialto/oauth/internal/jwt"
)

// FuzzUpstreamOf finds the issuer that a token names, before anything of it is
// trusted: one that the operator listed, named in full, or none.
func FuzzUpstreamOf(f *testing.F) {
	encoded := base64.RawURLEncoding.EncodeToString
	for _, payload := range []string{
		`{"iss":"https://id.example"}`, `{"iss":"https://id.example/"}`, `{"iss":["https://id.example"]}`, `{"ISS":"https://id.example"}`,
		`{"iss":"https://evil.example","iss":"https://id.example"}`, `{"iss":null}`, `{}`, `[]`, "", `{"iss":"https:\/\/id.example","x":1e999}`,
	} {
		f.Add(encoded([]byte(`{"alg":"ES256"}`)) + "." + encoded([]byte(payload)) + ".AAAA")
	}
	f.Add("a.b.c")
	f.Add(strings.Repeat("A", jwt.MaxToken+1))
	s := &Upstreams{Trusted: []Upstream{{Issuer: Issuer{URL: "https://id.example"}}, {Issuer: Issuer{URL: "https://other.example"}}}}
	f.Fuzz(func(t *testing.T, token string) {
		u := s.of(token)
		if (&Upstreams{}).of(token) != nil {
			t.Errorf("%q has an issuer where none is listed", token)
		}
		if u == nil {
			return
		}
		parts := strings.Split(token, ".")
		if len(parts) != 3 || u != &s.Trusted[0] && u != &s.Trusted[1] {
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
		encoded := base64.RawURLEncoding.EncodeToString
		token, ok := jwt.Parse(encoded([]byte(head)) + "." + encoded([]byte(payload)) + ".AA")
		if !ok {
			return
		}
		h, why := externalHeader(token, is.SigningAlgorithms())
		if why == "" && (h.Algorithm == "none" || strings.HasPrefix(h.Algorithm, "HS")) {
			t.Errorf("%s passes", head)
		}
		var c externalClaims
		if token.Claims(&c) != nil || checkExternal(&c, is, now) != "" {
			return
		}
		if c.Issuer != is.URL || c.Subject == "" || c.Expires <= now.Unix() {
			t.Errorf("%s passes", payload)
		}
		for _, word := range oauth.ParseScope(c.Scope) {
			if useCase := oauth.UseCase(word); useCase != "" && useCase != "*" && !oauth.IsUseCase(useCase) {
				t.Errorf("got the use case %q of %s", useCase, payload)
			}
		}
	})
}
