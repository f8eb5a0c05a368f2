package doctor

import (
	"crypto/rand"
	"net/url"
	"strings"
)

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
