// Package web shows people what the bridge holds: the documents that search
// results link to. The pages themselves are in package templates; who
// may open them is decided by the guard in front (oauth.Server.SignedIn).
package web

import (
	"errors"
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"rialto/a2a"
	"rialto/bridge"
	"rialto/templates"
)

// Documents serves bridge.DocumentPath: what a search result's url opens. All
// fields are required.
type Documents struct {
	Product string
	Bridge  *bridge.Bridge
	Log     *slog.Logger
}

// ServeHTTP shows the document whose id follows the path.
func (d *Documents) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	id, err := url.PathUnescape(strings.TrimPrefix(r.URL.EscapedPath(), bridge.DocumentPath))
	if err != nil {
		d.problem(w, r, bridge.ErrNoTask)
		return
	}
	doc, err := d.Bridge.Fetch(r.Context(), id)
	if err != nil {
		d.problem(w, r, err)
		return
	}
	templates.Write(w, r, http.StatusOK, templates.Document{
		Product: d.Product, Title: doc.Title, Agent: doc.Metadata["agent"], ID: doc.ID, Text: doc.Text, Fields: fields(doc.Metadata),
	})
}

// fields lists the metadata that a person can read at a glance; objects and
// lists are for programs.
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

// problem is the one place where an error becomes a page.
func (d *Documents) problem(w http.ResponseWriter, r *http.Request, err error) {
	page := templates.Problem{
		Product: d.Product,
		Title:   "This document cannot be shown",
		Detail:  "It does not exist, or not for you.",
		Remedy:  "Ask in the chat that gave you the link to search again.",
	}
	status := http.StatusNotFound
	var agent *a2a.Error
	var down bridge.Unreachable
	switch {
	case errors.As(err, &down):
		status, page.Detail, page.Remedy = http.StatusServiceUnavailable, down.Error(), "Try again later."
	case errors.As(err, &agent):
		status, page.Detail = http.StatusBadGateway, "The agent did not hand it out."
		d.Log.Warn("fetching a document", "err", err)
	}
	templates.Write(w, r, status, page)
}
