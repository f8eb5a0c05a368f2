package authserver_test

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/golang-jwt/jwt/v5"

	"rialto/oauth/authserver"
	"rialto/oauth/token"
)

func with(algorithm string) func(*setup) {
	return func(s *setup) {
		s.Algorithm, s.TokenSecret = algorithm, nil
		if algorithm == token.HS256 {
			s.TokenSecret = bytes.Repeat([]byte{9}, 32)
		}
	}
}

func TestEveryAlgorithmSignsTokensThatOthersVerify(t *testing.T) {
	for _, alg := range []string{"ES256", "RS256", "EdDSA", "HS256"} {
		t.Run(alg, func(t *testing.T) {
			r := newRig(t, with(alg))
			got := r.tokens(r.newClient("none"), nil)
			r.ok(r.call(got.str("access_token")))
			set := r.jwks()
			parsed, err := jwt.Parse(got.str("access_token"), func(tok *jwt.Token) (any, error) {
				if alg == "HS256" {
					return r.s.Keys.TokenSecret, nil
				}
				return set.Key(tok.Header["kid"].(string))[0].Key, nil
			}, jwt.WithValidMethods([]string{alg}), jwt.WithIssuer(r.url), jwt.WithAudience(r.s.Resource), jwt.WithTimeFunc(r.clock.Now))
			if err != nil {
				t.Fatal(err)
			}
			if parsed.Header["typ"] != "at+jwt" || parsed.Claims.(jwt.MapClaims)["scope"] != "mcp:tools" {
				t.Errorf("got %v %v", parsed.Header, parsed.Claims)
			}
			server := document(t, r.s, "/.well-known/oauth-authorization-server")["jwks_uri"]
			if want := map[bool]any{true: nil, false: r.url + "/jwks.json"}[alg == "HS256"]; server != want || (len(set.Keys) == 0) != (want == nil) {
				t.Errorf("got jwks_uri %v and %d keys, want %v", server, len(set.Keys), want)
			}
			r.ok(r.form("/revoke", params{"client_id": parsed.Claims.(jwt.MapClaims)["client_id"].(string), "token": got.str("access_token")}))
			refused(t, r.call(got.str("access_token")), 401, "invalid_token")
		})
	}
}

// replay makes a token again under another header, signed by what sign does.
func replay(t *testing.T, token string, header map[string]any, sign func(in string) []byte) string {
	t.Helper()
	parsed, _, err := jwt.NewParser().ParseUnverified(token, jwt.MapClaims{})
	if err != nil {
		t.Fatal(err)
	}
	in := input(text(changed(parsed.Header, header)), text(parsed.Claims.(jwt.MapClaims)))
	return in + "." + strings.TrimPrefix(input("", string(sign(in))), ".")
}

func hs256(secret []byte) func(string) []byte {
	return func(in string) []byte {
		tag, err := jwt.SigningMethodHS256.Sign(in, secret)
		if err != nil {
			panic(err)
		}
		return tag
	}
}

func TestF3AndF12NoAlgorithmIsTakenForAnother(t *testing.T) {
	type m = map[string]any
	_, stranger, _ := ed25519.GenerateKey(rand.Reader)
	weak, _ := rsa.GenerateKey(rand.Reader, 1024)
	none := func(string) []byte { return nil }
	for _, alg := range []string{"RS256", "EdDSA"} {
		r := newRig(t, with(alg))
		token := r.tokens(r.newClient("none"), nil).str("access_token")
		key := r.jwks().Keys[0]
		der, err := x509.MarshalPKIXPublicKey(key.Key)
		if err != nil {
			t.Fatal(err)
		}
		public, _ := key.MarshalJSON()
		for name, forged := range map[string]string{
			"the public key as a secret, DER":  replay(t, token, m{"alg": "HS256"}, hs256(der)),
			"the public key as a secret, PEM":  replay(t, token, m{"alg": "HS256"}, hs256(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))),
			"the public key as a secret, JWK":  replay(t, token, m{"alg": "HS256"}, hs256(public)),
			"no key ID and an empty secret":    replay(t, token, m{"alg": "HS256", "kid": nil}, hs256(nil)),
			"none":                             replay(t, token, m{"alg": "none"}, none),
			"F12 the header names another":     replay(t, token, m{"alg": map[string]string{"RS256": "PS256", "EdDSA": "ES256"}[alg]}, func(string) []byte { return []byte(strings.Split(token, ".")[2]) }),
			"F13 a stranger's Ed25519 key":     replay(t, token, m{"alg": "EdDSA"}, func(in string) []byte { return ed25519.Sign(stranger, []byte(in)) }),
			"F14 a stranger's RSA key, 1024":   replay(t, token, m{"alg": "RS256"}, func(in string) []byte { s, _ := jwt.SigningMethodRS256.Sign(in, weak); return s }),
			"the signature is of another text": token[:strings.LastIndex(token, ".")+1] + strings.Repeat("A", 86),
		} {
			if a := r.call(forged); a.status != 401 {
				t.Errorf("%s: %s: got %d, want 401", alg, name, a.status)
			}
		}
	}
}

