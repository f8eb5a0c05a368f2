// Package web serves the pages that links in chats open: tasks, documents with their
// files, shared documents, and the connection of agents. How pages look is in package
// templates; the guard in front, or the link, decides who may open them.
package web

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/view"
	"rialto/templates"
)

// Documents serves documents.DocumentPath, the address of search results, to their owner,
// who can share them. A task has a page of its own.
type Documents struct{ Site }

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
	case reads(r):
		d.show(w, r, http.StatusOK, id, templates.Sharing{})
	case d.Bridge.Documents.Sharing == nil:
		notAllowed(w, "GET, HEAD")
	case r.Method == http.MethodPost:
		d.handleForm(w, r, id)
	default:
		notAllowed(w, "GET, HEAD, POST")
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
		s, err = d.changeSharing(r, id)
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

func (d *Documents) show(
	w http.ResponseWriter,
	r *http.Request,
	status int,
	id string,
	s templates.Sharing,
) {
	sheet, err := d.Bridge.Documents.ViewPage(r.Context(), d.access(r), id)
	if err != nil {
		d.writeError(w, r, err)
		return
	}

	var links Links = ownLinks{sheet}
	if strings.HasPrefix(sheet.ID, "doc:") { // one text, which no task holds
		if r.URL.Query().Has("download") {
			sendPart(w, r, &a2a.Part{
				Content:   a2a.Raw(sheet.Pieces[0].Text()),
				MediaType: "text/plain; charset=utf-8",
			})
			return
		}
		links = textLink{}
	}

	page := document(sheet, d.Bridge.Directory.Title(sheet.Agent), links)
	page.Frame = d.frame(r)
	page.Facts = []templates.Fact{{Name: "Document ID", Value: templates.ID(sheet.ID)}}
	page.Up = &templates.Way{Href: "/account/tasks", Name: "Tasks"}
	if handle := sheet.Fields["task"]; strings.HasPrefix(sheet.ID, "artifact:") {
		page.Up = &templates.Way{Href: documents.TaskPath + url.PathEscape(handle), Name: "Task"}
	}
	if d.Bridge.Documents.Sharing != nil && !strings.HasPrefix(sheet.ID, "agent:") {
		page.Sharing, err = d.sharing(r, sheet.ID, s)
		if err != nil {
			d.writeError(w, r, err)
			return
		}
	}

	templates.Write(w, r, status, page)
}

// textLink is the address of a document that is one text.
type textLink struct{}

// FileURL implements Links.
func (textLink) FileURL(*view.Piece) string { return "?download" }

// document returns the page of a document that is no task.
func document(s *documents.DocumentView, title string, links Links) templates.Task {
	m := newPartBuilder(links)
	results := m.results(s.Pieces)
	return templates.Task{
		Title:      s.Title,
		Agent:      s.Agent,
		AgentTitle: title,
		Fields:     fields(s.Fields),
		Results:    results,
		Cut:        s.Cut || m.cut,
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
	if d.writeUnavailable(w, r, err) {
		return
	}

	page := templates.Problem{
		Product: d.Product,
		Title:   "This document can't be shown",
		Detail:  "It doesn't exist, or you may not see it.",
		Remedy:  "Ask in the chat that gave you the link to search again.",
	}
	status := http.StatusNotFound
	var agent *a2a.Error
	var down directory.Unreachable
	switch {
	case errors.As(err, &down):
		status, page.Detail, page.Remedy = http.StatusServiceUnavailable, down.Error(), "Try again later."
	case errors.As(err, &agent):
		status = http.StatusBadGateway
		page.Detail = "The agent refused it."
		d.Log.WarnContext(r.Context(), "fetching a document", "err", err)
	}

	templates.Write(w, r, status, page)
}
