package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"rialto/templates"
)

const (
	maxQuery   = 32 << 10
	requestTTL = 10 * time.Minute
)

// showAuthorize serves the authorization endpoint (RFC 6749 section 4.1.1):
// it checks the request, keeps it under a handle and asks the person.
func (s *Server) showAuthorize(w http.ResponseWriter, r *http.Request) {
	req, client, err := s.readRequest(r)
	if back, ok := errors.AsType[*sendBack](err); ok {
		s.writeBack(w, r, back)
		return
	}
	if err != nil {
		s.writeProblem(w, r, err)
		return
	}
	session, err := s.session(r)
	if err != nil {
		s.writeProblem(w, r, err)
		return
	}
	handle, err := s.keep(w, r, req)
	if err != nil {
		s.writeProblem(w, r, err)
		return
	}
	q := ask{req: req, client: client, handle: handle}
	if s.AutoApprove != nil && !q.lookAlike() {
		if err := s.approveUnasked(w, r, q); err != nil {
			s.writeProblem(w, r, err)
		}
		return
	}
	s.consentPage(w, r, http.StatusOK, q, session, templates.Authorize{})
}

// keep stores the request under a one-time handle that goes into the form and
// a cookie that stays with the browser. Either is nothing without the other: a
// stranger who makes a victim post the stranger's handle has no cookie there.
// Each request has a cookie of its own, so that several tabs do not collide.
func (s *Server) keep(w http.ResponseWriter, r *http.Request, req *Request) (handle string, err error) {
	handle, browser := secret(""), secret("")
	req.Handle, req.Browser, req.Expires = hash(handle), hash(browser), s.Now().Add(requestTTL)
	if err := s.Store.AddRequest(r.Context(), req); err != nil {
		return "", err
	}
	s.setCookie(w, requestCookie(req.Handle), browser, requestTTL)
	return handle, nil
}

// requestCookie names the cookie of the request under the hash of a handle.
func requestCookie(handle string) string { return "rialto-request-" + handle[:12] }

// readRequest decides about an authorization request. Before client and
// redirect URI are known to belong together every error is a page, because an
// error that follows an unchecked address makes the server an open redirector;
// after that it is a *sendBack.
func (s *Server) readRequest(r *http.Request) (*Request, *Client, error) {
	if err := s.limitAuthorize(r); err != nil {
		return nil, nil, err
	}
	if len(r.URL.RawQuery) > maxQuery {
		return nil, nil, badLink(http.StatusRequestURITooLong, "The request is too long.")
	}
	f, err := parseForm(r.URL.RawQuery, "resource")
	if err != nil {
		return nil, nil, badLink(http.StatusBadRequest, asDescription(err))
	}
	client, err := s.client(r.Context(), f.get("client_id"))
	if errors.Is(err, ErrNotFound) {
		return nil, nil, unknownClient()
	}
	if err != nil {
		return nil, nil, err
	}
	if uri := f.get("request_uri"); strings.HasPrefix(uri, pushedPrefix) {
		req, err := s.pushed(r.Context(), uri, client)
		return req, client, err
	}
	to, err := redirectFor(client, f.get("redirect_uri"))
	if err != nil {
		return nil, nil, badLink(http.StatusBadRequest, "The app asks to be answered at an address that it did not register.")
	}
	req, err := s.checkRequest(f, client, to)
	if err != nil {
		return nil, nil, &sendBack{client, to, f.get("state"), asRefusal(err)}
	}
	return req, client, nil
}

// checkRequest decides about everything but client and redirect URI.
func (s *Server) checkRequest(f form, c *Client, to redirectURI) (*Request, error) {
	if err := checkShape(f); err != nil {
		return nil, err
	}
	if err := checkChallenge(f.get("code_challenge"), f.get("code_challenge_method")); err != nil {
		return nil, err
	}
	if jkt := f.get("dpop_jkt"); jkt != "" && (len(jkt) != 43 || !isBase64URL(jkt)) {
		return nil, refuse("invalid_request", "dpop_jkt is not a SHA-256 in base64url.")
	}
	if err := checkResource(s.Resource, f["resource"]); err != nil {
		return nil, err
	}
	scope, err := s.grantable(f.get("scope"))
	if err != nil {
		return nil, err
	}
	prompt := strings.Fields(f.get("prompt"))
	if slices.Contains(prompt, "none") {
		return nil, refuse("interaction_required", "The person is asked every time.")
	}
	return &Request{
		ClientID:     c.ID,
		RedirectURI:  to.raw,
		RedirectSent: f.get("redirect_uri") != "",
		State:        f.get("state"),
		Scope:        scope,
		Resource:     s.Resource,
		Challenge:    f.get("code_challenge"),
		JKT:          f.get("dpop_jkt"),
		Login:        slices.Contains(prompt, "login") || slices.Contains(prompt, "select_account"),
	}, nil
}

