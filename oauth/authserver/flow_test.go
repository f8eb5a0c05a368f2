package authserver_test

import (
	"net/http"
	"testing"
	"time"
)

func TestAClientComesInFromTheURLAlone(t *testing.T) {
	r := newRig(t)
	unauthenticated := r.do(r.request(http.MethodGet, "/mcp", "", ""))
	want := `Bearer resource_metadata="` + r.url + `/.well-known/oauth-protected-resource/mcp", scope="mcp:tools mcp:more"`
	if got := unauthenticated.header.Get("WWW-Authenticate"); unauthenticated.status != 401 || got != want {
		t.Errorf("got %d %s, want 401 %s", unauthenticated.status, got, want)
	}

	c := r.newClient("none")
	to := r.browser().Authorize(r.authorizeURL(c, nil), user, password)
	if got := to.Query(); got.Get("state") != "the state" || got.Get("iss") != r.url {
		t.Errorf("got %s, want the state as sent and the issuer", to)
	}
	first := r.ok(r.form("/token", codeForm(c, to.Query().Get("code"))))
	if first.str("token_type") != "Bearer" || first.str("scope") != "mcp:tools" || first.str("resource") != r.s.Resource || first.json["expires_in"] != 3600.0 {
		t.Errorf("got %s, want a bearer token for an hour", first.body)
	}
	if got := r.ok(r.call(first.str("access_token"))).body; got != "hello ada" {
		t.Errorf("got %q, want a greeting by name", got)
	}

	r.clock.advance(time.Hour)
	second := r.ok(r.form("/token", refreshForm(c, first.str("refresh_token"))))
	r.ok(r.call(second.str("access_token")))
	if second.str("refresh_token") == first.str("refresh_token") {
		t.Error("the refresh token was not replaced")
	}
}
