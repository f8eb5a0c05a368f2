package web

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"rialto/bridge/documents"
	"rialto/bridge/view"
	"rialto/templates"
)

// Shared serves documents.SharedPath: shared documents, to everybody with the link, and
// with "/NUMBER" one piece as a download. Content of agents is text on the page or a
// file to save, never a page of this server. A link that has ended and one that never
// existed get the same answer.
type Shared struct{ Site }

// ServeHTTP shows the document of the secret in the path.
func (s *Shared) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	if !reads(r) {
		notAllowed(w, "GET, HEAD")
		return
	}
	secret, number, file := strings.Cut(strings.TrimPrefix(r.URL.Path, documents.SharedPath), "/")
	if file {
		s.download(w, r, secret, number)
		return
	}
	sheet, until, err := s.Bridge.Documents.Shared(r.Context(), secret)
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	if r.Method == http.MethodGet {
		s.Bridge.Documents.CountView(r.Context(), s.access(r), secret)
	}
	var page templates.Task
	if v := s.Bridge.Documents.LinkView(sheet); v != nil {
		page = TaskPage(v, s.Now(), sharedLinks(secret))
	} else {
		page = document(sheet, s.Bridge.Directory.Title(sheet.Agent), sharedLinks(secret))
	}

	page.Product = s.Product
	page.Until = templates.Textf("Shared from {} until {}", s.Product, templates.Date(until))
	templates.Write(w, r, http.StatusOK, page)
}

// sharedLinks are the addresses of the files of a shared document, by its secret.
type sharedLinks string

// FileURL implements Links.
func (l sharedLinks) FileURL(p *view.Piece) string {
	return documents.SharedPath + string(l) + "/" + strconv.Itoa(p.Number)
}

func (s *Shared) download(w http.ResponseWriter, r *http.Request, secret, number string) {
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || strconv.Itoa(n) != number {
		s.writeError(w, r, documents.ErrNoShare)
		return
	}

	part, err := s.Bridge.Documents.SharedPiece(r.Context(), secret, n)
	if err != nil {
		s.writeError(w, r, err)
		return
	}

	sendPart(w, r, part)
}

// writeError is the one place where an error becomes a page.
func (s *Shared) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if s.writeUnavailable(w, r, err) {
		return
	}

	status := http.StatusNotFound
	page := templates.Problem{
		Product: s.Product,
		Title:   "This page can't be shown",
		Detail:  "Its link has expired, was ended, or never existed.",
		Remedy:  "Ask for a new link.",
	}
	if !errors.Is(err, documents.ErrNoShare) {
		status = http.StatusServiceUnavailable
		page.Detail = ""
		page.Remedy = "Try again later."
		s.Log.ErrorContext(r.Context(), "showing what is shared", "err", err)
	}

	templates.Write(w, r, status, page)
}
