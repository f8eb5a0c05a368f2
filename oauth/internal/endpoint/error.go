package endpoint

import (
	"context"
	"errors"
	"net/http"
	"time"

	"rialto/oauth"
	"rialto/templates"
)

// refuser is an error that knows how to tell a client.
type refuser interface {
	error
	Refusal() *oauth.Error
}

// explainer is an error that knows how to tell a person.
type explainer interface {
	error
	Problem() *oauth.Problem
}

// AsError makes an *Error of any error. It logs unexpected errors, once. These
// come from the store, so the client learns to try again: it would discard its
// tokens if it learned that they were invalid.
func (env *Env) AsError(ctx context.Context, err error) *oauth.Error {
	if e, ok := errors.AsType[*oauth.Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[refuser](err); ok {
		return e.Refusal()
	}
	if !errors.Is(ctx.Err(), context.Canceled) { // by a client that hung up
		env.Log.ErrorContext(ctx, "oauth: request failed", "error", err)
	}

	return &oauth.Error{
		Code:        "temporarily_unavailable",
		Description: "The server can't answer now.",
		RetryAfter:  5 * time.Second,
	}
}

// JSON returns a handler that writes the error of h as JSON.
func (env *Env) JSON(h func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			env.WriteError(w, r, err)
		}
	}
}

// Page returns a handler that writes the error of h as a page.
func (env *Env) Page(h func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			env.WriteProblem(w, r, err)
		}
	}
}

// WriteError is the one place where an error of a JSON endpoint becomes bytes.
func (env *Env) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	e := env.AsError(r.Context(), err)
	// A 401 says how to do better (RFC 9110 section 15.5.2, RFC 6749 section
	// 5.2, RFC 6750 section 3).
	switch {
	case e.Code == "invalid_client":
		w.Header().Set("WWW-Authenticate", `Basic realm="`+env.Issuer+`", charset="UTF-8"`)
	case e.Code == "invalid_token" && w.Header().Get("WWW-Authenticate") == "":
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	}

	SetRetryAfter(w, e.RetryAfter, e.Quota)
	WriteJSON(w, e.Status(), struct {
		Error       string `json:"error"`
		Description string `json:"error_description,omitempty"`
	}{e.Code, e.Description})
}

// WriteProblem is the one place where an error of a page becomes bytes.
func (env *Env) WriteProblem(w http.ResponseWriter, r *http.Request, err error) {
	if e, ok := errors.AsType[explainer](err); ok {
		err = e.Problem()
	}
	p, ok := errors.AsType[*oauth.Problem](err)
	if !ok {
		e := env.AsError(r.Context(), err)
		p = &oauth.Problem{
			Code:       "server_error",
			Status:     e.Status(),
			Title:      "This didn't work",
			Detail:     e.Description,
			Remedy:     "Try again in a moment.",
			RetryAfter: e.RetryAfter,
			Quota:      e.Quota,
		}
	}
	SetRetryAfter(w, p.RetryAfter, p.Quota)
	templates.Write(w, r, p.Status, templates.Problem{
		Product:     env.Name,
		Title:       p.Title,
		Detail:      p.Detail,
		Remedy:      p.Remedy,
		RemedyFirst: true,
		Client:      p.Client,
		Address:     p.Address,
	})
}

// AuditFailedSignIn records an attempt to sign in, without the account that it was for.
func (env *Env) AuditFailedSignIn(r *http.Request, detail string) {
	env.Audit(r, oauth.Event{Kind: oauth.EventSignIn, Outcome: oauth.EventFailed, Detail: detail})
}

// AuditAccount records what a person did with an account.
func (env *Env) AuditAccount(r *http.Request, kind oauth.EventKind, a *oauth.Account, detail string) {
	env.Audit(r, oauth.Event{Kind: kind, AccountID: a.ID, Account: a.Name, Detail: detail})
}

// Audit tells of an event that a request brought.
func (env *Env) Audit(r *http.Request, e oauth.Event) {
	if env.Events != nil {
		e.Address = env.Address(r)
		env.Events.Happened(r.Context(), e)
	}
}
