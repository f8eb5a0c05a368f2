package authserver_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// local checks that an answer is an error page of our own: no redirect, no
// link to anywhere.
func local(t *testing.T, p *oauthtest.Page, status int) {
	t.Helper()
	if p.Status != status || !p.Has("#problem") {
		t.Errorf("got status %d, want a page with status %d:\n%s", p.Status, status, p.Text())
	}
	if p.Header.Get("Location") != "" || p.Has("#back") || p.Has("#continue") {
		t.Errorf("the page leads elsewhere:\n%s", p.Body)
	}
}

// sentBack checks that an answer tells the client of an error, with the state
// and the issuer (RFC 9207 section 2).
func sentBack(t *testing.T, r *rig, to *url.URL, code string) {
	t.Helper()
	q := to.Query()
	if q.Get("error") != code || q.Get("state") != "the state" || q.Get("iss") != r.url || q.Has("code") {
		t.Errorf("got %s, want error %s with state and iss", to, code)
	}
	if !strings.HasPrefix(to.String(), callback+"?") {
		t.Errorf("got %s, want the client's address", to)
	}
}

func TestA1ToA11AForeignRedirectGetsAPage(t *testing.T) {
	const registered = "https://client.example/cb"
	r := newRig(t)
	c := r.newClient("none", registered)
	local(t, r.browser().Get(r.authorizeURL(client{"rialto_client_" + strings.Repeat("x", 43), "", registered}, nil)), 400)
	for name, uri := range map[string]string{
		"A2 unregistered":                "https://other.example/cb",
		"A3 dot segments":                registered + "/../x",
		"A3 encoded dot segments":        "https://client.example/%2e%2e/cb",
		"A3 slash at the end":            registered + "/",
		"A3 other case":                  "https://client.example/CB",
		"A3 encoded slash":               registered + "%2f",
		"A4 query added":                 registered + "?x=1",
		"A4 empty query added":           registered + "?",
		"A4 fragment in redirect uri":    registered + "#f",
		"A4 empty fragment":              registered + "#",
		"A5 user information":            "https://client.example@evil.example/cb",
		"A5 user information before us":  "https://evil@client.example/cb",
		"A6 backslash":                   `https://evil.example\@client.example/cb`,
		"A6 encoded backslash":           "https://evil.example%5c@client.example/cb",
		"A7 host as a prefix":            "https://client.example.evil.example/cb",
		"A7 host as a suffix":            "https://evil-client.example/cb",
		"A9 other port":                  "https://client.example:444/cb",
		"A9 default port spelled out":    "https://client.example:443/cb",
		"A9 other scheme":                "http://client.example/cb",
		"A10 script":                     "javascript:alert(1)",
		"A11 homograph":                  "https://сlient.example/cb",
		"A11 punycode":                   "https://xn--lient-43d.example/cb",
		"A12 line break":                 registered + "\r\nX: y",
		"A12 NUL":                        registered + "\x00",
		"A12 tab in the host":            "https://client\t.example/cb",
		"a space at the end":             registered + " ",
		"another case of the host":       "https://CLIENT.example/cb",
		"a dot at the end of the host":   "https://client.example./cb",
		"longer than any client needs":   registered + "?" + strings.Repeat("x", 3000),
		"not a URI":                      "://",
		"a path":                         "/cb",
		"an address without a scheme":    "//client.example/cb",
		"an encoded character in a host": "https://client%2eexample/cb",
	} {
		t.Run(name, func(t *testing.T) {
			p := r.browser().Get(r.authorizeURL(c, params{"redirect_uri": uri}))
			local(t, p, 400)
			if strings.Contains(p.Text(), "didn't register") && !p.Has("#address") {
				t.Errorf("got %s, want the app and the address", p.Text())
			}
		})
	}
}

