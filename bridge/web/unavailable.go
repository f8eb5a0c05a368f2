package web

import (
	"log/slog"
	"net/http"

	"rialto/internal/unavailable"
	"rialto/templates"
)

// writeUnavailable answers an error of a database that cannot be used now with a page, and
// reports whether it has.
func writeUnavailable(w http.ResponseWriter, r *http.Request, product string, log *slog.Logger, err error) bool {
	if _, is := unavailable.As(err); !is {
		return false
	}
	log.ErrorContext(r.Context(), "showing a page", "err", err)
	w.Header().Set("Retry-After", unavailable.RetryAfterHeader)
	templates.Write(w, r, http.StatusServiceUnavailable, templates.Problem{
		Product: product, Title: "This did not work", Detail: "The server cannot answer now.", Remedy: "Try again in a moment.",
	})
	return true
}
