package doctor

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

func tokenErrorSteps() []step {
	return []step{
		{"token-redirect", "The token endpoint does not redirect", []Client{Claude}, "an answer that is no redirect",
			"Serve the endpoint at the address that the metadata name (RFC 6749 section 3.2).", (*visit).checkTokenRedirect},
		{"token-code-error", "A bad code is refused in JSON", []Client{Claude}, `status 400 with the error "invalid_grant"`,
			"Answer JSON, not a page (RFC 6749 section 5.2).", (*visit).checkBadCode},
		{"token-refresh-error", "A bad refresh token is refused with invalid_grant", []Client{Claude}, `status 400 with the error "invalid_grant"`,
			"Use this code and no other: it is what makes Claude ask the person again (RFC 6749 section 5.2).", (*visit).checkBadRefresh},
		{"token-client-error", "An unknown client is refused with invalid_client", []Client{Claude}, `status 401 with the error "invalid_client"`,
			"Use this code: it is what makes Claude register anew (RFC 6749 section 5.2).", (*visit).checkBadClient},
		{"token-error-no-store", "Answers of the token endpoint are not stored", nil, "Cache-Control: no-store",
			"Forbid caches to keep them (RFC 6749 section 5.1).", (*visit).checkTokenStore},
	}
}

func loginSteps() []step {
	return []step{
		{"login", "The person comes back with a code", Clients(), "a code at the redirect URI",
			"Answer the consent form with a page or a 303; 307 sends the form on to the client (RFC 9700 section 4.12).", (*visit).checkLogin},
		{"login-state", "The answer carries state and iss", []Client{ChatGPT, Codex}, "state as it was sent, and iss, where it is advertised",
			"Return state byte for byte, and send iss (RFC 6749 section 4.1.2, RFC 9207 section 2).", (*visit).checkLoginState},
		{"token", "The code gets a token", Clients(), `status 200 with access_token and token_type "Bearer"`,
			"Accept a form with code, redirect_uri, client_id, code_verifier and resource (RFC 6749 section 4.1.3, RFC 7636 section 4.5, RFC 8707 section 2.2).", (*visit).checkToken},
		{"token-expires", "The token says how long it lasts", []Client{Claude, ClaudeCode, Codex}, "expires_in, a number above 0",
			"Send expires_in: clients refresh ahead of time (RFC 6749 section 5.1).", (*visit).checkExpires},
		{"token-refresh", "There is a refresh token", []Client{ChatGPT, Claude, ClaudeCode}, "refresh_token",
			"Issue one without demanding offline_access (RFC 6749 section 1.5).", (*visit).checkRefreshToken},
		{"token-scope", "The token says what it is for", nil, "scope",
			"Send scope always, so that a client can tell whether to ask for more (RFC 6749 section 5.1).", (*visit).checkTokenScope},
		{"token-no-store", "The token is not stored", nil, "Cache-Control: no-store",
			"Forbid caches to keep it (RFC 6749 section 5.1).", (*visit).checkGrantedStore},
	}
}

// granted is what a login gave.
type granted struct {
	callback url.Values
	state    string
	verifier string
	answer   *answer // of the token endpoint
	tokens   document
	err      error
}

// redeem posts to the token endpoint as the doctor's client.
func (v *visit) redeem(values url.Values) *answer {
	if !values.Has("client_id") {
		values.Set("client_id", v.registered().id)
	}
	values.Set("resource", v.canonical())
	a := v.form(v.endpoint("token_endpoint"), values)
	if d, err := a.object(); err == nil {
		v.hide(d.text("access_token"))
		v.hide(d.text("refresh_token"))
		v.hide(d.text("id_token"))
	}
	return a
}

func codeForm(code, redirect, verifier string) url.Values {
	return url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {redirect}, "code_verifier": {verifier}}
}

func refreshForm(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}
}

// badly runs a check of the answer to a bad code.
func (v *visit) badly(f func(*answer) finding) finding {
	if v.endpoint("token_endpoint") == "" || v.registered().id == "" {
		return noClient()
	}
	return f(v.once("bad code", func() *answer {
		return v.redeem(codeForm("no-code-of-anybody", v.app.redirect, idleVerifier))
	}))
}

func refusedWith(a *answer, status int, code string) finding {
	d, err := a.object()
	if err != nil {
		return fail("%v", err)
	}
	return check(a.status == status && d.text("error") == code, "%s", a)
}

func (v *visit) checkTokenRedirect() finding {
	return v.badly(func(a *answer) finding { return check(!a.redirect(), "%s", a) })
}

func (v *visit) checkBadCode() finding {
	return v.badly(func(a *answer) finding { return refusedWith(a, http.StatusBadRequest, "invalid_grant") })
}

