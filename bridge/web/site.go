package web

import (
	"log/slog"
	"net/http"
	"time"

	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/internal/dberr"
	"rialto/templates"
)

// Site is what all pages have in common. All fields but Frame are required.
type Site struct {
	Product string
	Bridge  *bridge.Bridge
	Now     func() time.Time
	Log     *slog.Logger

	Frame Framer // makes what stands around the pages of a user; nil is only Product
}

// Framer makes what stands around a page.
type Framer interface {
	TaskFrame(*http.Request) templates.Frame
}

// access is what the user of a request may reach.
func (p *Site) access(r *http.Request) directory.Access {
	return p.Bridge.Directory.Access(r.Context())
}

// frame returns what stands around a page.
func (p *Site) frame(r *http.Request) templates.Frame {
	if p.Frame == nil {
		return templates.Frame{Product: p.Product}
	}
	f := p.Frame.TaskFrame(r)
	if words, ok := doneTexts[r.URL.Query().Get("done")]; ok {
		f.Done = templates.Textf(words)
	}
	return f
}

// writeUnavailable answers an error of a database that cannot be used now with a page, and
// reports whether it has.
func (p *Site) writeUnavailable(w http.ResponseWriter, r *http.Request, err error) bool {
	if _, is := dberr.As(err); !is {
		return false
	}

	p.Log.ErrorContext(r.Context(), "showing a page", "err", err)
	w.Header().Set("Retry-After", dberr.RetryAfterHeader)
	templates.Write(w, r, http.StatusServiceUnavailable, templates.Problem{
		Product: p.Product,
		Title:   "This didn't work",
		Detail:  "The server can't answer now.",
		Remedy:  "Try again in a moment.",
	})
	return true
}

// reads reports whether a request only reads.
func reads(r *http.Request) bool {
	return r.Method == http.MethodGet || r.Method == http.MethodHead
}

// notAllowed answers a request with a method that is not among the allowed ones.
func notAllowed(w http.ResponseWriter, allowed string) {
	w.Header().Set("Allow", allowed)
	http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
}

func redirect(w http.ResponseWriter, r *http.Request, to string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, to, http.StatusSeeOther)
}
