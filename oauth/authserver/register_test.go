package authserver_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	registration "rialto/oauth/client"
)

func TestARegistrationIsAnsweredInFull(t *testing.T) {
	r := newRig(t)
	a := r.register(`{
		"client_name": "Codex", "application_type": "native", "redirect_uris": ["http://127.0.0.1:4711/callback"],
		"token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token", "urn:ietf:params:oauth:grant-type:device_code"],
		"response_types": ["code"], "scope": "mcp:tools admin", "contacts": ["a@b.example"], "x-unknown": {"a": [1, null]},
		"logo_uri": "http://127.0.0.1:1/logo.svg", "client_id": "mine", "client_secret": "mine"
	}`)
	if a.status != 201 || a.header.Get("Cache-Control") != "no-store" || !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		t.Fatalf("got %d %v %s, want 201", a.status, a.header, a.body)
	}
	for name, want := range map[string]any{
		"client_name": "Codex", "application_type": "native", "token_endpoint_auth_method": "none", "scope": "mcp:tools mcp:more offline_access",
	} {
		if a.json[name] != want {
			t.Errorf("%s: got %v, want %v", name, a.json[name], want)
		}
	}
	if grants, _ := a.json["grant_types"].([]any); len(grants) != 2 {
		t.Errorf("got grant_types %v, want the two that exist", grants)
	}
	if id := a.str("client_id"); id == "mine" || strings.HasPrefix(id, "https://") || len(id) < 40 { // H3, H14
		t.Errorf("got client_id %q, want one of ours", id)
	}
	for _, name := range []string{"client_secret", "logo_uri"} {
		if a.json[name] != nil {
			t.Errorf("%s: got %v, want nothing", name, a.json[name])
		}
	}
}

func TestAnApplicationTypeIsRepeatedIfItIsOne(t *testing.T) {
	r := newRig(t)
	for said, want := range map[string]any{`"web"`: "web", `"native"`: "native", `"watch"`: nil, `7`: nil, `null`: nil} {
		a := r.register(`{"redirect_uris":["https://app.example/cb"],"application_type":` + said + `}`)
		if a.status != 201 || a.json["application_type"] != want {
			t.Errorf("%s: got %d with %v, want 201 with %v", said, a.status, a.json["application_type"], want)
		}
	}
}

func TestASecretIsGivenToClientsThatKeepOne(t *testing.T) {
	r := newRig(t)
	a := r.register(`{"redirect_uris":["https://app.example/cb"]}`)
	if a.str("token_endpoint_auth_method") != "client_secret_basic" || len(a.str("client_secret")) < 43 || a.json["client_secret_expires_at"] != 0.0 {
		t.Errorf("got %s, want the default of RFC 7591 section 2: a secret for Basic", a.body)
	}
	if a.str("client_name") != "app.example" {
		t.Errorf("got name %q, want the host of the redirect URI", a.str("client_name"))
	}
}

