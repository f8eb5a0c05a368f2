package doctor

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"

	"rialto/internal/loopback"
)

// grant is what a login gives: a code, tokens and their successors.
type grant struct {
	app    *app
	doctor *Doctor

	state, verifier string // empty until the login
	callback        url.Values
	answer          *answer // of the token endpoint
	tokens          document
	err             error
}

// login sends a person through the flow, once.
func (g *grant) login() *grant {
	if g.state == "" {
		g.state, g.verifier = rand.Text(), rand.Text()+rand.Text()
		g.err = g.run()
	}
	return g
}

func (g *grant) run() (err error) {
	app := g.app.registered()
	if app.id == "" || app.listener == nil || app.endpoint("authorization_endpoint") == "" {
		return errors.New("there is no client to log in with")
	}

	g.callback, err = g.await(app.listener, app.authorizeURL(g.state, g.verifier, nil))
	if err != nil {
		return err
	}

	code := g.callback.Get("code")
	app.addSecret(code)
	if code == "" {
		return fmt.Errorf("the answer was the error %q", g.callback.Get("error"))
	}
	if g.callback.Get("state") != g.state {
		return nil // the code may belong to another person
	}

	g.answer = app.redeem(codeForm(code, app.redirect, g.verifier))
	g.tokens, _ = g.answer.document()
	return nil
}

// await asks the person to open an address and waits for the callback.
func (g *grant) await(l net.Listener, address string) (url.Values, error) {
	ctx := g.app.ctx
	return loopback.Answer(
		ctx,
		l,
		"The doctor has its answer. You can close this window.",
		nil,
		func() error { return g.doctor.Login(ctx, address) },
	)
}

// refresh redeems the login's refresh token for the nth time.
func (g *grant) refresh(nth string) *answer {
	return g.app.once("refresh "+nth, func() *answer {
		return g.app.redeem(refreshForm(g.tokens.text("refresh_token")))
	})
}

// refreshed returns the tokens of the nth refresh, nil if there are none.
func (g *grant) refreshed(nth string) document {
	a, ok := g.app.cache["refresh "+nth]
	if !ok {
		return nil
	}
	d, _ := a.document()
	return d
}

func (g *grant) accessToken() string {
	for _, nth := range []string{"second", "first"} {
		if d := g.refreshed(nth); d != nil {
			return d.text("access_token")
		}
	}
	return g.login().tokens.text("access_token")
}

// revoke revokes the latest refresh token, or the access token, once.
func (g *grant) revoke(address string) *answer {
	return g.app.once("revoke", func() *answer {
		token := g.tokens.text("refresh_token")
		if d := g.refreshed("first"); d != nil {
			token = d.text("refresh_token")
		}
		if token == "" {
			token = g.accessToken()
		}
		return g.app.form(address, url.Values{"token": {token}, "client_id": {g.app.id}})
	})
}

// revokeRemaining revokes the grant, if no check has revoked it.
func (g *grant) revokeRemaining() {
	if g.tokens.text("access_token") == "" {
		return
	}
	if address := g.app.endpoint("revocation_endpoint"); address != "" {
		g.revoke(address)
	}
}
