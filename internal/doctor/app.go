package doctor

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net"
	"net/http"
	"net/url"
	"strings"

	"rialto/internal/loopback"
)

// app is the throw-away client that the doctor registers, and the requests that it
// makes as that client.
type app struct {
	*target
	login    bool // a login will follow
	answer   *answer
	id       string
	redirect string
	listener net.Listener // nil unless there is to be a login
	hosted   *answer      // to the registration of the redirect URIs of hosted clients
}

// registered registers the client, once.
func (a *app) registered() *app {
	if a.answer != nil {
		return a
	}
	a.redirect = "http://127.0.0.1:43117/callback"
	if a.login {
		if l, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
			a.listener, a.redirect = l, "http://"+l.Addr().String()+loopback.Path
		}
	}

	a.answer = a.register(map[string]any{
		"client_name":                "Rialto doctor",
		"application_type":           "native",
		"redirect_uris":              []string{a.redirect},
		"token_endpoint_auth_method": "none",
		"grant_types":                []string{"authorization_code", "refresh_token"},
		"response_types":             []string{"code"},
		"scope":                      a.scope(),
	})
	if d, err := a.answer.object(); err == nil && a.answer.status/100 == 2 {
		a.id = d.text("client_id")
	}

	return a
}

// register sends a registration.
func (a *app) register(metadata map[string]any) *answer {
	address := a.endpoint("registration_endpoint")
	if address == "" {
		return &answer{}
	}

	body, _ := json.Marshal(metadata) // strings always have a JSON form
	h := http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json"}}
	got := a.send(http.MethodPost, address, h, string(body))
	a.addSecrets(got, "client_secret", "registration_access_token")
	return got
}

// What authorization requests carry that are never completed.
const (
	idleState    = "rialto-doctor-state"
	idleVerifier = "rialto-doctor-asks-and-never-redeems-this-code"
)

func (a *app) authorizeURL(state, verifier string, change func(url.Values)) string {
	sum := sha256.Sum256([]byte(verifier))
	q := url.Values{
		"response_type":         {"code"},
		"client_id":             {a.registered().id},
		"redirect_uri":          {a.redirect},
		"state":                 {state},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(sum[:])},
		"code_challenge_method": {"S256"},
		"resource":              {a.canonical()},
	}
	if scope := a.scope(); scope != "" {
		q.Set("scope", scope)
	}
	if change != nil {
		change(q)
	}

	to := parsed(a.endpoint("authorization_endpoint"))
	if to.RawQuery != "" {
		to.RawQuery += "&"
	}

	to.RawQuery += q.Encode()
	return to.String()
}

// authorize opens the URL of an authorization request without cookies, once.
func (a *app) authorize(change func(url.Values)) *answer {
	address := a.authorizeURL(idleState, idleVerifier, change)
	return a.once("authorize "+address, func() *answer {
		return a.fetch(address, "text/html")
	})
}

// callback returns the parameters of an answer that redirects to the client.
func (a *app) callback(got *answer) (url.Values, bool) {
	to := got.header.Get("Location")
	if !got.redirect() || !strings.HasPrefix(to, a.redirect) {
		return nil, false
	}
	return parsed(to).Query(), true
}

// page tells whether an answer shows a person a decision, or sends them to a page.
func (a *app) page(got *answer) bool {
	_, back := a.callback(got)
	return got.status == http.StatusOK && got.contentType() == "text/html" ||
		(got.status == 302 || got.status == 303) && !back
}

// refused tells whether an authorization request got an error, shown to the person or
// sent to the client.
func (a *app) refused(got *answer) bool {
	params, back := a.callback(got)
	return got.status/100 == 4 || back && params.Get("error") != ""
}

// redeem posts to the token endpoint.
func (a *app) redeem(values url.Values) *answer {
	if !values.Has("client_id") {
		values.Set("client_id", a.registered().id)
	}
	values.Set("resource", a.canonical())
	got := a.form(a.endpoint("token_endpoint"), values)
	a.addSecrets(got, "access_token", "refresh_token", "id_token")
	return got
}

func codeForm(code, redirect, verifier string) url.Values {
	return url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {code},
		"redirect_uri":  {redirect},
		"code_verifier": {verifier},
	}
}

func refreshForm(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}
}

// remove removes the clients, where the server supports it (RFC 7592 section 2.3).
func (a *app) remove() {
	for _, got := range []*answer{a.answer, a.hosted} {
		if got == nil {
			continue
		}
		d, err := got.object()
		uri := d.text("registration_client_uri")
		token := d.text("registration_access_token")
		if err != nil || token == "" || !sameOrigin(uri, a.endpoint("registration_endpoint")) {
			continue // the token must not go to another server
		}
		a.send(http.MethodDelete, uri, http.Header{"Authorization": {"Bearer " + token}}, "")
	}
}

// extend lets the doctor clean up after its time and its requests are used up.
func (p *prober) extend(requests int) {
	p.ctx = context.WithoutCancel(p.ctx)
	p.cutShort = ""
	p.budget = p.requests + requests
}