func (v *visit) checkTokenStore() finding {
	return v.badly(noStore)
}

func noStore(a *answer) finding {
	return check(strings.Contains(a.header.Get("Cache-Control"), "no-store"), "Cache-Control is %q", a.header.Get("Cache-Control"))
}

func (v *visit) checkBadRefresh() finding {
	return v.badly(func(*answer) finding {
		return refusedWith(v.redeem(refreshForm("no-token-of-anybody")), http.StatusBadRequest, "invalid_grant")
	})
}

func (v *visit) checkBadClient() finding {
	return v.badly(func(*answer) finding {
		form := refreshForm("no-token-of-anybody")
		form.Set("client_id", "rialto-doctor-"+rand.Text())
		return refusedWith(v.redeem(form), http.StatusUnauthorized, "invalid_client")
	})
}

// login sends a person through the flow, once.
func (v *visit) login() *granted {
	if v.granted == nil {
		v.granted = &granted{state: rand.Text(), verifier: rand.Text() + rand.Text()}
		v.granted.err = v.granted.run(v)
	}
	return v.granted
}

func (g *granted) run(v *visit) error {
	app := v.registered()
	if app.id == "" || app.listener == nil || v.endpoint("authorization_endpoint") == "" {
		return fmt.Errorf("there is no client to log in with")
	}
	var err error
	if g.callback, err = v.await(app.listener, v.ask(g.state, g.verifier, nil)); err != nil {
		return err
	}
	v.hide(g.callback.Get("code"))
	if g.callback.Get("code") == "" {
		return fmt.Errorf("the answer was the error %q", g.callback.Get("error"))
	}
	if g.callback.Get("state") != g.state {
		return nil // a code that is perhaps somebody else's is not redeemed
	}
	g.answer = v.redeem(codeForm(g.callback.Get("code"), app.redirect, g.verifier))
	g.tokens, _ = g.answer.document()
	return nil
}

// await asks the person to open an address and waits for the answer.
func (v *visit) await(l net.Listener, address string) (url.Values, error) {
	came := make(chan url.Values, 1)
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		if r.URL.Path != "/callback" || !q.Has("code") && !q.Has("error") {
			http.NotFound(w, r)
			return
		}
		select {
		case came <- q:
		default: // one answer is enough
		}
		fmt.Fprintln(w, "The doctor has its answer. You can close this window.")
	})}
	go server.Serve(l) // ends with Shutdown
	defer func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(v.ctx), 2*time.Second)
		defer cancel()
		server.Shutdown(ctx) // lets the browser read the last line
	}()
	if err := v.d.Login(v.ctx, address); err != nil {
		return nil, err
	}
	select {
	case q := <-came:
		return q, nil
	case <-v.ctx.Done():
		return nil, fmt.Errorf("nobody came back from the browser")
	}
}

// loggedIn runs a check of what the login gave.
func (v *visit) loggedIn(f func(*granted) finding) finding {
	if v.d.Token != "" || v.d.Login == nil {
		return skip("there was no login")
	}
	return f(v.login())
}

func (v *visit) checkLogin() finding {
	return v.loggedIn(func(g *granted) finding {
		if g.err != nil {
			return fail("%v", g.err)
		}
		return pass("a code")
	})
}

func (v *visit) checkLoginState() finding {
	return v.loggedIn(func(g *granted) finding {
		if g.callback == nil {
			return skip("nobody came back")
		}
		return v.checkBack(g.callback, g.state)
	})
}

func (v *visit) checkToken() finding {
	return v.loggedIn(func(g *granted) finding {
		if g.answer == nil {
			return skip("there was no code")
		}
		ok := g.tokens.text("access_token") != "" && strings.EqualFold(g.tokens.text("token_type"), "Bearer")
		return check(ok, "%s, token_type %q", g.answer, g.tokens.text("token_type"))
	})
}

// given runs a check of a good token answer.
func (v *visit) given(f func(document) finding) finding {
	return v.loggedIn(func(g *granted) finding {
		if g.tokens.text("access_token") == "" {
			return skip("there was no token")
		}
		return f(g.tokens)
	})
}

func (v *visit) checkExpires() finding {
	return v.given(func(d document) finding {
		seconds, _ := d["expires_in"].(float64)
		return check(seconds > 0, "expires_in is %v", d["expires_in"])
	})
}

func (v *visit) checkRefreshToken() finding {
	return v.given(func(d document) finding { return check(d.text("refresh_token") != "", "there is none") })
}

func (v *visit) checkTokenScope() finding {
	return v.given(func(d document) finding { return check(d.text("scope") != "", "scope is %q", d.text("scope")) })
}

func (v *visit) checkGrantedStore() finding {
	return v.given(func(document) finding { return noStore(v.granted.answer) })
}
