package authserver_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"rialto/oauth"
	oauthclient "rialto/oauth/client"
)

const (
	exchangeGrant = "urn:ietf:params:oauth:grant-type:token-exchange"
	accessToken   = "urn:ietf:params:oauth:token-type:access_token"
)

// exchanger is a rig with clients that may exchange tokens.
func exchanger(t *testing.T) *rig {
	return newRig(t, func(s *setup) {
		s.Clients = []oauthclient.Configured{
			{ID: "agent", AuthMethod: "client_secret_post", Secret: operatorsSecret, Exchanges: true, Introspects: true},
			{ID: "second", AuthMethod: "client_secret_post", Secret: operatorsSecret, Exchanges: true},
			{ID: "portal", AuthMethod: "client_secret_post", Secret: operatorsSecret},
		}
	})
}

func exchangeForm(token string) params {
	return params{
		"grant_type": exchangeGrant, "client_id": "agent", "client_secret": operatorsSecret,
		"subject_token": token, "subject_token_type": accessToken,
	}
}

func TestATokenIsExchangedForOneThatDoesLess(t *testing.T) {
	r := exchanger(t)
	c := r.newClient("none")
	subject := r.tokens(c, params{"scope": "mcp:tools mcp:more offline_access"}).str("access_token")
	r.clock.advance(50 * time.Minute)
	got := r.ok(r.form("/token", exchangeForm(subject).with(params{"scope": "mcp:tools:demo", "resource": r.s.Resource, "audience": r.s.Resource})))
	if got.str("issued_token_type") != accessToken || got.str("token_type") != "Bearer" || got.str("scope") != "mcp:tools:demo" || got.json["refresh_token"] != nil {
		t.Errorf("got %s", got.body)
	}
	if got.json["expires_in"] != 600.0 {
		t.Errorf("got a life of %v seconds, want the 600 that the other token has left", got.json["expires_in"])
	}
	claims := jwt.MapClaims{}
	if _, _, err := jwt.NewParser().ParseUnverified(got.str("access_token"), claims); err != nil {
		t.Fatal(err)
	}
	if act, _ := claims["act"].(map[string]any); act["sub"] != "agent" || claims["client_id"] != "agent" {
		t.Errorf("got act %v of client %v, want the client that acts", claims["act"], claims["client_id"])
	}
	var seen oauth.Principal
	r.reached = func(p oauth.Principal) { seen = p }
	r.ok(r.call(got.str("access_token")))
	if some, all := seen.UseCases(); seen.Name != user || seen.ClientID != "agent" || all || !slices.Equal(some, []string{"demo"}) {
		t.Errorf("got %+v, want the person, through the client, in one use case", seen)
	}
	state := r.ok(r.form("/introspect", params{"client_id": "agent", "client_secret": operatorsSecret, "token": got.str("access_token")}))
	if act, _ := state.json["act"].(map[string]any); act["sub"] != "agent" {
		t.Errorf("introspection: got %s, want who acts", state.body)
	}
	if all := r.ok(r.form("/token", exchangeForm(subject))); all.str("scope") != "mcp:tools mcp:more" {
		t.Errorf("without a scope: got %q, want all but the word for a refresh token", all.str("scope"))
	}
	if types := words(document(t, r.s, "/.well-known/oauth-authorization-server")["grant_types_supported"]); !slices.Contains(types, exchangeGrant) {
		t.Errorf("got grant types %s", types)
	}
	if types := words(document(t, newRig(t).s, "/.well-known/oauth-authorization-server")["grant_types_supported"]); slices.Contains(types, exchangeGrant) {
		t.Errorf("got grant types %s where no client may exchange", types)
	}
}

func TestAnExchangedTokenEndsWithItsSubject(t *testing.T) {
	for name, end := range map[string]func(r *rig, c client, subject answer){
		"the subject is revoked": func(r *rig, c client, subject answer) {
			r.ok(r.form("/revoke", params{"client_id": c.id, "token": subject.str("access_token")}))
		},
		"its refresh token is used twice": func(r *rig, c client, subject answer) {
			r.ok(r.form("/token", refreshForm(c, subject.str("refresh_token"))))
			r.clock.advance(3 * time.Minute)
			refused(r.t, r.form("/token", refreshForm(c, subject.str("refresh_token"))), 400, "invalid_grant")
		},
		"the account is removed": func(r *rig, c client, subject answer) {
			if err := r.s.Accounts.Remove(r.t.Context(), user); err != nil {
				r.t.Fatal(err)
			}
		},
		"time passes": func(r *rig, c client, subject answer) { r.clock.advance(62 * time.Minute) },
	} {
		t.Run(name, func(t *testing.T) {
			r := exchanger(t)
			c := r.newClient("none")
			subject := r.tokens(c, nil)
			got := r.ok(r.form("/token", exchangeForm(subject.str("access_token"))))
			r.ok(r.call(got.str("access_token")))
			end(r, c, subject)
			refused(t, r.call(got.str("access_token")), 401, "invalid_token")
			refused(t, r.form("/token", exchangeForm(subject.str("access_token"))), 400, "invalid_request")
		})
	}
	t.Run("but not the other way round", func(t *testing.T) {
		r := exchanger(t)
		subject := r.tokens(r.newClient("none"), nil).str("access_token")
		got := r.ok(r.form("/token", exchangeForm(subject))).str("access_token")
		r.ok(r.form("/revoke", params{"client_id": "agent", "client_secret": operatorsSecret, "token": got}))
		refused(t, r.call(got), 401, "invalid_token")
		r.ok(r.call(subject))
	})
}

