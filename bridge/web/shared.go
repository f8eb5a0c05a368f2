package web

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/templates"
)

// Shared serves bridge.SharedPath: documents that their owners share, to
// whoever has the link, and with "/NUMBER" behind it one piece, to be
// downloaded. What an agent made is text on the page and a file to save, and
// never a page of this server. A link that has ended, or that never was, leads
// nowhere: same status, same words. All fields are required.
type Shared struct {
	Product string
	Bridge  *bridge.Bridge
	Log     *slog.Logger
}

// ServeHTTP shows what the secret in the path leads to.
func (s *Shared) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	secret, number, file := strings.Cut(strings.TrimPrefix(r.URL.Path, bridge.SharedPath), "/")
	if file {
		s.download(w, r, secret, number)
		return
	}
	sheet, until, err := s.Bridge.Shared(r.Context(), secret)
	if err != nil {
		s.problem(w, r, err)
		return
	}
	page := document(s.Product, sheet, func(b bridge.Block) string {
		if b.File || b.Link == "" && b.Number >= 0 {
			return bridge.SharedPath + secret + "/" + strconv.Itoa(b.Number)
		}
		return b.Link
	})
	for i := range page.Pieces {
		p := &page.Pieces[i]
		p.Here = p.Here || strings.HasPrefix(p.Href, bridge.SharedPath)
	}
	page.Until = moment(until)
	templates.Write(w, r, http.StatusOK, page)
}

func (s *Shared) download(w http.ResponseWriter, r *http.Request, secret, number string) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || strconv.Itoa(n) != number {
		s.problem(w, r, bridge.ErrNoShare)
		return
	}
	part, err := s.Bridge.SharedPiece(r.Context(), secret, n)
	if err != nil {
		s.problem(w, r, err)
		return
	}
	if _, ok := part.Content.(a2a.Raw); !ok {
		s.problem(w, r, bridge.ErrNoShare)
		return
	}
	sendFile(w, r, part)
}

// problem is the one place where an error becomes a page.
func (s *Shared) problem(w http.ResponseWriter, r *http.Request, err error) {
	status := http.StatusNotFound
	page := templates.Problem{
		Product: s.Product,
		Title:   "This page cannot be shown",
		Detail:  "Its link has expired or was ended, or there never was one.",
		Remedy:  "Ask whoever gave you the link for a new one.",
	}
	if !errors.Is(err, bridge.ErrNoShare) {
		status, page.Detail, page.Remedy = http.StatusServiceUnavailable, "", "Try again later."
		s.Log.Error("showing what is shared", "err", err)
	}
	templates.Write(w, r, status, page)
}