func TestHARegistrationIsRefused(t *testing.T) {
	r := newRig(t)
	redirect := func(uri string) string { return `{"redirect_uris":["` + uri + `"]}` }
	with := func(rest string) string { return `{"redirect_uris":["https://app.example/cb"],` + rest + `}` }
	for name, test := range map[string]struct {
		body   string
		status int
		code   string
	}{
		"H2 no redirect_uris":              {`{}`, 400, "invalid_redirect_uri"},
		"H2 empty redirect_uris":           {`{"redirect_uris":[]}`, 400, "invalid_redirect_uri"},
		"H2 http elsewhere":                {redirect("http://evil.example/cb"), 400, "invalid_redirect_uri"},
		"H2 fragment":                      {redirect("https://app.example/cb#"), 400, "invalid_redirect_uri"},
		"A10 javascript":                   {redirect("javascript:alert(1)"), 400, "invalid_redirect_uri"},
		"A10 javascript with a host":       {redirect("javascript://app.example/%0aalert(1)"), 400, "invalid_redirect_uri"},
		"A10 data":                         {redirect("data:text/html,x"), 400, "invalid_redirect_uri"},
		"a scheme that is not allowed":     {redirect("evil://x/cb"), 400, "invalid_redirect_uri"},
		"a wildcard":                       {redirect("https://*.app.example/cb"), 400, "invalid_redirect_uri"},
		"loopback by another name":         {redirect("http://127.0.0.2/cb"), 400, "invalid_redirect_uri"},
		"localhost as a prefix":            {redirect("http://localhost.evil.example/cb"), 400, "invalid_redirect_uri"},
		"one of several is bad":            {`{"redirect_uris":["https://app.example/cb","http://evil.example"]}`, 400, "invalid_redirect_uri"},
		"too many redirect_uris":           {`{"redirect_uris":[` + strings.Repeat(`"https://app.example/cb",`, 10) + `"https://app.example/cb"]}`, 400, "invalid_redirect_uri"},
		"H4 two methods":                   {with(`"token_endpoint_auth_method":["none","client_secret_basic"]`), 400, "invalid_client_metadata"},
		"H4 unknown method":                {with(`"token_endpoint_auth_method":"private_key_jwt"`), 400, "invalid_client_metadata"},
		"H5 jwks with a private key":       {with(`"jwks":{"keys":[{"kty":"EC","d":"x"}]}`), 400, "invalid_client_metadata"},
		"H5 jwks with a symmetric key":     {with(`"jwks":{"keys":[{"kty":"oct","k":"x"}]}`), 400, "invalid_client_metadata"},
		"H5 jwks and jwks_uri":             {with(`"jwks":{"keys":[]},"jwks_uri":"https://app.example/jwks"`), 400, "invalid_client_metadata"},
		"H8 software_statement":            {with(`"software_statement":"a.b."`), 400, "invalid_software_statement"},
		"no code among the grants":         {with(`"grant_types":["client_credentials"]`), 400, "invalid_client_metadata"},
		"no code among the response types": {with(`"response_types":["token"]`), 400, "invalid_client_metadata"},
		"H7 duplicate names":               {with(`"client_name":"a","client_name":"b"`), 400, "invalid_client_metadata"},
		"H7 redirect_uris twice":           {with(`"redirect_uris":["https://evil.example/cb"]`), 400, "invalid_client_metadata"},
		"H7 too deep":                      {with(`"x":` + strings.Repeat("[", 8000)), 400, "invalid_client_metadata"},
		"H7 too large":                     {with(`"x":"` + strings.Repeat("x", 1<<20) + `"`), 413, "invalid_request"},
		"not JSON":                         {`redirect_uris=x`, 400, "invalid_client_metadata"},
		"an array":                         {`[]`, 400, "invalid_client_metadata"},
		"two values":                       {redirect("https://app.example/cb") + `{}`, 400, "invalid_client_metadata"},
		"a name that is no string":         {with(`"client_name":7`), 400, "invalid_client_metadata"},
		"broken UTF-8":                     {with("\"client_name\":\"\xff\""), 400, "invalid_client_metadata"},
	} {
		t.Run(name, func(t *testing.T) { refused(t, r.register(test.body), test.status, test.code) })
	}
	t.Run("a form", func(t *testing.T) {
		refused(t, r.form("/register", params{"redirect_uris": "https://app.example/cb"}), 400, "invalid_client_metadata")
	})
}

func TestALetterCaseOfAMemberMakesAnother(t *testing.T) {
	r := newRig(t)
	a := r.register(`{"redirect_uris":["https://app.example/cb"],"Redirect_URIs":["https://evil.example/cb"],"REDIRECT_URIS":7}`)
	if uris, _ := a.json["redirect_uris"].([]any); a.status != 201 || len(uris) != 1 || uris[0] != "https://app.example/cb" {
		t.Errorf("got %d %s, want the member in lower case to count", a.status, a.body)
	}
}