func TestF22SecretsAndKeysDoNotMix(t *testing.T) {
	r := newRig(t)
	signed := r.tokens(r.newClient("none"), nil).str("access_token")
	shared := r.replica(with("HS256"))
	made, _, err := shared.Tokens.Issue(t.Context(), user, []string{"mcp:tools"}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if got := status(shared, made); got != 200 {
		t.Fatalf("a token of the secret: got %d, want 200", got)
	}
	kid := r.jwks().Keys[0].KeyID
	for name, test := range map[string]struct {
		s     *authserver.Server
		token string
	}{
		"a token of the secret where keys sign":             {r.s, made},
		"with the key ID of a key":                          {r.s, replay(t, made, map[string]any{"kid": kid}, hs256(shared.Keys.TokenSecret))},
		"a token of a key where the secret counts":          {shared, signed},
		"a token of another secret":                         {shared, replay(t, made, nil, hs256(bytes.Repeat([]byte{8}, 32)))},
		"a token of no secret":                              {shared, replay(t, made, nil, hs256(nil))},
		"a token of the secret that names a key":            {shared, replay(t, made, map[string]any{"kid": kid}, hs256(shared.Keys.TokenSecret))},
		"a token of the secret that says HS512":             {shared, replay(t, made, map[string]any{"alg": "HS512"}, hs256(shared.Keys.TokenSecret))},
		"a token of the secret that is no access token":     {shared, replay(t, made, map[string]any{"typ": "JWT"}, hs256(shared.Keys.TokenSecret))},
		"a token without a signature where a secret counts": {shared, replay(t, made, map[string]any{"alg": "none"}, func(string) []byte { return nil })},
	} {
		if got := status(test.s, test.token); got != 401 {
			t.Errorf("%s: got %d, want 401", name, got)
		}
	}
}

func TestAnAlgorithmThatCannotBeIsNoticedAtStart(t *testing.T) {
	r := newRig(t)
	for name, change := range map[string]func(*setup){
		"unknown":              with("HS384"),
		"in other letter case": with("es256"),
		"none":                 with("none"),
		"a short secret":       func(s *setup) { s.Algorithm, s.TokenSecret = "HS256", bytes.Repeat([]byte{9}, 31) },
		"a secret for nothing": func(s *setup) { s.TokenSecret = bytes.Repeat([]byte{9}, 32) },
	} {
		if err := r.replica(change).Ready(t.Context()); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

func TestO1AnotherAlgorithmTakesOverWithoutA401(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	tokens := []string{r.tokens(c, nil).str("access_token")}
	for _, alg := range []string{"RS256", "EdDSA", "ES256"} {
		old, next := r.s, r.replica(with(alg))
		for range 2 { // a second time, and a replica of the old configuration, add nothing
			maintain(t, next)
			maintain(t, old)
		}
		keys, err := next.Keys.List(t.Context())
		if err != nil || keys[len(keys)-1].Algorithm != alg || !keys[len(keys)-1].Active.After(r.clock.Now()) {
			t.Fatalf("%s: got keys %+v, %v, want one that waits", alg, keys, err)
		}
		issue := func(s *authserver.Server) {
			t.Helper()
			token, _, err := s.Tokens.Issue(t.Context(), user, []string{"mcp:tools"}, 24*time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			tokens = append(tokens, token)
		}
		issue(next) // the old key signs until the new one is known everywhere
		if got := headerOf(t, tokens[len(tokens)-1]); got == alg {
			t.Errorf("%s signs before it was published for ten minutes", alg)
		}
		r.clock.advance(11 * time.Minute)
		issue(next)
		if got := headerOf(t, tokens[len(tokens)-1]); got != alg {
			t.Errorf("got %s, want %s by now", got, alg)
		}
		for _, s := range []*authserver.Server{old, next} {
			for i, token := range tokens {
				if got := status(s, token); got != 200 {
					t.Errorf("%s: token %d, %s: got %d, want 200", alg, i, headerOf(t, token), got)
				}
			}
		}
		r.s.Keys.Algorithm = alg
	}
}

func maintain(t *testing.T, s *authserver.Server) {
	t.Helper()
	if err := s.Maintain(context.Background()); err != nil {
		t.Fatal(err)
	}
}

func headerOf(t *testing.T, token string) string {
	t.Helper()
	signed, err := jose.ParseSignedCompact(token, []jose.SignatureAlgorithm{"ES256", "RS256", "EdDSA"})
	if err != nil {
		t.Fatal(err)
	}
	return signed.Signatures[0].Header.Algorithm
}
