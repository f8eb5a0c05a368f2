package client

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"rialto/internal/quota"
	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/jwt"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Authenticator finds out which client sent a request (RFC 6749 section 2.3).
type Authenticator struct {
	Clients *Clients
	Fetcher *Fetcher
	Once    token.OnceStore
	Keys    *jwt.KeySets // by address
	Env     *endpoint.Env

	guesses quota.Backoff // of secrets of the operator's clients, by client and network: they may be short
}

// credentials are what a request says of the client that sends it. The secret
// of a client with a key is its assertion.
type credentials struct{ method, id, secret string }

// readCredentials finds the client's credentials in a request: in the header
// or in the body, never in both (RFC 6749 section 2.3).
func readCredentials(header []string, f endpoint.Form) (c credentials, err error) {
	id := f.Get("client_id")
	secret := f.Get("client_secret")
	assertion := f.Get("client_assertion")
	switch {
	case len(header) > 1:
		return c, oauth.BadRequest("There is more than one Authorization header.")
	case len(header) == 1 && secret+assertion != "" || secret != "" && assertion != "":
		return c, oauth.BadRequest("The client authenticates in two ways at once.")
	case assertion != "":
		return assertionCredentials(f.Get("client_assertion_type"), assertion, id)
	case len(header) == 1:
		return basicCredentials(header[0], id)
	case secret != "":
		return credentials{oauth.AuthPost, id, secret}, nil
	}

	return credentials{oauth.AuthNone, id, ""}, nil
}

// basicCredentials reads the Basic scheme. Both halves are form-encoded before
// they are joined (RFC 6749 section 2.3.1), which plain HTTP Basic is not.
func basicCredentials(header, inBody string) (c credentials, err error) {
	bad := oauth.Refuse(
		"invalid_client", "The Authorization header is not a well-formed Basic header.",
	)
	scheme, encoded, _ := strings.Cut(header, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return c, bad
	}
	pair, err := base64.StdEncoding.Strict().DecodeString(strings.TrimLeft(encoded, " "))
	if err != nil {
		return c, bad
	}
	id, secret, ok := strings.Cut(string(pair), ":")
	if !ok {
		return c, bad
	}
	id, errID := url.QueryUnescape(id)
	secret, errSecret := url.QueryUnescape(secret)
	if errID != nil || errSecret != nil || !endpoint.IsText(id) || !endpoint.IsText(secret) {
		return c, bad
	}
	if inBody != "" && inBody != id {
		return c, oauth.BadRequest("The client names itself in two ways.")
	}
	return credentials{oauth.AuthBasic, id, secret}, nil
}

// assertionCredentials reads a signed assertion (RFC 7521 section 4.2), which
// names the client if the request does not.
func assertionCredentials(kind, assertion, inBody string) (c credentials, err error) {
	if kind != assertionType {
		return c, oauth.Refuse("invalid_client", "client_assertion_type must be %s.", assertionType)
	}
	id := assertedClient(assertion)
	if inBody != "" && inBody != id {
		return c, oauth.Refuse("invalid_client", "The client_assertion is about another client.")
	}
	return credentials{oauth.AuthPrivateKeyJWT, id, assertion}, nil
}

// Form reads the form of an endpoint that only clients call, and returns the
// client that sent it.
func (au *Authenticator) Form(
	w http.ResponseWriter, r *http.Request,
) (*oauth.Client, endpoint.Form, error) {
	f, err := endpoint.ReadForm(w, r)
	if err != nil {
		return nil, nil, err
	}
	c, err := au.Authenticate(r, f)
	return c, f, err
}

// Authenticate returns the client that sent the request with the form.
func (au *Authenticator) Authenticate(r *http.Request, f endpoint.Form) (*oauth.Client, error) {
	c, err := au.authenticate(r, f)
	if err != nil {
		return nil, au.Env.LogRefusal(r, "", err)
	}
	return c, nil
}

// authenticate returns the client that sent the request. Every failure is the
// same 401, so that clients whose registration was dropped register again.
func (au *Authenticator) authenticate(r *http.Request, f endpoint.Form) (*oauth.Client, error) {
	cred, err := readCredentials(r.Header.Values("Authorization"), f)
	if err != nil {
		return nil, err
	}

	c, err := au.Clients.Find(r, cred.id)
	if errors.Is(err, oauth.ErrNotFound) {
		c = &oauth.Client{SecretHash: secret.Hash("nobody")}
		err = nil // compared all the same, for equal timing
	}
	if err != nil {
		return nil, err
	}

	guess := cred.id + " " + au.Env.Network(r)
	now := au.Env.Now()
	if wait := au.guesses.Wait(guess, now); wait > 0 && cred.secret != "" {
		return nil, oauth.TooMany(wait)
	}
	if !proves(c, cred) {
		if c.Configured && cred.secret != "" {
			au.guesses.Add(guess, now)
		}
		return nil, oauth.Refuse(
			"invalid_client", "The client is unknown or did not authenticate as it registered.",
		)
	}
	if cred.method == oauth.AuthPrivateKeyJWT {
		if err := au.assertionHolds(r, c, cred.secret); err != nil {
			return nil, err
		}
	}

	return c, nil
}

// proves tells whether the credentials are the client's, sent by a method that
// it registered. It does not check assertions.
func proves(c *oauth.Client, cred credentials) bool {
	hash := secret.Hash(cred.secret)
	right := secret.Same(hash, c.SecretHash)
	for _, old := range c.OldHashes {
		right = secret.Same(hash, old) || right
	}
	if cred.method != c.AuthMethod && !slices.Contains(c.OtherAuthMethods, cred.method) {
		return false
	}
	return right || cred.method == oauth.AuthNone || cred.method == oauth.AuthPrivateKeyJWT
}
