package flow

import (
	"context"
	"net/http"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// PAR serves pushed authorization requests (RFC 9126).
type PAR struct {
	Requests      *Requests
	Authenticator *client.Authenticator
	Proofs        *token.Proofs
	Env           *endpoint.Env
}

// pushedPrefix begins the name of a request that was pushed (RFC 9126 section 2.2).
const pushedPrefix = "urn:ietf:params:oauth:request_uri:"

// pushedTTL is how long a pushed request waits for the browser.
const pushedTTL = 90 * time.Second

// Serve takes a request directly from its client, so that it cannot be seen or
// changed in the browser.
func (pr *PAR) Serve(w http.ResponseWriter, r *http.Request) error {
	uri, err := pr.push(w, r)
	if err != nil {
		return err
	}
	endpoint.WriteJSON(w, http.StatusCreated, struct {
		RequestURI string `json:"request_uri"`
		ExpiresIn  int64  `json:"expires_in"`
	}{uri, int64(pushedTTL / time.Second)})
	return nil
}

// push checks a request as the authorization endpoint does, and stores it. It
// belongs to no browser yet.
func (pr *PAR) push(w http.ResponseWriter, r *http.Request) (uri string, err error) {
	c, f, err := pr.Authenticator.Form(w, r)
	if err != nil {
		return "", err
	}
	if f.Get("request_uri") != "" {
		return "", oauth.BadRequest(
			"request_uri has no place in a pushed request.",
		) // RFC 9126 section 2.1
	}

	to, err := client.RedirectFor(c, f.Get("redirect_uri"))
	if err != nil {
		return "", oauth.BadRequest("redirect_uri is not one that the client registered.")
	}

	req, err := pr.Requests.check(f, c, to)
	if err != nil {
		return "", err
	}
	if jkt, err := pr.Proofs.Verify(r, pr.Env.Issuer, ""); err != nil {
		return "", err
	} else if jkt != "" && req.JKT != "" && jkt != req.JKT {
		return "", token.BadProof("Its key is not that of dpop_jkt.")
	} else if jkt != "" {
		req.JKT = jkt // RFC 9449 section 10.1
	}
	if e := pr.Env.Allow(endpoint.Push, r); e != nil {
		return "", e
	}

	name := secret.New("")
	req.Handle = secret.Hash(name)
	req.Expires = pr.Env.Now().Add(pushedTTL)
	return pushedPrefix + name, pr.Requests.Store.AddRequest(r.Context(), req)
}

// pushed returns the request that a client pushed under a name, once. Other
// parameters of the link are ignored (RFC 9126 section 4).
func (rs *Requests) pushed(
	ctx context.Context, uri string, c *oauth.Client,
) (*oauth.Request, error) {
	name := strings.TrimPrefix(uri, pushedPrefix)
	if !secret.Is(name, "") {
		return nil, endpoint.NotConnected("unknown_request", "The app's request is unknown.")
	}

	req, err := rs.Store.TakePushed(ctx, secret.Hash(name), c.ID, rs.Env.Now())
	if err != nil {
		return nil, oauth.IfNotFound(err, endpoint.BadLink(
			"request_expired", "The app's request was used already, or it has waited too long.",
		))
	}

	return req, stillRegistered(c, req.RedirectURI)
}
