package authserver_test

import (
	"strings"
	"testing"

	"rialto/oauth"
)

func TestAClientOfTheOperatorActsByItself(t *testing.T) {
	r := configured(t)
	as := func(id string) []string { return []string{"Authorization", basic(id, escaped(operatorsSecret))} }
	ask := params{"grant_type": "client_credentials", "scope": "mcp:tools admin"}
	got := r.ok(r.form("/token", ask, as("robot")...))
	if got.json["refresh_token"] != nil || got.str("scope") != "mcp:tools" || got.json["expires_in"] != 3600.0 {
		t.Errorf("got %s, want an access token alone", got.body)
	}
	var seen oauth.Principal
	r.reached = func(p oauth.Principal) { seen = p }
	r.ok(r.call(got.str("access_token")))
	if seen.Name != user || seen.ClientID != "robot" {
		t.Errorf("got %+v, want the account that the operator named", seen)
	}
	r.ok(r.form("/revoke", params{"token": got.str("access_token")}, as("robot")...))
	refused(t, r.call(got.str("access_token")), 401, "invalid_token")

	refused(t, r.form("/token", ask.with(params{"scope": "x"}), as("robot")...), 400, "invalid_scope")
	refused(t, r.form("/token", ask.with(params{"resource": "https://evil.example"}), as("robot")...), 400, "invalid_target")
	refused(t, r.form("/token", ask, as("portal")...), 400, "unauthorized_client")
	refused(t, r.form("/token", ask, as("lost")...), 400, "unauthorized_client")
	refused(t, r.form("/token", ask.with(params{"client_id": "robot"})), 401, "invalid_client")
	types := strings.Join(words(document(t, r.s, "/.well-known/oauth-authorization-server")["grant_types_supported"]), " ")
	if types != "authorization_code refresh_token client_credentials" {
		t.Errorf("got grant types %s", types)
	}
}
