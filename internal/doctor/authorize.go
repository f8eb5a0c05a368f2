package doctor

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

func authorizeSteps() []step {
	return []step{
		{"authorize-page", "A good authorization request reaches a person", Clients(), "a page, or a redirect to a place to sign in",
			"Answer a browser with HTML (RFC 6749 section 4.1.1).", (*visit).checkPage},
		{"authorize-frame", "The page cannot be framed", nil, "frame-ancestors or X-Frame-Options that keeps other sites out",
			"Forbid framing: people could be made to consent unseen (RFC 9700 section 4.16).", (*visit).checkFrame},
		{"authorize-no-store", "The page is not stored", nil, "Cache-Control: no-store",
			"Forbid caches to keep what belongs to one person and one request (RFC 9111 section 5.2.2.5).", (*visit).checkPageStore},
		{"authorize-redirect", "An unknown redirect URI is refused on a page", nil, "status 4xx, and no redirect",
			"Compare exactly and never send anybody to an address that is not registered (RFC 6749 section 4.1.2.1, RFC 9700 section 4.1).", (*visit).checkUnknownRedirect},
		{"authorize-client", "An unknown client is refused on a page", []Client{ClaudeCode}, "status 4xx with a page",
			"Say on a page that the connection must be removed and added anew; clients keep an id that was forgotten (RFC 6749 section 4.1.2.1).", (*visit).checkUnknownClient},
		{"authorize-plain", "PKCE with plain is refused", nil, "an error",
			"Refuse code_challenge_method=plain (RFC 9700 section 2.1.1).", (*visit).checkPlainRefused},
		{"authorize-pkce", "A request without PKCE is refused", nil, "an error",
			"Demand code_challenge of every client (RFC 9700 section 2.1.1, MCP authorization).", (*visit).checkPKCE},
		{"authorize-error", "An error that is sent back carries state and iss", []Client{ChatGPT, Codex}, "state as it was sent, and iss, where it is advertised",
			"Send iss on errors too (RFC 9207 section 2, RFC 6749 section 4.1.2.1).", (*visit).checkErrorBack},
		{"authorize-port", "A loopback redirect may use any port", []Client{ClaudeCode, Codex, VSCode}, "the same page as with the registered port",
			"Ignore the port of redirect URIs on loopback (RFC 8252 section 7.3).", (*visit).checkPort},
	}
}

// What the authorization requests carry that nobody answers.
const (
	idleState    = "rialto-doctor-state"
	idleVerifier = "rialto-doctor-asks-and-nobody-ever-redeems-this"
)

// ask returns an authorization URL for the doctor's client.
func (v *visit) ask(state, verifier string, change func(url.Values)) string {
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"response_type":         {"code"},
		"client_id":             {v.registered().id},
		"redirect_uri":          {v.registered().redirect},
		"state":                 {state},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {"S256"},
		"resource":              {v.canonical()},
	}
	if s := v.scope(); s != "" {
		q.Set("scope", s)
	}
	if change != nil {
		change(q)
	}
	to := parsed(v.endpoint("authorization_endpoint"))
	if to.RawQuery != "" {
		to.RawQuery += "&"
	}
	to.RawQuery += q.Encode()
	return to.String()
}

// canonical returns the resource as clients send it: as the metadata say.
func (v *visit) canonical() string {
	if r := v.resource().text("resource"); r != "" {
		return r
	}
	return v.address
}

// asked opens an authorization URL without cookies.
func (v *visit) asked(change func(url.Values)) (*answer, bool) {
	if v.endpoint("authorization_endpoint") == "" || v.registered().id == "" {
		return nil, false
	}
	address := v.ask(idleState, idleVerifier, change)
	return v.once("authorize "+address, func() *answer {
		return v.send(request{method: http.MethodGet, url: address, header: http.Header{"Accept": {"text/html"}}})
	}), true
}

// back returns the parameters of an answer that goes to the client.
func (v *visit) back(a *answer) (url.Values, bool) {
	to := a.header.Get("Location")
	if !a.redirect() || !strings.HasPrefix(to, v.registered().redirect) {
		return nil, false
	}
	return parsed(to).Query(), true
}

