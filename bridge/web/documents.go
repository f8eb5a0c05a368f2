// Package web serves the pages that links in chats open: tasks, documents with their
// files, shared documents, and the connection of agents. How pages look is in package
// templates; the guard in front, or the link, decides who may open them.
package web

import (
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/view"
	"rialto/templates"
)

// Documents serves documents.DocumentPath, the address of search results, to their owner,
// who can share them. A task has a page of its own. All fields but Frame are required.
type Documents struct {
	Product string
	Bridge  *bridge.Bridge
	Now     func() time.Time
	Log     *slog.Logger

	Frame func(*http.Request) templates.Frame // around the page; nil is only Product
}

// ServeHTTP shows the document whose id follows the path, and handles the forms on its
// page. The guard in front checks that they come from there.
func (d *Documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), documents.DocumentPath))
	if err != nil {
		d.writeError(w, r, ledger.ErrNoTask)
		return
	}
	switch handle, task := strings.CutPrefix(id, documents.TaskID("")); {
	case task:
		redirect(w, r, documents.TaskPath+url.PathEscape(handle))
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		d.show(w, r, http.StatusOK, id, templates.Sharing{})
	case r.Method == http.MethodPost && d.Bridge.Documents.Sharing != nil:
		d.handleForm(w, r, id)
	default:
		w.Header().Set("Allow", map[bool]string{true: "GET, HEAD, POST", false: "GET, HEAD"}[d.Bridge.Documents.Sharing != nil])
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

// handleForm shares the document, or ends one of its links.
func (d *Documents) handleForm(w http.ResponseWriter, r *http.Request, id string) {
	err := readForm(w, r)
	if err == nil && r.PostForm.Get("do") != "share" && !r.PostForm.Has("revoke") {
		err = ledger.ErrNoTask
	}
	var s templates.Sharing
	if err == nil {
		s, err = changeSharing(r, d.Bridge.Documents, id)
	}
	switch {
	case err != nil:
		d.writeError(w, r, err)
	case s.Error != "":
		d.show(w, r, http.StatusConflict, id, s)
	case s.Link != "":
		d.show(w, r, http.StatusOK, id, s)
	default:
		redirect(w, r, r.URL.EscapedPath())
	}
}

func (d *Documents) show(w http.ResponseWriter, r *http.Request, status int, id string, s templates.Sharing) {
	sheet, err := d.Bridge.Documents.ViewPage(r.Context(), d.Bridge.Directory.Access(r.Context()), id)
	if err != nil {
		d.writeError(w, r, err)
		return
	}
	where := ownFile(sheet)
	if strings.HasPrefix(sheet.ID, "doc:") { // one text, which no task holds
		if r.URL.Query().Has("download") {
			sendFile(w, r, &a2a.Part{Content: a2a.Raw(sheet.Pieces[0].Text()), MediaType: "text/plain; charset=utf-8"})
			return
		}
		where = func(*view.Piece) string { return "?download" }
	}
	page := document(sheet, where)
	page.Frame = frame(d.Frame, r, d.Product)
	page.Facts = []templates.Fact{{Name: "Document ID", Value: templates.ID(sheet.ID)}}
	page.Up = &templates.Way{Href: "/account/tasks", Name: "Tasks"}
	if handle := sheet.Fields["task"]; strings.HasPrefix(sheet.ID, "artifact:") {
		page.Up = &templates.Way{Href: documents.TaskPath + url.PathEscape(handle), Name: "Task"}
	}
	if d.Bridge.Documents.Sharing != nil && !strings.HasPrefix(sheet.ID, "agent:") {
		if page.Sharing, err = sharing(r.Context(), d.Bridge.Documents, sheet.ID, d.Now(), s); err != nil {
			d.writeError(w, r, err)
			return
		}
	}
	templates.Write(w, r, status, page)
}

// document returns the page of a document that is no task. where returns the address of the file of
// a piece.
func document(s *documents.DocumentView, where func(*view.Piece) string) templates.Task {
	m := newMaker(where)
	results := m.results(s.Pieces)
	return templates.Task{
		Title:   s.Title,
		Agent:   s.Agent,
		Lead:    []templates.Text{templates.Verbatim(s.Agent)},
		Fields:  fields(s.Fields),
		Results: results,
		Cut:     s.Cut || m.cut,
	}
}

// fields lists the metadata without objects and lists, which are for programs.
func fields(metadata map[string]string) [][2]string {
	var out [][2]string
	for _, k := range slices.Sorted(maps.Keys(metadata)) {
		v := metadata[k]
		if k != "agent" && v != "" && v[0] != '{' && v[0] != '[' {
			out = append(out, [2]string{k, v})
		}
	}
	return out
}

// writeError is the one place where an error becomes a page.
func (d *Documents) writeError(w http.ResponseWriter, r *http.Request, err error) {
	if writeUnavailable(w, r, d.Product, d.Log, err) {
		return
	}
	page := templates.Problem{
		Product: d.Product,
		Title:   "This document cannot be shown",
		Detail:  "It does not exist, or you may not see it.",
		Remedy:  "Ask in the chat that gave you the link to search again.",
	}
	status := http.StatusNotFound
	var agent *a2a.Error
	var down directory.Unreachable
	switch {
	case errors.As(err, &down):
		status, page.Detail, page.Remedy = http.StatusServiceUnavailable, down.Error(), "Try again later."
	case errors.As(err, &agent):
		status, page.Detail = http.StatusBadGateway, "The agent refused it."
		d.Log.WarnContext(r.Context(), "fetching a document", "err", err)
	}
	templates.Write(w, r, status, page)
}
