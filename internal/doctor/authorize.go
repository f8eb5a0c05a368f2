package doctor

import (
	"crypto/rand"
	"net/url"
	"strings"
)

func authorizeChecks() []check {
	return []check{
		{
			"authorize-page",
			"A good authorization request reaches a person",
			Clients(),
			"a page, or a redirect to a place to sign in",
			"Answer a browser with HTML (RFC 6749 section 4.1.1).",
			needApp,
			checkPage,
		},
		{
			"authorize-frame",
			"The page cannot be framed",
			nil,
			"frame-ancestors or X-Frame-Options that keeps other sites out",
			"Forbid framing: people could be made to consent unseen (RFC 9700 section 4.16).",
			needPage,
			checkFrame,
		},
		{
			"authorize-no-store",
			"The page is not stored",
			nil,
			"Cache-Control: no-store",
			"Forbid caches to keep what belongs to one person and one request (RFC 9111 section 5.2.2.5).",
			needPage,
			checkPageStore,
		},
		{
			"authorize-redirect",
			"An unknown redirect URI is refused on a page",
			nil,
			"status 4xx, and no redirect",
			"Compare exactly, and never redirect to an address that is not registered (RFC 6749 section 4.1.2.1, RFC 9700 section 4.1).",
			needApp,
			checkUnknownRedirect,
		},
		{
			"authorize-client",
			"An unknown client is refused on a page",
			[]Client{ClaudeCode},
			"status 4xx with a page",
			"Say on a page that the connection must be removed and added anew; clients keep an id that was forgotten (RFC 6749 section 4.1.2.1).",
			needApp,
			checkUnknownClient,
		},
		{
			"authorize-plain",
			"PKCE with plain is refused",
			nil,
			"an error",
			"Refuse code_challenge_method=plain (RFC 9700 section 2.1.1).",
			needApp,
			checkPlainRefused,
		},
		{
			"authorize-pkce",
			"A request without PKCE is refused",
			nil,
			"an error",
			"Demand code_challenge of every client (RFC 9700 section 2.1.1, MCP authorization).",
			needApp,
			checkPKCE,
		},
		{
			"authorize-error",
			"An error that is sent back carries state and iss",
			[]Client{ChatGPT, Codex},
			"state as it was sent, and iss, where it is advertised",
			"Send iss on errors too (RFC 9207 section 2, RFC 6749 section 4.1.2.1).",
			needApp,
			checkErrorBack,
		},
		{
			"authorize-port",
			"A loopback redirect may use any port",
			[]Client{ClaudeCode, Codex, VSCode},
			"the same page as with the registered port",
			"Ignore the port of redirect URIs on loopback (RFC 8252 section 7.3).",
			needApp,
			checkPort,
		},
	}
}

func checkPage(v *examination) finding {
	a := v.app.authorize(nil)
	return expect(v.app.page(a), "{}, content type \"{}\"", a, a.contentType())
}

func checkFrame(v *examination) finding {
	h := v.app.authorize(nil).header
	policy := h.Get("Content-Security-Policy")
	frame := h.Get("X-Frame-Options")
	ok := strings.Contains(policy, "frame-ancestors 'none'") ||
		strings.Contains(policy, "frame-ancestors 'self'") ||
		strings.EqualFold(frame, "DENY") ||
		strings.EqualFold(frame, "SAMEORIGIN")
	return expect(ok, "Content-Security-Policy \"{}\", X-Frame-Options \"{}\"", policy, frame)
}

func checkPageStore(v *examination) finding { return noStore(v.app.authorize(nil)) }

func noStore(a *answer) finding {
	got := a.header.Get("Cache-Control")
	return expect(strings.Contains(got, "no-store"), "{} is \"{}\"", "Cache-Control", got)
}

func checkUnknownRedirect(v *examination) finding {
	a := v.app.authorize(
		func(q url.Values) { q.Set("redirect_uri", "https://rialto-doctor.invalid/callback") },
	)
	return expect(a.status/100 == 4, "{}", a)
}

func checkUnknownClient(v *examination) finding {
	a := v.app.authorize(func(q url.Values) { q.Set("client_id", "rialto-doctor-"+rand.Text()) })
	return expect(
		a.status/100 == 4 && a.contentType() == "text/html",
		"{}, content type \"{}\"",
		a,
		a.contentType(),
	)
}

func plainChallenge(q url.Values) {
	q.Set("code_challenge", idleVerifier)
	q.Set("code_challenge_method", "plain")
}

func checkPlainRefused(v *examination) finding {
	a := v.app.authorize(plainChallenge)
	return expect(v.app.refused(a), "{}", a)
}

func checkPKCE(v *examination) finding {
	a := v.app.authorize(func(q url.Values) {
		q.Del("code_challenge")
		q.Del("code_challenge_method")
	})
	return expect(v.app.refused(a), "{}", a)
}

func checkErrorBack(v *examination) finding {
	params, back := v.app.callback(v.app.authorize(plainChallenge))
	if !back || params.Get("error") == "" {
		return skip("no error was sent back")
	}
	return v.checkCallback(params, idleState)
}

// checkCallback checks what every authorization response must carry.
func (s *target) checkCallback(params url.Values, state string) finding {
	switch iss := params.Get("iss"); {
	case params.Get("state") != state:
		return fail("the state is another").breaking(Clients()...)
	case iss == "" && s.server().flag(issSupported):
		return fail("iss is advertised and was not sent")
	case iss != "" && iss != s.server().text("issuer"):
		return fail("{} is \"{}\"", "iss", iss)
	}
	return pass("both are there")
}

func checkPort(v *examination) finding {
	a := v.app.authorize(
		func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1:43118/callback") },
	)
	return expect(v.app.page(a), "{}", a)
}