// checkShape refuses what the server does not do.
func checkShape(f form) error {
	switch {
	case f.get("request") != "":
		return refuse("request_not_supported", "Request objects are not supported.")
	case f.get("request_uri") != "":
		return refuse("request_uri_not_supported", "A request_uri must be one that was pushed here.")
	case f.get("response_type") == "":
		return refuse("invalid_request", "response_type is missing.")
	case f.get("response_type") != "code":
		return refuse("unsupported_response_type", "The only response_type is code.")
	case f.get("response_mode") != "" && f.get("response_mode") != "query":
		return refuse("invalid_request", "The only response_mode is query.")
	}
	return nil
}

// checkChallenge demands PKCE with S256 of every client (RFC 9700 section
// 2.1.1). A missing method would mean "plain" (RFC 7636 section 4.3).
func checkChallenge(challenge, method string) error {
	switch {
	case challenge == "":
		return refuse("invalid_request", "code_challenge is missing: PKCE is required.")
	case method != "S256":
		return refuse("invalid_request", "code_challenge_method must be S256.")
	case len(challenge) != 43 || !isBase64URL(challenge):
		return refuse("invalid_request", "code_challenge is not a SHA-256 in base64url.")
	}
	return nil
}

// sendBack is an error that the client should learn of.
type sendBack struct {
	client *Client
	to     redirectURI
	state  string
	err    *Error
}

func (b *sendBack) Error() string { return b.err.Error() }

// writeBack answers a request that is wrong. An app on the user's own computer
// and one that the operator knows are told by a redirect. Any other client has registered itself with an
// address of its choice: the person sees that the address is foreign before
// going there (RFC 9700 section 4.11.2).
func (s *Server) writeBack(w http.ResponseWriter, r *http.Request, b *sendBack) {
	url := s.answerURL(b.to, b.state, param{"error", b.err.Code}, param{"error_description", b.err.Description})
	s.Log.InfoContext(r.Context(), "oauth: authorization request refused", "client", b.client.ID, "code", b.err.Code)
	if b.to.loopback() || b.client.configured {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		http.Redirect(w, r, url, http.StatusSeeOther)
		return
	}
	templates.Write(w, r, http.StatusBadRequest, templates.Problem{
		Product: s.Name,
		Title:   "The app asked for something that is not possible",
		Detail:  b.err.Description,
		Remedy:  "Go back to the app and start again. If it happens again, tell the people who make the app.",
		Client:  b.client.Name,
		URL:     url,
	})
}

// answerURL builds the answer to a client: the parameters, the state as it
// came, and who answers (RFC 9207), on errors too.
func (s *Server) answerURL(to redirectURI, state string, params ...param) string {
	return to.with(append(params, param{"state", state}, param{"iss", s.Issuer})...)
}

func badLink(status int, detail string) *problem {
	return &problem{
		status: status,
		title:  "This link does not work",
		detail: detail,
		remedy: "Go back to the app and start again. If it happens again, remove the connection there and add it anew.",
	}
}

// unknownClient explains the most frequent failure there is: the app keeps an
// ID that this server has forgotten, and does not ask for a new one by itself.
func unknownClient() *problem {
	return badLink(http.StatusBadRequest, "The app is not registered here, or its registration has expired.")
}

func asDescription(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Description
	}
	return "The request is not well formed."
}

func asRefusal(err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return refuse("server_error", "The request could not be checked.")
}

// ask is a question that waits for its answer.
type ask struct {
	req    *Request
	client *Client
	handle string   // "" after a stay at an identity provider
	ticked ScopeSet // what the form chose; nil before there was one
}

// chosen returns the part of what was asked for that the form ticked. Nobody
// has to decide about a refresh token.
func (q ask) chosen() ScopeSet {
	return slices.DeleteFunc(slices.Clone(q.req.Scope), func(scope string) bool {
		return scope != offlineAccess && !q.ticked.Has(scope)
	})
}

// lookAlike tells whether the client bears the name of somebody else.
func (q ask) lookAlike() bool {
	to, err := parseRedirect(q.req.RedirectURI)
	return err != nil || lookAlike(q.client, to) != ""
}

