// Package web serves the pages that links in chats open: tasks, documents with their
// files, shared documents, and the connection of agents. How pages look is in package
// templates; the guard in front, or the link, decides who may open them.
package web

import (
	"context"
	"errors"
	"fmt"
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
	"rialto/templates"
)

// Documents serves bridge.DocumentPath, the address of search results, to their owner,
// who can share them. All fields are required.
type Documents struct {
	Product string
	Bridge  *bridge.Bridge
	Log     *slog.Logger
}

const maxForm = 4 << 10

// ServeHTTP shows the document whose id follows the path, and handles the forms on its
// page. The guard in front checks that they come from there.
func (d *Documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), documents.DocumentPath))
	if err != nil {
		d.writeError(w, r, ledger.ErrNoTask)
		return
	}
	switch shares := d.Bridge.Documents.Sharing != nil; {
	case r.Method == http.MethodGet, r.Method == http.MethodHead:
		d.show(w, r, http.StatusOK, id, templates.Sharing{})
	case r.Method == http.MethodPost && shares:
		r.Body = http.MaxBytesReader(w, r.Body, maxForm)
		d.handleForm(w, r, id)
	default:
		w.Header().Set("Allow", map[bool]string{true: "GET, HEAD, POST", false: "GET, HEAD"}[shares])
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

// handleForm shares the document, or ends one of its links.
func (d *Documents) handleForm(w http.ResponseWriter, r *http.Request, id string) {
	var page templates.Sharing
	var err error
	switch status := http.StatusOK; {
	case r.PostFormValue("share") == "make":
		var s *documents.Share
		if s, page.Link, err = d.Bridge.Documents.ShareDocument(r.Context(), id); err == nil {
			page.Until = moment(s.Expires)
		}
		if page.Error = refusal(err); page.Error != "" {
			err, status = nil, http.StatusConflict
		}
		if err == nil {
			d.show(w, r, status, id, page)
			return
		}
	case r.PostFormValue("revoke") != "":
		err = d.Bridge.Documents.EndShare(r.Context(), r.PostFormValue("revoke"))
		if err == nil || errors.Is(err, documents.ErrNoShare) { // it has ended
			http.Redirect(w, r, r.URL.EscapedPath(), http.StatusSeeOther)
			return
		}
	default:
		err = ledger.ErrNoTask
	}
	d.writeError(w, r, err)
}

// refusal says why a document is not shared, if its owner can change that.
func refusal(err error) string {
	switch {
	case errors.Is(err, documents.ErrNotShareable):
		return "This can be shared when its task has ended."
	case errors.Is(err, documents.ErrTooManyShares):
		return "You have the largest number of shared links. End some of them first."
	}
	return ""
}

func (d *Documents) show(w http.ResponseWriter, r *http.Request, status int, id string, sharing templates.Sharing) {
	sheet, err := d.Bridge.Documents.ViewPage(r.Context(), id)
	if err != nil {
		d.writeError(w, r, err)
		return
	}
	page := document(d.Product, sheet, func(b documents.Block) string { return b.Link })
	page.ID = sheet.ID
	if page.Sharing, err = d.sharing(r.Context(), sheet, sharing); err != nil {
		d.writeError(w, r, err)
		return
	}
	templates.Write(w, r, status, page)
}

// sharing adds the links of a document; nil if it cannot be shared.
func (d *Documents) sharing(ctx context.Context, sheet *documents.DocumentView, page templates.Sharing) (*templates.Sharing, error) {
	if d.Bridge.Documents.Sharing == nil || strings.HasPrefix(sheet.ID, "agent:") {
		return nil, nil
	}
	shares, _, err := d.Bridge.Documents.ListShares(ctx, "", documents.MostShares)
	if err != nil {
		return nil, err
	}
	for _, s := range shares {
		if s.Document == sheet.ID {
			page.Links = append(page.Links, templates.SharedLink{ID: s.ID, Made: moment(s.Created), Ends: moment(s.Expires)})
		}
	}
	page.Action = documents.DocumentPath + url.PathEscape(sheet.ID)
	page.For = length(d.Bridge.Documents.Sharing.TTL)
	return &page, nil
}

// document returns the page of a document. where returns the address of the file of a
// block, or what a block links to.
func document(product string, s *documents.DocumentView, where func(documents.Block) string) templates.Document {
	page := templates.Document{Product: product, Title: s.Title, Agent: s.Agent, Fields: fields(s.Fields), Cut: s.Cut}
	for _, b := range s.Blocks {
		p := templates.Piece{Heading: b.Heading, Text: b.Text, Name: b.Name, Href: where(b), Here: b.File || b.Text != "", Code: b.MediaType == "application/json"}
		if b.File {
			p.Size = size(b.Size)
			p.Picture = p.Href != "" && slices.Contains(pictures, b.MediaType)
		}
		page.Pieces = append(page.Pieces, p)
	}
	return page
}

// pictures are the image types that cannot run scripts.
var pictures = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

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

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") }

// length formats a duration with units that all languages know.
func length(d time.Duration) string {
	if d >= 48*time.Hour {
		return fmt.Sprintf("%d d", d/(24*time.Hour))
	}
	if d >= time.Hour {
		return fmt.Sprintf("%d h", d/time.Hour)
	}
	return fmt.Sprintf("%d min", max(1, d/time.Minute))
}

func size(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return fmt.Sprintf("%d B", bytes)
}

// writeError is the one place where an error becomes a page.
func (d *Documents) writeError(w http.ResponseWriter, r *http.Request, err error) {
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
		d.Log.Warn("fetching a document", "err", err)
	}
	templates.Write(w, r, status, page)
}