func TestH1RegistrationIsLimited(t *testing.T) {
	r := newRig(t, func(s *setup) {
		s.Registration.PerHour = 0
		s.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	register := func() answer {
		return r.do(r.request("POST", "/register", "application/json", `{"redirect_uris":["https://app.example/cb"]}`, "X-Forwarded-For", "192.0.2.1"))
	}
	for i := range 20 {
		a := register()
		if want := map[bool]int{true: 201, false: 429}[i < 10]; a.status != want {
			t.Fatalf("registration %d: got %d, want %d", i+1, a.status, want)
		}
		for name, want := range map[string]string{"Retry-After": "360", "RateLimit-Policy": `"register";q=10;w=3600`, "RateLimit": `"register";r=0;t=360`} {
			if got := a.header.Get(name); a.status == 429 && got != want {
				t.Errorf("got %s %q, want %q", name, got, want)
			}
		}
	}
	r.clock.advance(6 * time.Minute)
	if a := register(); a.status != 201 {
		t.Errorf("six minutes later: got %d, want 201", a.status)
	}
}

func TestRegistrationsFromLoopbackAreLimited(t *testing.T) {
	r := newRig(t, func(s *setup) { s.Registration.PerHour = 1 })
	limited := 0
	for range 70 { // loopback has sixty times the limit of others
		if r.register(`{"redirect_uris":["https://app.example/cb"]}`).status == 429 {
			limited++
		}
	}
	if limited != 10 {
		t.Errorf("got %d of 70 refused, want those beyond 60", limited)
	}
}

func TestPrivateSchemesAreThoseOfKnownApps(t *testing.T) {
	const cursor = "cursor://anysphere.cursor-mcp/oauth/callback"
	r := newRig(t)
	c := r.newClient("none", cursor)
	to := r.browser().Authorize(r.authorizeURL(c, nil), user, password)
	if !strings.HasPrefix(to.String(), cursor+"?code=") {
		t.Errorf("got %s, want the app's own scheme", to)
	}
	for uri, status := range map[string]int{
		"com.example.app:/cb":   400,
		"javascript://x/y":      400,
		"http://evil.example/x": 400,
	} {
		if got := r.register(`{"redirect_uris":["` + uri + `"]}`).status; got != status {
			t.Errorf("%s: got %d, want %d", uri, got, status)
		}
	}
}

func TestH12AndH13ClientsThatNobodyUsesAreForgotten(t *testing.T) {
	r := newRig(t)
	unused, used := r.newClient("none"), r.newClient("none")
	token := r.tokens(used, nil).str("refresh_token")
	r.clock.advance(25 * time.Hour)
	if err := r.s.Maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	refused(t, r.form("/token", refreshForm(unused, token)), 401, "invalid_client")
	local(t, r.browser().Get(r.authorizeURL(unused, nil)), 400)
	r.ok(r.form("/token", refreshForm(used, token)))
}

func TestRegistrationsMayBeLimitedToSomePlaces(t *testing.T) {
	r := newRig(t, func(s *setup) {
		s.RedirectPrefixes = []string{"https://chatgpt.com/", "https://claude.ai/api"}
	})
	for uri, status := range map[string]int{
		"https://chatgpt.com/connector/oauth/x":    201,
		"https://claude.ai/api/mcp/auth_callback":  201,
		"https://claude.ai/api":                    201,
		"http://127.0.0.1:9/cb":                    201, // the person's own computer
		"https://claude.ai/apix":                   400,
		"https://claude.ai/":                       400,
		"https://chatgpt.com.evil.example/":        400,
		"https://chatgpt.com:8443/cb":              400,
		"https://evil.example/https://chatgpt.com": 400,
	} {
		if a := r.register(`{"redirect_uris":["` + uri + `"]}`); a.status != status {
			t.Errorf("%s: got %d %s, want %d", uri, a.status, a.body, status)
		}
	}
}

// TestH16RegistrationMayNeedTheInitialAccessToken registers in each mode, with the token and without.
func TestH16RegistrationMayNeedTheInitialAccessToken(t *testing.T) {
	const initial = "an initial access token"
	for mode, want := range map[string]struct {
		without, wrong, with int
		named                bool // in the metadata
	}{
		registration.ModeOpen:   {201, 201, 201, true},
		registration.ModeToken:  {401, 401, 201, true},
		registration.ModeClosed: {403, 403, 403, false},
	} {
		r := newRig(t, func(s *setup) { s.Registration.Mode, s.Registration.Token = mode, initial })
		register := func(header ...string) int {
			return r.do(r.request("POST", "/register", "application/json", `{"redirect_uris":["https://app.example/cb"]}`, header...)).status
		}
		without, wrong, with := register(), register("Authorization", "Bearer wrong"), register("Authorization", "Bearer "+initial)
		if without != want.without || wrong != want.wrong || with != want.with {
			t.Errorf("%s: got %d without the token, %d with a wrong one, %d with it; want %+v", mode, without, wrong, with, want)
		}
		if _, named := document(t, r.s, "/.well-known/oauth-authorization-server")["registration_endpoint"]; named != want.named {
			t.Errorf("%s: got the endpoint named %v, want %v", mode, named, want.named)
		}
	}
}

func TestTheInitialAccessTokenIsNotLimited(t *testing.T) {
	const initial = "an initial access token"
	r := behindAProxy(t, func(s *setup) { s.Registration.Token, s.Registration.PerHour = initial, 1 })
	for i := range 5 {
		a := r.do(r.request("POST", "/register", "application/json", `{"redirect_uris":["https://app.example/cb"]}`, "Authorization", "Bearer "+initial, "X-Forwarded-For", "192.0.2.1"))
		if a.status != 201 {
			t.Errorf("registration %d: got %d, want 201", i+1, a.status)
		}
	}
}

func TestARegistrationModeThatCannotBeIsNoticedAtStart(t *testing.T) {
	for _, wrong := range [][2]string{{"half", ""}, {registration.ModeToken, ""}, {registration.ModeOpen, "short"}} {
		r := newRig(t)
		if err := r.replica(func(s *setup) { s.Registration.Mode, s.Registration.Token = wrong[0], wrong[1] }).Check(); err == nil {
			t.Errorf("%q: got no error", wrong)
		}
	}
}
