package oauth

import (
	"net/http"
	"time"

	"rialto/internal/i18n"
	"rialto/internal/quota"
)

// Error is a refusal that a client reads (RFC 6749 section 5.2).
type Error struct {
	Code        string // "invalid_grant"
	Description string // for the developer of the client; ASCII, no quotes

	HTTPStatus int           // HTTP status; 0 is the one that belongs to Code
	RetryAfter time.Duration // Retry-After; 0 sends none
	Quota      quota.Policy  // that is used up; the zero value is none
	Event      *Event        // an event to record; nil is none

	sentence *i18n.Message // of Refuse
}

// Error returns the code and its description.
func (e *Error) Error() string { return e.Code + ": " + e.Description }

// Refuse returns an error with a formatted description.
func Refuse(code, format string, args ...any) *Error {
	m := i18n.New(format, args...)
	return &Error{Code: code, Description: m.Error(), sentence: m}
}

// BadRequest is Refuse with the code invalid_request.
func BadRequest(format string, args ...any) *Error {
	return Refuse("invalid_request", format, args...)
}

// Sentence returns the description with its values apart; nil if Refuse did not make it.
func (e *Error) Sentence() *i18n.Message { return e.sentence }

// Status returns the HTTP status that goes with the code.
func (e *Error) Status() int {
	if e.HTTPStatus != 0 {
		return e.HTTPStatus
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

// TooMany tells a client to come back later.
func TooMany(after time.Duration) *Error {
	return &Error{
		Code:        "slow_down",
		Description: "Too many requests; try again later.",
		RetryAfter:  after,
	}
}

// Problem is a refusal that a person reads on a page.
type Problem struct {
	Code                  string // never changes: "unknown_client"
	Status                int    // of HTTP
	Title, Detail, Remedy string // English
	Client, Address       string // whose request it was, and the address that Detail is about, if known
	RetryAfter            time.Duration
	Quota                 quota.Policy
}

// Error returns the title and the detail.
func (p *Problem) Error() string { return p.Title + ": " + p.Detail }
