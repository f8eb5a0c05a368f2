package authserver_test

import (
	"net/url"
	"strings"
	"testing"
	"time"
)

// pushForm is an authorization request as c pushes it.
func (r *rig) pushForm(c client) params {
	u, _ := url.Parse(r.authorizeURL(c, nil))
	form := params{}
	for name, values := range u.Query() {
		form[name] = values[0]
	}
	return form
}

// pushedURL is where the browser goes with a request that was pushed.
func (r *rig) pushedURL(id, uri string) string {
	return r.url + "/authorize?" + params{"client_id": id, "request_uri": uri}.encode()
}

func TestAPushedRequestLeadsToACode(t *testing.T) {
	r := newRig(t)
	c := r.newClient("client_secret_post")
	a := r.form("/par", r.pushForm(c).with(params{"client_secret": c.secret}))
	if a.status != 201 || a.json["expires_in"] != 90.0 || !strings.HasPrefix(a.str("request_uri"), "urn:ietf:params:oauth:request_uri:") || a.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("got %d %s", a.status, a.body)
	}
	// B8: other parameters of the link do not count.
	link := r.pushedURL(c.id, a.str("request_uri")) + "&code_challenge=x&redirect_uri=https%3A%2F%2Fevil.example%2Fcb&scope=x&state=x"
	to := r.browser().Authorize(link, user, password)
	if !strings.HasPrefix(to.String(), callback+"?") || to.Query().Get("state") != "the state" {
		t.Errorf("got %s, want the pushed redirect URI and state", to)
	}
	form := codeForm(c, to.Query().Get("code")).with(params{"client_secret": c.secret})
	r.ok(r.call(r.ok(r.form("/token", form)).str("access_token")))
}

func TestN5APushedRequestIsForOneClientOnceAndSoon(t *testing.T) {
	r := newRig(t)
	c, other := r.newClient("none"), r.newClient("none")
	push := func() string { return r.form("/mcp/oauth/par", r.pushForm(c)).str("request_uri") }
	uri := push()
	local(t, r.browser().Get(r.pushedURL(other.id, uri)), 400)
	if p := r.browser().Get(r.pushedURL(c.id, uri)); p.Status != 200 {
		t.Errorf("got %d after another client tried, want the page", p.Status)
	}
	local(t, r.browser().Get(r.pushedURL(c.id, uri)), 400) // a second time
	uri = push()
	r.clock.advance(90 * time.Second)
	local(t, r.browser().Get(r.pushedURL(c.id, uri)), 400)
	for _, name := range []string{"", "x", strings.Repeat("x", 43)} {
		local(t, r.browser().Get(r.pushedURL(c.id, "urn:ietf:params:oauth:request_uri:"+name)), 400)
	}
}

func TestN5APushIsCheckedLikeARequest(t *testing.T) {
	r := newRig(t)
	public, secretive := r.newClient("none"), r.newClient("client_secret_post")
	for name, test := range map[string]struct {
		form   params
		status int
		code   string
	}{
		"an unauthenticated client":  {r.pushForm(secretive), 401, "invalid_client"},
		"an unknown client":          {r.pushForm(client{id: "x", redirect: callback}), 401, "invalid_client"},
		"a request_uri in it":        {r.pushForm(public).with(params{"request_uri": "urn:x"}), 400, "invalid_request"},
		"a request object":           {r.pushForm(public).with(params{"request": "a.b.c"}), 400, "request_not_supported"},
		"another redirect URI":       {r.pushForm(public).with(params{"redirect_uri": "https://evil.example/cb"}), 400, "invalid_request"},
		"no PKCE":                    {r.pushForm(public).with(params{"code_challenge": "-"}), 400, "invalid_request"},
		"plain PKCE":                 {r.pushForm(public).with(params{"code_challenge_method": "plain"}), 400, "invalid_request"},
		"another resource":           {r.pushForm(public).with(params{"resource": "https://evil.example"}), 400, "invalid_target"},
		"an unknown scope":           {r.pushForm(public).with(params{"scope": "x"}), 400, "invalid_scope"},
		"an unsupported answer type": {r.pushForm(public).with(params{"response_type": "token"}), 400, "unsupported_response_type"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, r.form("/par", test.form), test.status, test.code) })
	}
	if a := r.do(r.request("GET", "/par", "", "")); a.status != 405 {
		t.Errorf("GET: got %d, want 405", a.status)
	}
}

func TestAPushedRequestCannotBeAnsweredAsAForm(t *testing.T) {
	r := newRig(t)
	uri := r.form("/par", r.pushForm(r.newClient("none"))).str("request_uri")
	handle := strings.TrimPrefix(uri, "urn:ietf:params:oauth:request_uri:")
	p := r.browser().Post(r.url+"/authorize", url.Values{"handle": {handle}, "decision": {"approve"}, "username": {user}, "password": {password}})
	local(t, p, 403)
}

// TestThePageOfAPushedRequestChangesItsLanguage follows the link on the page. The link led to the
// address that the app had opened, which works once.
func TestThePageOfAPushedRequestChangesItsLanguage(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	uri := r.form("/par", r.pushForm(c)).str("request_uri")
	b := r.browser()
	link := b.Get(r.pushedURL(c.id, uri)).Attribute("a[hreflang=es]", "href")
	other := r.browser()
	local(t, other.Get(other.Get(r.url+link).Continue().String()), 403)
	page := b.Get(b.Get(r.url + link).Continue().String())
	if page.Status != 200 || page.Attribute("html", "lang") != "es" {
		t.Fatalf("got %d in %q, want the page in Spanish:\n%s", page.Status, page.Attribute("html", "lang"), page.Text())
	}
	page = b.Get(b.Get(r.url + page.Attribute("a[hreflang=en]", "href")).Continue().String())
	to := b.Submit(page, approve).Continue()
	r.ok(r.form("/token", codeForm(c, to.Query().Get("code"))))
	local(t, b.Get(b.Get(r.url+link).Continue().String()), 400) // once it is answered
}
