package flow

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// Requests checks authorization requests and keeps them while a person decides.
type Requests struct {
	Resources *oauth.Resources
	Store     RequestStore
	Clients   *client.Clients
	Scopes    *oauth.Scopes
	Env       *endpoint.Env
}

// keep stores the request under a one-time handle, which goes into the form, and a cookie of the
// browser. An answer needs both: an attacker who makes a victim post the attacker's handle has no
// cookie there. Each request has a cookie of its own, so that several tabs do not collide.
func (rs *Requests) keep(
	w http.ResponseWriter, r *http.Request, req *oauth.Request,
) (handle string, err error) {
	handle, browser := secret.New(""), secret.New("")
	req.Handle = secret.Hash(handle)
	req.Browser = secret.Hash(browser)
	req.Expires = rs.Env.Now().Add(endpoint.RequestTTL)
	if err := rs.Store.AddRequest(r.Context(), req); err != nil {
		return "", err
	}

	rs.Env.SetCookie(w, requestCookie(req.Handle), browser, endpoint.RequestTTL)
	return handle, nil
}

// requestCookie names the cookie of the request under the hash of a handle.
func requestCookie(handle string) string { return "rialto-request-" + handle[:12] }

// read checks an authorization request. Until client and redirect URI are known
// to match, every error is a page, because a redirect to an unchecked address
// makes the server an open redirector; after that it is a *sendBack.
func (rs *Requests) read(r *http.Request) (*oauth.Request, *oauth.Client, error) {
	if len(r.URL.RawQuery) > endpoint.MaxQuery {
		tooLong := endpoint.NotConnected("request_too_long", "The request is too long.")
		tooLong.Status = http.StatusRequestURITooLong
		return nil, nil, tooLong
	}

	f, err := endpoint.ParseForm(r.URL.RawQuery, "resource")
	if err != nil {
		return nil, nil, endpoint.NotConnected("bad_request", endpoint.Description(err))
	}

	c, err := rs.Clients.Find(r, f.Get("client_id"))
	if err != nil {
		return nil, nil, oauth.IfNotFound(err, unknownClient())
	}
	if uri := f.Get("request_uri"); strings.HasPrefix(uri, pushedPrefix) {
		req, err := rs.pushed(r.Context(), uri, c)
		return req, c, err
	}

	to, err := client.RedirectFor(c, f.Get("redirect_uri"))
	if err != nil {
		p := endpoint.NotConnected(
			"redirect_uri_not_registered",
			"The app asks to be answered at an address that it didn't register.",
		)
		p.Client = c.Name
		address := strings.Trim(strconv.QuoteToASCII(f.Get("redirect_uri")), `"`)
		p.Address = address[:min(len(address), 200)]
		return nil, nil, p
	}
	// Counted from here on, because from here on a request costs a row in the store.
	if err := rs.Env.AllowPage(endpoint.Authorize, r); err != nil {
		return nil, nil, err
	}

	req, err := rs.check(f, c, to)
	if err != nil {
		return nil, nil, &sendBack{c, to, f.Get("state"), asRefusal(err)}
	}

	return req, c, nil
}

// check checks everything but client and redirect URI.
func (rs *Requests) check(
	f endpoint.Form, c *oauth.Client, to client.RedirectURI,
) (*oauth.Request, error) {
	if err := checkShape(f); err != nil {
		return nil, err
	}
	if err := checkChallenge(f.Get("code_challenge"), f.Get("code_challenge_method")); err != nil {
		return nil, err
	}
	if jkt := f.Get("dpop_jkt"); jkt != "" && (len(jkt) != 43 || !secret.IsBase64URL(jkt)) {
		return nil, oauth.BadRequest("dpop_jkt is not a SHA-256 in base64url.")
	}

	resource, err := rs.Resources.Asked(f["resource"])
	if err != nil {
		return nil, err
	}

	resource = cmp.Or(resource, rs.Resources.Default())
	scope, err := rs.Scopes.Grantable(f.Get("scope"))
	if err != nil {
		return nil, err
	}

	scope = resource.Within(scope)
	if scope.OpensNothing() {
		return nil, oauth.Refuse("invalid_scope", "The resource grants none of these scopes.")
	}

	prompt := strings.Fields(f.Get("prompt"))
	if slices.Contains(prompt, "none") {
		return nil, oauth.Refuse("interaction_required", "The person is asked every time.")
	}

	after, err := signedInAfter(prompt, f.Get("max_age"), rs.Env.Now())
	if err != nil {
		return nil, err
	}

	return &oauth.Request{
		ClientID:     c.ID,
		RedirectURI:  to.Raw,
		RedirectSent: f.Get("redirect_uri") != "",
		State:        f.Get("state"),
		Scope:        scope,
		Resource:     resource.URL,
		Challenge:    f.Get("code_challenge"),
		JKT:          f.Get("dpop_jkt"),

		SignedInAfter: after,
	}, nil
}

