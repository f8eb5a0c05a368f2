package flow

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/signin"
	"rialto/oauth/token"
	"rialto/templates"
)

// Consent serves the authorization endpoint: it asks the person, and gives the client its code.
type Consent struct {
	Requests *Requests
	Store    RequestStore
	Pages    *signin.Pages
	Pasted   *signin.Pasted
	Tokens   *token.Tokens
	Scopes   *oauth.Scopes
	Env      *endpoint.Env
	CodeTTL  time.Duration

	Agents Agents // nil names nothing

	// AutoApprove approves every request; nil asks.
	AutoApprove *AutoApproval
}

// Agents names what a grant opens.
type Agents interface {
	// Titles names the agents that a grant for a resource and some use cases, or for all, reaches. It
	// must not wait.
	Titles(resource string, some []string, all bool) []string
}

// Show serves the authorization endpoint (RFC 6749 section 4.1.1):
// it checks the request, keeps it under a handle and asks the person.
func (cn *Consent) Show(w http.ResponseWriter, r *http.Request) error {
	if query := r.URL.Query(); query.Has(handleParameter) && !query.Has("client_id") {
		return cn.showAgain(w, r, query.Get(handleParameter))
	}

	req, client, err := cn.Requests.read(r)
	if back, ok := errors.AsType[*sendBack](err); ok {
		cn.writeBack(w, r, back)
		return nil
	}
	if err != nil {
		return err
	}

	session, err := cn.Pages.Sessions.Current(r)
	if err != nil {
		return err
	}

	handle, err := cn.Requests.keep(w, r, req)
	if err != nil {
		return err
	}

	q, err := cn.Requests.pending(req, client, handle)
	if err != nil {
		return err
	}
	if cn.AutoApprove != nil && q.lookAlike == "" {
		return cn.approveAutomatically(w, r, q)
	}
	if r.URL.Query().Has("request_uri") {
		r = atHandle(r, handle)
	}

	return cn.page(w, r, http.StatusOK, q, session, templates.Authorize{})
}

// handleParameter is in links that lead back to the page of a request which was pushed: the address
// that the app opened works once.
const handleParameter = "handle"

// atHandle returns the request as one for the page of a handle, for the links on the page.
func atHandle(r *http.Request, handle string) *http.Request {
	query := url.Values{handleParameter: {handle}}
	if lang := r.URL.Query().Get("lang"); lang != "" {
		query.Set("lang", lang)
	}
	r = r.Clone(r.Context())
	r.URL.RawQuery = query.Encode()
	return r
}

// showAgain shows the page of a request that waits for this browser.
func (cn *Consent) showAgain(w http.ResponseWriter, r *http.Request, handle string) error {
	q, err := cn.Requests.waiting(r, handle)
	if err != nil {
		return err
	}
	session, err := cn.Pages.Sessions.Current(r)
	if err != nil {
		return err
	}
	return cn.page(w, r, http.StatusOK, q, session, templates.Authorize{})
}

// sendBack is an error to report to the client's redirect URI.
type sendBack struct {
	client *oauth.Client
	to     client.RedirectURI
	state  string
	err    *oauth.Error
}

func (b *sendBack) Error() string { return b.err.Error() }

// writeBack reports an error to the client. It redirects to an app on the user's own computer and
// to a client of the operator. Any other client has chosen its address, so the person sees it on a
// page before going there (RFC 9700 section 4.11.2).
func (cn *Consent) writeBack(w http.ResponseWriter, r *http.Request, b *sendBack) {
	cn.Env.Log.InfoContext(
		r.Context(), "oauth: authorization request refused",
		"client", b.client.ID,
		"code", b.err.Code,
	)
	if b.to.Loopback() || b.client.Configured {
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("Referrer-Policy", "no-referrer")
		http.Redirect(w, r, cn.errorURL(b), http.StatusSeeOther)
		return
	}

	cn.showRefusal(w, r, http.StatusBadRequest, b)
}

func (cn *Consent) errorURL(b *sendBack) string {
	return cn.answerURL(
		b.to, b.state, "error", b.err.Code, "error_description", b.err.Description,
	)
}

// showRefusal shows an error on a page with a link that reports it to the client.
func (cn *Consent) showRefusal(w http.ResponseWriter, r *http.Request, status int, b *sendBack) {
	templates.Write(w, r, status, templates.Problem{
		Product: cn.Env.Name,
		Client:  b.client.Name,
		URL:     cn.errorURL(b),
		Title:   "This app couldn't be connected",
		Detail:  b.err.Description,
		Remedy:  "Go back to the app and start again. If it happens again, tell the people who make the app.",

		RemedyFirst: true,
	})
}

// answerURL builds the address of an answer: the parameters, the state as
// received, and the issuer (RFC 9207), on errors too.
func (cn *Consent) answerURL(to client.RedirectURI, state string, params ...string) string {
	return to.With(append(params, "state", state, "iss", cn.Env.Issuer)...)
}

// unknownClient explains the most frequent failure: the app keeps an ID that
// this server has dropped, and does not register again.
func unknownClient() *oauth.Problem {
	return endpoint.NotConnected(
		"unknown_client", "The app isn't registered here, or its registration has expired.",
	)
}

func asRefusal(err error) *oauth.Error {
	if e, ok := errors.AsType[*oauth.Error](err); ok {
		return e
	}
	return oauth.Refuse("server_error", "The request could not be checked.")
}

// ProviderCallback serves the address to which an identity provider sends people
// back. It continues what they left for: a page of ours, or a request that waits
// for their approval. The session is nil if the provider refused.
func (cn *Consent) ProviderCallback(w http.ResponseWriter, r *http.Request) error {
	l, session, err := cn.Pages.Providers.Return(w, r)
	switch {
	case err != nil:
		return err
	case l.Handle == "" && session == nil:
		return cn.Pages.Write(w, r, http.StatusForbidden, templates.SignIn{
			Next:  signin.SafeNext(l.Next),
			Error: "The identity provider didn't sign you in.",
		})
	case l.Handle == "":
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, signin.SafeNext(l.Next), http.StatusSeeOther)
		return nil
	}

	q, err := cn.Requests.waitingAt(r, l.Handle)
	if err != nil {
		return err
	}
	if session != nil {
		q.ticked = slices.Clone(l.Scope)
		return cn.approveAs(w, r, q, session)
	}
	if err := cn.Store.Deny(r.Context(), q.req.Handle); err != nil {
		return asAnswered(err)
	}

	return cn.goBack(
		w,
		r,
		q,
		true,
		"error",
		"access_denied",
		"error_description",
		"The person was not signed in.",
	)
}