// page tells whether an answer shows a person something to decide.
func (v *visit) page(a *answer) bool {
	_, back := v.back(a)
	return a.status == http.StatusOK && a.contentType() == "text/html" || (a.status == 302 || a.status == 303) && !back
}

func noClient() finding { return skip("there is no client to ask for") }

func (v *visit) checkPage() finding {
	a, ok := v.asked(nil)
	if !ok {
		return noClient()
	}
	return check(v.page(a), "%s, content type %q", a, a.contentType())
}

// shown runs a check of the page's head.
func (v *visit) shown(f func(http.Header) finding) finding {
	a, ok := v.asked(nil)
	if !ok {
		return noClient()
	}
	if a.status != http.StatusOK {
		return skip("there is no page at the endpoint itself")
	}
	return f(a.header)
}

func (v *visit) checkFrame() finding {
	return v.shown(func(h http.Header) finding {
		policy, frame := h.Get("Content-Security-Policy"), h.Get("X-Frame-Options")
		ok := strings.Contains(policy, "frame-ancestors 'none'") || strings.Contains(policy, "frame-ancestors 'self'") ||
			strings.EqualFold(frame, "DENY") || strings.EqualFold(frame, "SAMEORIGIN")
		return check(ok, "Content-Security-Policy %q, X-Frame-Options %q", policy, frame)
	})
}

func (v *visit) checkPageStore() finding {
	return v.shown(func(h http.Header) finding {
		return check(strings.Contains(h.Get("Cache-Control"), "no-store"), "Cache-Control is %q", h.Get("Cache-Control"))
	})
}

func (v *visit) checkUnknownRedirect() finding {
	a, ok := v.asked(func(q url.Values) { q.Set("redirect_uri", "https://rialto-doctor.invalid/callback") })
	if !ok {
		return noClient()
	}
	return check(a.status/100 == 4, "%s", a)
}

func (v *visit) checkUnknownClient() finding {
	a, ok := v.asked(func(q url.Values) { q.Set("client_id", "rialto-doctor-"+rand.Text()) })
	if !ok {
		return noClient()
	}
	return check(a.status/100 == 4 && a.contentType() == "text/html", "%s, content type %q", a, a.contentType())
}

// refused tells whether a request was answered with an error, to the client or
// to the person.
func (v *visit) refused(a *answer) bool {
	params, back := v.back(a)
	return a.status/100 == 4 || back && params.Get("error") != ""
}

func plainChallenge(q url.Values) {
	q.Set("code_challenge", idleVerifier)
	q.Set("code_challenge_method", "plain")
}

func (v *visit) checkPlainRefused() finding {
	a, ok := v.asked(plainChallenge)
	if !ok {
		return noClient()
	}
	return check(v.refused(a), "%s", a)
}

func (v *visit) checkPKCE() finding {
	a, ok := v.asked(func(q url.Values) {
		q.Del("code_challenge")
		q.Del("code_challenge_method")
	})
	if !ok {
		return noClient()
	}
	return check(v.refused(a), "%s", a)
}

func (v *visit) checkErrorBack() finding {
	a, ok := v.asked(plainChallenge)
	if !ok {
		return noClient()
	}
	params, back := v.back(a)
	if !back || params.Get("error") == "" {
		return skip("no error was sent back")
	}
	return v.checkBack(params, idleState)
}

// checkBack checks what every answer to a client must carry.
func (v *visit) checkBack(params url.Values, state string) finding {
	switch iss := params.Get("iss"); {
	case params.Get("state") != state:
		return fail("the state is another").breaking(Clients()...)
	case iss == "" && v.server().flag(issSupported):
		return fail("iss is advertised and was not sent")
	case iss != "" && iss != v.server().text("issuer"):
		return fail("iss is %q", iss)
	}
	return pass("both are there")
}

func (v *visit) checkPort() finding {
	a, ok := v.asked(func(q url.Values) { q.Set("redirect_uri", "http://127.0.0.1:43118/callback") })
	if !ok {
		return noClient()
	}
	return check(v.page(a), "%s", a)
}