func TestA8OnlyThePortOfALoopbackAddressVaries(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none", "http://127.0.0.1:9/cb", "http://[::1]/six", "http://localhost/name?x=1")
	for uri, ok := range map[string]bool{
		"http://127.0.0.1:9/cb":               true,
		"http://127.0.0.1:4711/cb":            true,
		"http://127.0.0.1/cb":                 true,
		"http://[::1]:4711/six":               true,
		"http://localhost:4711/name?x=1":      true,
		"http://localhost:4711/name":          false,
		"http://localhost:4711/name?x=2":      false,
		"http://127.0.0.1:4711/cb/":           false,
		"http://127.0.0.1:4711/other":         false,
		"http://127.0.0.1:4711/cb?":           false,
		"http://localhost:9/cb":               false,
		"http://[::1]:9/cb":                   false,
		"https://127.0.0.1:9/cb":              false,
		"http://127.0.0.2:9/cb":               false,
		"http://127.1:9/cb":                   false,
		"http://2130706433:9/cb":              false,
		"http://user@127.0.0.1:9/cb":          false,
		"http://127.0.0.1.evil.example:9/cb":  false,
		"http://127.0.0.1:9@evil.example/cb":  false,
		"http://127.0.0.1:9/cb#f":             false,
		"http://127.0.0.1:port/cb":            false,
		"http://LOCALHOST:4711/name?x=1":      false,
		"http://localhost.:4711/name?x=1":     false,
		"http://[::ffff:127.0.0.1]:4711/six":  false,
		"http://[0:0:0:0:0:0:0:1]:4711/six":   false,
		"http://127.0.0.1:4711/%2e/cb":        false,
		"http://127.0.0.1:4711/c%62":          false,
		"http://evil.example/?http://[::1]/s": false,
	} {
		p := r.browser().Get(r.authorizeURL(c, params{"redirect_uri": uri}))
		if got := p.Status == 200 && p.Has("#authorize"); got != ok {
			t.Errorf("%s: got status %d, want it allowed: %v", uri, p.Status, ok)
		}
	}
}

func TestA12AndA13OddParametersGetAPage(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	for name, extra := range map[string]string{
		"A12 line break in state":    "&state=a%0d%0aSet-Cookie:x",
		"A12 NUL in state":           "&state=%00",
		"A12 NUL in a name":          "&st%00te=1",
		"A12 broken UTF-8":           "&state=%ff",
		"A12 broken escape":          "&state=%zz",
		"A13 client_id twice":        "&client_id=" + c.id,
		"A13 redirect_uri twice":     "&redirect_uri=" + url.QueryEscape(callback),
		"A13 state twice":            "&state=b",
		"A13 code_challenge twice":   "&code_challenge=" + challenge,
		"A13 semicolon as separator": ";state=b",
	} {
		t.Run(name, func(t *testing.T) {
			local(t, r.browser().Get(r.authorizeURL(c, nil)+extra), 400)
		})
	}
	t.Run("A16 missing redirect_uri with several registered", func(t *testing.T) {
		several := r.newClient("none", callback, "http://127.0.0.1/other")
		local(t, r.browser().Get(r.authorizeURL(several, params{"redirect_uri": "-"})), 400)
	})
	t.Run("A19 a state that is too long", func(t *testing.T) {
		local(t, r.browser().Get(r.authorizeURL(c, params{"state": strings.Repeat("s", 64<<10)})), 414)
	})
}