func TestN6AnExchangeGivesNothingMore(t *testing.T) {
	r := exchanger(t)
	if err := r.s.Accounts.SetAdmin(t.Context(), user, true); err != nil {
		t.Fatal(err)
	}
	tokens := r.tokens(r.newClient("none"), params{"scope": "mcp:tools:demo offline_access"})
	subject := tokens.str("access_token")
	exchanged := r.ok(r.form("/token", exchangeForm(subject))).str("access_token")
	operator, _, err := r.s.Tokens.Issue(t.Context(), user, []string{"admin"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	both, _, err := r.s.Tokens.Issue(t.Context(), user, []string{"admin", "mcp:tools"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	p := newProver(r)
	c := r.newClient("none")
	bound := r.ok(p.token(codeForm(c, r.code(c, nil)))).str("access_token")
	forge := newForge(t)
	for name, test := range map[string]struct {
		form   params
		status int
		code   string
	}{
		"no subject_token":                      {exchangeForm("-"), 400, "invalid_request"},
		"no subject_token_type":                 {exchangeForm(subject).with(params{"subject_token_type": "-"}), 400, "invalid_request"},
		"another type":                          {exchangeForm(subject).with(params{"subject_token_type": "urn:ietf:params:oauth:token-type:jwt"}), 400, "invalid_request"},
		"a refresh token":                       {exchangeForm(tokens.str("refresh_token")), 400, "invalid_request"},
		"a refresh token, said so":              {exchangeForm(tokens.str("refresh_token")).with(params{"subject_token_type": "urn:ietf:params:oauth:token-type:refresh_token"}), 400, "invalid_request"},
		"a foreign token":                       {exchangeForm(forge.with(nil, nil)), 400, "invalid_request"},
		"rubbish":                               {exchangeForm("rubbish"), 400, "invalid_request"},
		"a token of an exchange":                {exchangeForm(exchanged), 400, "invalid_request"},
		"made by an exchange of another client": {exchangeForm(exchanged).with(params{"client_id": "second"}), 400, "invalid_request"},
		"a token that is bound":                 {exchangeForm(bound), 400, "invalid_request"},
		"an actor_token":                        {exchangeForm(subject).with(params{"actor_token": both, "actor_token_type": accessToken}), 400, "invalid_request"},
		"an actor_token_type alone":             {exchangeForm(subject).with(params{"actor_token_type": accessToken}), 400, "invalid_request"},
		"a refresh token is wanted":             {exchangeForm(subject).with(params{"requested_token_type": "urn:ietf:params:oauth:token-type:refresh_token"}), 400, "invalid_request"},
		"another audience":                      {exchangeForm(subject).with(params{"audience": "https://other.example"}), 400, "invalid_target"},
		"another resource":                      {exchangeForm(subject).with(params{"resource": "https://other.example"}), 400, "invalid_target"},
		"another use case":                      {exchangeForm(subject).with(params{"scope": "mcp:tools:other"}), 400, "invalid_scope"},
		"another scope":                         {exchangeForm(subject).with(params{"scope": "mcp:tools:demo mcp:more"}), 400, "invalid_scope"},
		"a word for a refresh token":            {exchangeForm(subject).with(params{"scope": "offline_access"}), 400, "invalid_scope"},
		"the operator's scope":                  {exchangeForm(both).with(params{"scope": "admin"}), 400, "invalid_scope"},
		"nothing but that":                      {exchangeForm(operator), 400, "invalid_scope"},
		"a client that may not":                 {exchangeForm(subject).with(params{"client_id": "portal"}), 400, "unauthorized_client"},
		"a client that registered":              {exchangeForm(subject).with(params{"client_id": c.id, "client_secret": "-"}), 400, "unauthorized_client"},
		"a client without its secret":           {exchangeForm(subject).with(params{"client_secret": "-"}), 401, "invalid_client"},
		"a client with a wrong secret":          {exchangeForm(subject).with(params{"client_secret": strings.Repeat("x", 32)}), 401, "invalid_client"},
		"a proof that does not hold up":         {exchangeForm(subject), 400, "invalid_dpop_proof"},
	} {
		t.Run(name, func(t *testing.T) {
			var header []string
			if test.code == "invalid_dpop_proof" {
				header = []string{"DPoP", "x"}
			}
			refused(t, r.form("/token", test.form, header...), test.status, test.code)
		})
	}
	if a := r.ok(r.form("/token", exchangeForm(both))); a.str("scope") != "mcp:tools" {
		t.Errorf("got scope %q, want it without the operator's", a.str("scope"))
	}
	mine := r.ok(p.form("/token", exchangeForm(subject), "DPoP", p.prove("POST", "/token", "", nil)))
	if mine.str("token_type") != "DPoP" {
		t.Errorf("got token_type %s, want a token bound to the key of the client", mine.str("token_type"))
	}
	a := r.do(r.request("POST", "/token?subject_token="+subject, formType, exchangeForm("-").encode()))
	refused(t, a, 400, "invalid_request")
}
