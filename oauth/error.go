package oauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"

	"rialto/templates"
)

// Error is a refusal in the words of the protocol (RFC 6749 section 5.2).
type Error struct {
	Code        string // "invalid_grant"
	Description string // for the developer of the client; ASCII, no quotes

	status int           // HTTP status; 0 is the one that belongs to Code
	after  time.Duration // Retry-After; 0 sends none
	event  *Event        // what there is to tell of it besides; nil is nothing
}

// Error returns the code and its description.
func (e *Error) Error() string { return e.Code + ": " + e.Description }

func refuse(code, format string, args ...any) *Error {
	return &Error{Code: code, Description: fmt.Sprintf(format, args...)}
}

// Status returns the HTTP status that goes with the code.
func (e *Error) Status() int {
	if e.status != 0 {
		return e.status
	}
	switch e.Code {
	case "invalid_client", "invalid_token":
		return http.StatusUnauthorized
	case "insufficient_scope", "access_denied":
		return http.StatusForbidden
	case "slow_down":
		return http.StatusTooManyRequests
	case "temporarily_unavailable":
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}

// refuser is an error that knows how to tell a client.
type refuser interface {
	error
	refusal() *Error
}

// explainer is an error that knows how to tell a person.
type explainer interface {
	error
	problem() *problem
}

func tooMany(after time.Duration) *Error {
	return &Error{Code: "slow_down", Description: "Too many requests; try again later.", after: after}
}

// asError makes an *Error of any error. What we did not mean to show is logged
// here, once. It comes from the store, so the client is told to try again: it
// would throw its tokens away if it were told that they are bad.
func (s *Server) asError(ctx context.Context, err error) *Error {
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	if e, ok := errors.AsType[refuser](err); ok {
		return e.refusal()
	}
	if !errors.Is(ctx.Err(), context.Canceled) { // by a client that hung up
		s.Log.ErrorContext(ctx, "oauth: request failed", "error", err)
	}
	return &Error{Code: "temporarily_unavailable", Description: "The server cannot answer now.", after: 5 * time.Second}
}

// writeError is the one place where an error of a JSON endpoint becomes bytes.
func (s *Server) writeError(w http.ResponseWriter, r *http.Request, err error) {
	e := s.asError(r.Context(), err)
	// A 401 says how to do better (RFC 9110 section 15.5.2, RFC 6749 section
	// 5.2, RFC 6750 section 3).
	switch {
	case e.Code == "invalid_client":
		w.Header().Set("WWW-Authenticate", `Basic realm="`+s.Issuer+`", charset="UTF-8"`)
	case e.Code == "invalid_token" && w.Header().Get("WWW-Authenticate") == "":
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
	}
	if e.after > 0 {
		w.Header().Set("Retry-After", seconds(e.after))
	}
	writeJSON(w, e.Status(), struct {
		Error       string `json:"error"`
		Description string `json:"error_description,omitempty"`
	}{e.Code, e.Description})
}

// writeJSON sends an answer that no cache may keep (RFC 6749 section 5.1).
func writeJSON(w http.ResponseWriter, status int, body any) {
	b, err := json.Marshal(body)
	if err != nil {
		panic(err) // only our own types come here
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(b) // an error here means that nobody is reading any more
}

// seconds renders a Retry-After: whole seconds, rounded up.
func seconds(d time.Duration) string {
	return strconv.FormatInt(int64((d+time.Second-1)/time.Second), 10)
}

// problem is a refusal that a person reads, on a page of our own.
type problem struct {
	status                int
	title, detail, remedy string
	after                 time.Duration
}

func (p *problem) Error() string { return p.title + ": " + p.detail }

// writeProblem is the one place where an error of a page becomes bytes.
func (s *Server) writeProblem(w http.ResponseWriter, r *http.Request, err error) {
	if e, ok := errors.AsType[explainer](err); ok {
		err = e.problem()
	}
	p, ok := errors.AsType[*problem](err)
	if !ok {
		e := s.asError(r.Context(), err)
		p = &problem{status: e.Status(), title: "This did not work", detail: e.Description, remedy: "Try again in a moment.", after: e.after}
	}
	if p.after > 0 {
		w.Header().Set("Retry-After", seconds(p.after))
	}
	templates.Write(w, r, p.status, templates.Problem{Product: s.Name, Title: p.title, Detail: p.detail, Remedy: p.remedy})
}