func TestAToBAWrongRequestIsSentBack(t *testing.T) {
	r := newRig(t)
	public, confidential := r.newClient("none"), r.newClient("client_secret_basic")
	for name, test := range map[string]struct {
		changes params
		code    string
	}{
		"A14 missing response_type":         {params{"response_type": "-"}, "invalid_request"},
		"A14 empty response_type":           {params{"response_type": ""}, "invalid_request"},
		"A14 token":                         {params{"response_type": "token"}, "unsupported_response_type"},
		"A14 id_token":                      {params{"response_type": "id_token"}, "unsupported_response_type"},
		"A14 code token":                    {params{"response_type": "code token"}, "unsupported_response_type"},
		"A15 fragment":                      {params{"response_mode": "fragment"}, "invalid_request"},
		"A15 form_post":                     {params{"response_mode": "form_post"}, "invalid_request"},
		"A18 request":                       {params{"request": "a.b.c"}, "request_not_supported"},
		"A18 request_uri":                   {params{"request_uri": "http://127.0.0.1:1/"}, "request_uri_not_supported"},
		"A21 prompt none":                   {params{"prompt": "none"}, "interaction_required"},
		"B1 no challenge":                   {params{"code_challenge": "-", "code_challenge_method": "-"}, "invalid_request"},
		"B1 method without challenge":       {params{"code_challenge": "-"}, "invalid_request"},
		"B2 plain":                          {params{"code_challenge_method": "plain"}, "invalid_request"},
		"B2 missing method":                 {params{"code_challenge_method": "-"}, "invalid_request"},
		"B2 method in lower case":           {params{"code_challenge_method": "s256"}, "invalid_request"},
		"B3 challenge too short":            {params{"code_challenge": challenge[1:]}, "invalid_request"},
		"B3 challenge too long":             {params{"code_challenge": challenge + "a"}, "invalid_request"},
		"B3 challenge not base64url":        {params{"code_challenge": "+" + challenge[1:]}, "invalid_request"},
		"L1 unknown resource":               {params{"resource": "https://other.example/mcp"}, "invalid_target"},
		"L1 relative resource":              {params{"resource": "/mcp"}, "invalid_target"},
		"L1 resource with a fragment":       {params{"resource": r.s.Resource + "#"}, "invalid_target"},
		"L1 resource with a query":          {params{"resource": r.s.Resource + "?x=1"}, "invalid_target"},
		"L2 a longer path":                  {params{"resource": r.s.Resource + "-evil"}, "invalid_target"},
		"L2 a deeper path":                  {params{"resource": r.s.Resource + "/../x"}, "invalid_target"},
		"L2 dots that lead back":            {params{"resource": r.url + "/x/../mcp"}, "invalid_target"},
		"L2 two slashes at the end":         {params{"resource": r.s.Resource + "//"}, "invalid_target"},
		"L2 user information":               {params{"resource": strings.Replace(r.s.Resource, "://", "://a@", 1)}, "invalid_target"},
		"L4 no scope that exists":           {params{"scope": "openid profile"}, "invalid_scope"},
		"L4 a scope with a no-break space":  {params{"scope": "mcp:tools\u00a0mcp:more"}, "invalid_scope"},
		"L4 a scope in other letter case":   {params{"scope": "MCP:tools"}, "invalid_scope"},
		"L4 a scope that has one in itself": {params{"scope": "xmcp:tools mcp:toolsx"}, "invalid_scope"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, c := range []client{public, confidential} {
				p := r.browser().Get(r.authorizeURL(c, test.changes))
				if p.Status != http.StatusSeeOther {
					t.Fatalf("got status %d, want 303:\n%s", p.Status, p.Text())
				}
				sentBack(t, r, p.Continue(), test.code)
			}
		})
	}
	t.Run("L1 two resources", func(t *testing.T) {
		p := r.browser().Get(r.authorizeURL(public, nil) + "&resource=" + url.QueryEscape(r.s.Resource+"2"))
		sentBack(t, r, p.Continue(), "invalid_target")
	})
}

func TestA21AClientThatRegisteredItselfIsNoOpenRedirector(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none", "https://evil.example/login")
	for name, changes := range map[string]params{
		"prompt none":      {"prompt": "none"},
		"no response_type": {"response_type": "-"},
		"unknown scope":    {"scope": "x"},
	} {
		p := r.browser().Get(r.authorizeURL(c, changes))
		if p.Status != 400 || p.Header.Get("Location") != "" || p.Has("#continue") {
			t.Errorf("%s: got status %d, want a page without a redirect", name, p.Status)
		}
		back, err := url.Parse(p.Attribute("#back", "href"))
		if err != nil || back.Host != "evil.example" || back.Query().Get("error") == "" || back.Query().Get("iss") != r.url {
			t.Errorf("%s: got link %s, want the error for the client", name, back)
		}
	}
}

func TestA19AndA20TheAnswerCarriesStateAndIssuer(t *testing.T) {
	r := newRig(t)
	for name, state := range map[string]string{
		"8 KiB":      strings.Repeat("Ab1-", 2<<10),
		"odd":        ` &=+%41#?/\"'<>;,é✓`,
		"none":       "-",
		"only space": " ",
	} {
		t.Run(name, func(t *testing.T) {
			c := r.newClient("none", "http://127.0.0.1:9/cb?keep=a%20b&keep=2")
			to := r.browser().Authorize(r.authorizeURL(c, params{"state": state}), user, password)
			got, sent := to.Query()["state"], state != "-"
			if sent && (len(got) != 1 || got[0] != state) || !sent && got != nil {
				t.Errorf("got state %q, want %q", got, state)
			}
			if to.Query().Get("iss") != r.url || !strings.HasPrefix(to.RawQuery, "keep=a%20b&keep=2&code=") {
				t.Errorf("got %s, want the registered query as it was, then code and iss", to)
			}
		})
	}
}

