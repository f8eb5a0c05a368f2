package authserver_test

import (
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"rialto/oauth/token"
)

const elsewhere = "https://as.example/token"

// vouched returns what a voucher says to a library that knows our key set.
func (r *rig) vouched(token string) (jwt.MapClaims, error) {
	parsed, err := jwt.Parse(token, func(tok *jwt.Token) (any, error) {
		keys := r.jwks()
		return keys.Key(tok.Header["kid"].(string))[0].Key, nil
	}, jwt.WithValidMethods([]string{"ES256"}), jwt.WithIssuer(r.url), jwt.WithAudience(elsewhere), jwt.WithTimeFunc(r.clock.Now))
	if err != nil {
		return nil, err
	}
	return parsed.Claims.(jwt.MapClaims), nil
}

func TestAVoucherSaysWhoTheUserIsAndOpensNothingHere(t *testing.T) {
	r := newRig(t)
	a, err := r.db.OAuth.Accounts.Account(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	token, err := r.s.Assertions.Issue(t.Context(), a.ID, elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	claims, err := r.vouched(token)
	if err != nil || claims["sub"] != a.ID || claims["preferred_username"] != user || claims["jti"] == "" {
		t.Errorf("got %v, %v", claims, err)
	}
	refused(t, r.call(token), 401, "invalid_token")
	here, err := r.s.Assertions.Issue(t.Context(), a.ID, r.s.Resource) // the operator who configures that
	if err != nil {
		t.Fatal(err)
	}
	refused(t, r.call(here), 401, "invalid_token")
	again, err := r.s.Assertions.Issue(t.Context(), a.ID, elsewhere)
	if err != nil || again == token {
		t.Errorf("got the same voucher twice, or %v", err)
	}
	r.clock.advance(2 * time.Minute)
	if claims, err := r.vouched(token); err == nil {
		t.Errorf("after two minutes: got %v", claims)
	}
}

func TestNobodyIsVouchedForWhoIsGone(t *testing.T) {
	r := newRig(t)
	if token, err := r.s.Assertions.Issue(t.Context(), "nobody", elsewhere); err == nil {
		t.Errorf("got %s", token)
	}
	r = newRig(t, func(s *setup) { s.Algorithm = token.HS256 })
	a, err := r.db.OAuth.Accounts.Account(t.Context(), user)
	if err != nil {
		t.Fatal(err)
	}
	if token, err := r.s.Assertions.Issue(t.Context(), a.ID, elsewhere); err == nil {
		t.Errorf("got %s, signed with a secret that others do not have", token)
	}
}