// consentPage asks. Nobody is taken as signed in when the client wants the
// person to sign in again.
func (s *Server) consentPage(w http.ResponseWriter, r *http.Request, status int, q ask, session *Session, page templates.Authorize) {
	to, err := parseRedirect(q.req.RedirectURI)
	if err != nil {
		s.writeProblem(w, r, err)
		return
	}
	page.Product, page.Client, page.ClientURI = s.Name, q.client.Name, q.client.URI
	page.Unverified = !q.client.configured && !q.client.documented
	page.RedirectHost, page.Loopback = to.host(), to.local()
	page.LookAlike = lookAlike(q.client, to)
	page.Scopes = s.inWords(q)
	page.Agents = s.reaches(q, session)
	page.Handle, page.Action = q.handle, s.path("/authorize")
	if session != nil && !q.req.Login {
		page.User = session.Name
	}
	s.offerSignIn(&page)
	settingUp, err := s.settingUp(r.Context())
	if err != nil {
		s.writeProblem(w, r, err)
		return
	}
	if settingUp {
		page.Setup = s.path("/signin")
	}
	templates.Write(w, r, status, page)
}

// reaches names what the grant would reach. To nobody in particular it says what
// everybody may know: use cases also hide that an agent is there.
func (s *Server) reaches(q ask, session *Session) []string {
	switch {
	case s.Opens == nil || !q.req.Scope.Meets(ScopeTools):
		return nil
	case session == nil:
		return s.Opens(nil, false)
	}
	q.ticked = q.req.Scope // at most
	return s.Opens(q.within(session).UseCases())
}

// offerSignIn puts the ways to sign in onto the page.
func (s *Server) offerSignIn(page *templates.Authorize) {
	page.NoPasswords = s.NoPasswords
	page.Providers = s.providersToOffer()
	if s.Pasted != nil {
		page.Token = &templates.Token{Issuer: s.Pasted.URL, Audiences: strings.Join(s.Pasted.Audiences, " ")}
	}
}

func (s *Server) providersToOffer() []templates.Provider {
	var all []templates.Provider
	for _, p := range s.Providers {
		all = append(all, templates.Provider{ID: p.ID, Name: p.name()})
	}
	return all
}

// inWords returns the scopes as a person should read them. All are ticked at
// first but the operator's, which nobody is to grant by going on.
func (s *Server) inWords(q ask) []templates.Scope {
	var words []templates.Scope
	for _, name := range q.req.Scope.without(offlineAccess) {
		scope := templates.Scope{Name: name, Words: s.words(name), Ticked: q.ticked.Has(name)}
		if useCase := UseCase(name); useCase != "*" {
			scope.UseCase = useCase
		}
		if q.ticked == nil {
			scope.Ticked = name != ScopeAdmin
		}
		words = append(words, scope)
	}
	return words
}

// words returns what the operator says that a scope means.
func (s *Server) words(name string) string {
	if UseCase(name) != "" {
		name = ScopeTools
	}
	i := slices.IndexFunc(s.Scopes, func(scope Scope) bool { return scope.Name == name })
	if i < 0 {
		return name // the configuration has changed since the request came
	}
	return s.Scopes[i].Words
}

// waiting returns the question that a form answers, if it is this browser's.
func (s *Server) waiting(ctx context.Context, r *http.Request, handle string) (ask, error) {
	q, err := s.waitingAt(ctx, r, hash(handle))
	q.handle = handle
	return q, err
}

// waitingAt returns the question under the hash of a handle, if it is this
// browser's.
func (s *Server) waitingAt(ctx context.Context, r *http.Request, handle string) (ask, error) {
	req, err := s.Store.Request(ctx, handle, s.Now())
	if errors.Is(err, ErrNotFound) {
		return ask{}, badLink(http.StatusBadRequest, "This page has been answered already, or it has waited too long.")
	}
	if err != nil {
		return ask{}, err
	}
	if !same(hash(s.cookie(r, requestCookie(handle))), req.Browser) {
		return ask{}, errCrossSite()
	}
	client, err := s.client(ctx, req.ClientID)
	if errors.Is(err, ErrNotFound) {
		return ask{}, unknownClient()
	}
	if err != nil {
		return ask{}, err
	}
	// The client may have withdrawn the address since the request came.
	if _, err := redirectFor(client, req.RedirectURI); err != nil {
		return ask{}, badLink(http.StatusBadRequest, "The app has changed the addresses that it registered.")
	}
	return ask{req: req, client: client}, nil
}
