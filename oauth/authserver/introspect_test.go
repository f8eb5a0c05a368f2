package authserver_test

import (
	"strings"
	"testing"
	"time"
)

// portal and gateway are clients of the operator; gateway may introspect all.
var (
	portal       = client{id: "portal", redirect: "https://portal.example/cb"}
	asPortal     = []string{"Authorization", basic("portal", escaped(operatorsSecret))}
	asGateway    = []string{"Authorization", basic("gateway", escaped(operatorsSecret))}
	unknownToken = "rialto_rt_" + strings.Repeat("x", 43)
)

// inactive checks that an answer says nothing but that.
func inactive(t *testing.T, a answer) {
	t.Helper()
	if a.status != 200 || a.body != `{"active":false}` || a.header.Get("Cache-Control") != "no-store" {
		t.Errorf("got %d %s, want nothing but active:false", a.status, a.body)
	}
}

func TestIntrospectionSaysWhatATokenIsWorth(t *testing.T) {
	r := configured(t)
	got := r.ok(r.form("/token", codeForm(portal, r.code(portal, nil)), asPortal...))
	for name, token := range map[string]string{"access": got.str("access_token"), "refresh": got.str("refresh_token")} {
		for who, header := range map[string][]string{"its client": asPortal, "a resource server": asGateway} {
			a := r.ok(r.form("/introspect", params{"token": token, "token_type_hint": "pizza"}, header...))
			if a.json["active"] != true || a.str("client_id") != "portal" || a.str("scope") != "mcp:tools" || a.str("username") != user ||
				a.str("aud") != r.s.Resource || a.str("iss") != r.url || a.str("sub") == "" || a.json["exp"] == nil {
				t.Errorf("%s token, asked by %s: got %s", name, who, a.body)
			}
		}
	}
	r.ok(r.form("/mcp/oauth/introspect", params{"token": got.str("access_token")}, asPortal...))
}

func TestM1WhoMayIntrospect(t *testing.T) {
	r := configured(t)
	public, secretive := r.newClient("none"), r.newClient("client_secret_basic")
	token := r.tokens(public, nil).str("access_token")
	form := params{"token": token}
	refused(t, r.form("/introspect", form), 401, "invalid_client")
	refused(t, r.form("/introspect", form.with(params{"client_id": public.id})), 401, "invalid_client")
	refused(t, r.form("/introspect", form, "Authorization", basic("gateway", "guess")), 401, "invalid_client")
	refused(t, r.form("/introspect", form, "Authorization", "Bearer "+token), 401, "invalid_client")
	refused(t, r.form("/introspect", params{}, asGateway...), 400, "invalid_request")
	inactive(t, r.form("/introspect", form, asPortal...))
	inactive(t, r.form("/introspect", form, "Authorization", basic(secretive.id, secretive.secret)))
	if a := r.form("/introspect", form, asGateway...); a.json["active"] != true {
		t.Errorf("got %s, want the resource server to see a token of any client", a.body)
	}
}

func TestM2ATokenThatIsWorthNothingIsJustInactive(t *testing.T) {
	r := configured(t)
	code := r.code(portal, nil)
	got := r.ok(r.form("/token", codeForm(portal, r.code(portal, nil)), asPortal...))
	old, access := got.str("refresh_token"), got.str("access_token")
	asked := func(token string) answer { return r.form("/introspect", params{"token": token}, asGateway...) }
	for _, token := range []string{"x", unknownToken, code, access + "x", "a.b.c", strings.Repeat("x", 9000)} {
		inactive(t, asked(token))
	}
	next := r.ok(r.form("/token", refreshForm(portal, old), asPortal...)).str("refresh_token")
	if a := asked(old); a.json["active"] != true {
		t.Errorf("got %s, want a replaced token to be active within its grace", a.body)
	}
	r.clock.advance(121 * time.Second)
	inactive(t, asked(old))
	r.clock.advance(2 * time.Hour)
	inactive(t, asked(access))
	if a := asked(next); a.json["active"] != true {
		t.Errorf("got %s, want the successor to be active", a.body)
	}
	r.ok(r.form("/revoke", params{"token": next}, asPortal...))
	inactive(t, asked(next))
	r.clock.advance(40 * 24 * time.Hour)
	inactive(t, asked(next))
}

func TestM6GuessingByIntrospectionIsSlowedDown(t *testing.T) {
	r := configured(t)
	for range 200 {
		inactive(t, r.form("/introspect", params{"token": unknownToken}, asGateway...))
	}
	for range 200 { // a resource server is asked about bad tokens by others
		inactive(t, r.form("/introspect", params{"token": unknownToken}, asPortal...))
	}
	if a := r.form("/introspect", params{"token": unknownToken}, asPortal...); a.status != 429 || a.header.Get("Retry-After") == "" {
		t.Errorf("got %d, want 429 with Retry-After", a.status)
	}
}

func TestUserInfoSaysForWhomAClientActs(t *testing.T) {
	r := newRig(t)
	got := r.tokens(r.newClient("none"), nil)
	for _, method := range []string{"GET", "POST"} {
		a := r.ok(r.do(r.request(method, "/userinfo", "", "", "Authorization", "Bearer "+got.str("access_token"), "Origin", "https://page.example")))
		if a.str("preferred_username") != user || a.str("sub") == "" || a.header.Get("Cache-Control") != "no-store" ||
			a.header.Get("Content-Type") != "application/json" || a.header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s: got %v %s", method, a.header, a.body)
		}
		asked := r.do(r.request("OPTIONS", "/userinfo", "", "", "Origin", "https://page.example",
			"Access-Control-Request-Method", method, "Access-Control-Request-Headers", "authorization"))
		if h := asked.header; asked.status != 204 || h.Get("Access-Control-Allow-Origin") != "*" ||
			!strings.Contains(h.Get("Access-Control-Allow-Methods"), method) || !strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") {
			t.Errorf("a page asks whether it may %s: got %d %v", method, asked.status, h)
		}
	}
	if a := r.do(r.request("DELETE", "/userinfo", "", "", "Authorization", "Bearer "+got.str("access_token"))); a.status != 405 || a.header.Get("Allow") != "GET, POST" {
		t.Errorf("DELETE: got %d %v, want 405", a.status, a.header)
	}
	a := r.do(r.request("GET", "/userinfo", "", ""))
	if a.status != 401 || !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer ") || a.header.Get("Access-Control-Expose-Headers") == "" {
		t.Errorf("without a token: got %d %v, want a challenge that a page can read", a.status, a.header)
	}
	refused(t, r.do(r.request("GET", "/userinfo", "", "", "Authorization", "Bearer "+got.str("refresh_token"))), 401, "invalid_token")
}