// signedInAfter returns when the person must have signed in later (OpenID Connect Core 1.0 section
// 3.1.2.1): now for prompt=login, max_age seconds ago for max_age, and zero for neither.
func signedInAfter(prompt []string, maxAge string, now time.Time) (after time.Time, err error) {
	if slices.Contains(prompt, "login") || slices.Contains(prompt, "select_account") {
		return now, nil
	}
	if maxAge == "" {
		return after, nil
	}

	seconds, err := strconv.ParseUint(maxAge, 10, 31)
	if err != nil {
		return after, oauth.BadRequest("max_age is not a number of seconds.")
	}

	return now.Add(-time.Duration(seconds) * time.Second), nil
}

// checkShape refuses unsupported parameters.
func checkShape(f endpoint.Form) error {
	switch {
	case f.Get("request") != "":
		return oauth.Refuse("request_not_supported", "Request objects are not supported.")
	case f.Get("request_uri") != "":
		return oauth.Refuse(
			"request_uri_not_supported", "A request_uri must be one that was pushed here.",
		)
	case f.Get("response_type") == "":
		return oauth.BadRequest("response_type is missing.")
	case f.Get("response_type") != "code":
		return oauth.Refuse("unsupported_response_type", "The only response_type is code.")
	case f.Get("response_mode") != "" && f.Get("response_mode") != "query":
		return oauth.BadRequest("The only response_mode is query.")
	}
	return nil
}

// checkChallenge demands PKCE with S256 of every client (RFC 9700 section
// 2.1.1). A missing method would mean "plain" (RFC 7636 section 4.3).
func checkChallenge(challenge, method string) error {
	switch {
	case challenge == "":
		return oauth.BadRequest("code_challenge is missing: PKCE is required.")
	case method != "S256":
		return oauth.BadRequest("code_challenge_method must be S256.")
	case len(challenge) != 43 || !secret.IsBase64URL(challenge):
		return oauth.BadRequest("code_challenge is not a SHA-256 in base64url.")
	}
	return nil
}

// pendingAuthorization is an authorization request that waits for a person's decision.
type pendingAuthorization struct {
	req      *oauth.Request
	client   *oauth.Client
	resource *oauth.Resource
	handle   string         // "" after a sign-in at an identity provider
	ticked   oauth.ScopeSet // what the form chose; nil before there was one

	to        client.RedirectURI // where the answer goes
	lookAlike string             // the vendor whose name the client uses; "" is none
	genuine   bool               // see client.LookAlike
}

// signedIn tells whether the session is one in which the request may be approved.
func (q pendingAuthorization) signedIn(session *oauth.Session) bool {
	return session != nil &&
		(q.req.SignedInAfter.IsZero() || session.Created.After(q.req.SignedInAfter))
}

// chosen returns the requested scopes that the form ticked, and offline_access,
// which is not on the page.
func (q pendingAuthorization) chosen() oauth.ScopeSet {
	return slices.DeleteFunc(slices.Clone(q.req.Scope), func(scope string) bool {
		return scope != oauth.OfflineAccess && !q.ticked.Has(scope)
	})
}

// pending returns a request that waits for a person's decision.
func (rs *Requests) pending(
	req *oauth.Request, c *oauth.Client, handle string,
) (q pendingAuthorization, err error) {
	to, err := client.ParseRedirect(req.RedirectURI)
	if err != nil {
		return q, err
	}

	resource := rs.Resources.Of(req.Resource)
	if resource == nil {
		return q, endpoint.BadLink("connector_removed", "What the app asks for isn't here any more.")
	}

	own := client.Product{Name: rs.Env.Name, Issuer: rs.Env.Issuer}
	lookAlike, genuine := client.LookAlike(c, to, own)
	return pendingAuthorization{
		req:       req,
		client:    c,
		resource:  resource,
		handle:    handle,
		to:        to,
		lookAlike: lookAlike,
		genuine:   genuine,
	}, nil
}

// waiting returns the request that a form answers, if it is this browser's.
func (rs *Requests) waiting(r *http.Request, handle string) (q pendingAuthorization, err error) {
	q, err = rs.waitingAt(r, secret.Hash(handle))
	q.handle = handle
	return q, err
}

// waitingAt returns the request under the hash of a handle, if it is this browser's.
func (rs *Requests) waitingAt(r *http.Request, handle string) (q pendingAuthorization, err error) {
	req, err := rs.Store.Request(r.Context(), handle, rs.Env.Now())
	if err != nil {
		return q, oauth.IfNotFound(err, endpoint.BadLink(
			"request_expired", "This page has been answered already, or it has waited too long.",
		))
	}
	if !secret.Same(secret.Hash(rs.Env.Cookie(r, requestCookie(handle))), req.Browser) {
		return q, endpoint.CrossSite()
	}
	c, err := rs.Clients.Find(r, req.ClientID)
	if err != nil {
		return q, oauth.IfNotFound(err, unknownClient())
	}
	if err := stillRegistered(c, req.RedirectURI); err != nil {
		return q, err
	}

	return rs.pending(req, c, "")
}

// stillRegistered refuses an address that the client has withdrawn since the request came.
func stillRegistered(c *oauth.Client, redirectURI string) error {
	if _, err := client.RedirectFor(c, redirectURI); err != nil {
		return endpoint.NotConnected(
			"redirect_uri_withdrawn", "The app has changed the addresses that it registered.",
		)
	}
	return nil
}