func TestA22LookingChangesNothing(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	head := r.do(r.request(http.MethodHead, strings.TrimPrefix(r.authorizeURL(c, nil), r.url), "", ""))
	if head.status != 405 || head.header.Get("Allow") != "GET, POST" || len(head.header.Values("Set-Cookie")) > 0 {
		t.Errorf("HEAD: got %d %v, want 405 and nothing kept", head.status, head.header)
	}
	b := r.browser()
	for range 3 {
		b.Get(r.authorizeURL(c, nil))
	}
	if r.browser().Authorize(r.authorizeURL(c, nil), user, password).Query().Get("code") == "" {
		t.Error("looking spoiled the request")
	}
}

func TestTheOnlyRedirectURIMayBeLeftOut(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	code := r.code(c, params{"redirect_uri": "-"})
	r.ok(r.form("/token", codeForm(c, code).with(params{"redirect_uri": "-"})))
}

func TestB9TheVectorOfRFC7636Works(t *testing.T) {
	r := newRig(t)
	r.tokens(r.newClient("none"), nil)
}

func TestResourceMaySpellItselfDifferently(t *testing.T) {
	r := newRig(t, func(s *setup) { s.Issuer, s.Resource = "https://rialto.example", "https://rialto.example/mcp" })
	c := r.newClient("none")
	for _, resource := range []string{
		"-", "https://rialto.example/mcp", "https://rialto.example/mcp/", "HTTPS://RIALTO.example/mcp", "https://rialto.example:443/mcp",
	} {
		if p := r.browser().Get(r.authorizeURL(c, params{"resource": resource})); p.Status != 200 {
			t.Errorf("%s: got status %d, want the consent page", resource, p.Status)
		}
	}
}

func TestScopesThatDoNotExistAreIgnored(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	for asked, want := range map[string]string{
		"-":                              "mcp:tools mcp:more",
		"":                               "mcp:tools mcp:more",
		"mcp:tools":                      "mcp:tools",
		"openid mcp:more email":          "mcp:more",
		"offline_access":                 "mcp:tools mcp:more offline_access",
		"mcp:tools offline_access":       "mcp:tools offline_access",
		"mcp:tools mcp:tools  mcp:tools": "mcp:tools",
	} {
		if got := r.tokens(c, params{"scope": asked}).str("scope"); got != want {
			t.Errorf("asked for %q: got %q, want %q", asked, got, want)
		}
	}
}

func TestA17AndJ2AForeignPageCannotAnswer(t *testing.T) {
	r := newRig(t)
	c := r.newClient("none")
	for name, header := range map[string][2]string{
		"A17 cross-site":       {"Sec-Fetch-Site", "cross-site"},
		"A17 same-site":        {"Sec-Fetch-Site", "same-site"},
		"J2 other origin":      {"Origin", "https://evil.example"},
		"J2 Origin null":       {"Origin", "null"},
		"J2 origin by a trick": {"Origin", r.url + ".evil.example"},
	} {
		t.Run(name, func(t *testing.T) {
			b := r.browser()
			page := b.Get(r.authorizeURL(c, nil))
			b.Header.Set(header[0], header[1])
			local(t, b.Submit(page, params{"decision": "approve", "username": user, "password": password}), 403)
		})
	}
	t.Run("J2 no header at all and no cookie", func(t *testing.T) {
		page := r.browser().Get(r.authorizeURL(c, nil))
		local(t, r.browser().Submit(page, params{"decision": "approve", "username": user, "password": password}), 403)
	})
	t.Run("our own page", func(t *testing.T) {
		b := r.browser()
		page := b.Get(r.authorizeURL(c, nil))
		b.Header.Set("Sec-Fetch-Site", "same-origin")
		b.Header.Set("Origin", "null") // what browsers send under Referrer-Policy: no-referrer
		b.Submit(page, params{"decision": "approve", "username": user, "password": password}).Continue()
	})
}

func TestARequestWaitsTenMinutes(t *testing.T) {
	r := newRig(t)
	b := r.browser()
	page := b.Get(r.authorizeURL(r.newClient("none"), nil))
	r.clock.advance(10 * time.Minute)
	local(t, b.Submit(page, params{"decision": "approve", "username": user, "password": password}), 400)
}
