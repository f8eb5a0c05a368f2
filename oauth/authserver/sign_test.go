package authserver_test

import (
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// TestWhatWeSignIsCheckedByOthersAndOpensNothing verifies a JWT of claims with
// another library, and then tries it as an access token.
func TestWhatWeSignIsCheckedByOthersAndOpensNothing(t *testing.T) {
	for _, alg := range []string{"ES256", "RS256", "EdDSA"} {
		t.Run(alg, func(t *testing.T) {
			r := newRig(t, with(alg))
			now := r.clock.Now().Unix()
			signed, err := r.s.Keys.Sign(t.Context(), map[string]any{"iss": r.url, "aud": r.s.Resource, "sub": "x", "scope": "mcp:tools", "iat": now, "exp": now + 300})
			if err != nil {
				t.Fatal(err)
			}
			set := r.jwks()
			parsed, err := jwt.Parse(signed, func(tok *jwt.Token) (any, error) {
				return set.Key(tok.Header["kid"].(string))[0].Key, nil
			}, jwt.WithValidMethods([]string{alg}), jwt.WithIssuer(r.url), jwt.WithTimeFunc(r.clock.Now))
			if err != nil || parsed.Header["typ"] != "JWT" {
				t.Errorf("got %v, %v, want a JWT", parsed, err)
			}
			refused(t, r.call(signed), 401, "invalid_token")
		})
	}
	if signed, err := newRig(t, with("HS256")).s.Keys.Sign(t.Context(), struct{}{}); err == nil {
		t.Errorf("got %s, which cannot be verified", signed)
	}
}
