package console

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"rialto/bridge/events"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/internal/dberr"
	"rialto/oauth"
	"rialto/templates"
)

// missing answers unknown addresses.
func (c *Console) missing(w http.ResponseWriter, r *http.Request) {
	c.writeError(w, r, operator.ErrNotFound)
}

// writeError is the one place where an error becomes a page.
func (c *Console) writeError(w http.ResponseWriter, r *http.Request, err error) {
	p := templates.Problem{
		Product: c.Product,
		Title:   "This didn't work",
		Detail:  "The server can't answer now.",
		Remedy:  "Try again in a moment.",
	}
	status := http.StatusServiceUnavailable
	var refused *operator.Error
	switch {
	case errors.Is(err, errForm):
		status = http.StatusBadRequest
		p.Detail = "What was sent isn't a form of this page."
		p.Remedy = "Go back and try again."
	case errors.Is(err, operator.ErrNotFound),
		errors.Is(err, oauth.ErrNotFound),
		errors.Is(err, events.ErrNoSubscription),
		errors.Is(err, ledger.ErrNoTask):
		a := accountArea
		if strings.HasPrefix(r.URL.Path, adminArea.root) {
			a = adminArea
		}
		c.write(w, r, http.StatusNotFound, a, &templates.Console{
			Title: "Page not found",
			Lead:  templates.Textf("There is nothing at this address. It may have been removed."),
			Sections: []templates.Section{
				{
					ID:   "missing",
					Lead: templates.Link(a.root, templates.Textf("Go back to the start")),
				},
			},
		})
		return
	case errors.As(err, &refused):
		status = http.StatusUnprocessableEntity
		p.Reason = say(refused)
		p.Remedy = "Go back and change it."
		if refused.Reason == operator.Busy {
			status = http.StatusTooManyRequests
			p.Remedy = "Go back and try again."
			w.Header().Set("Retry-After", dberr.RetryAfterHeader)
		}
	case errors.Is(err, context.Canceled):
		return // the browser has left
	default:
		w.Header().Set("Retry-After", dberr.RetryAfterHeader)
		c.Log.ErrorContext(r.Context(), "console: request failed", "path", r.URL.Path, "err", err)
	}

	templates.Write(w, r, status, p)
}

// say returns the sentence of a refusal.
func say(e *operator.Error) templates.Text { return templates.Sentence(e.Sentence()) }
