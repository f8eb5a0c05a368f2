// Package static holds the files that browsers fetch for the pages: two style sheets, a few small
// scripts and the logo, and what an operator sets of the look. It serves them from the binary and
// knows nothing of the pages; package templates renders those.
package static

import (
	"bytes"
	"embed"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"
)

// Prefix is the path below which Handler expects to be mounted.
const Prefix = "/static/"

//go:embed files
var embedded embed.FS

// files is filled once, when the program starts, and never changes.
var files = load()

type file struct {
	content     []byte
	contentType string
	hash        string
}

func load() map[string]file {
	entries, err := embedded.ReadDir("files")
	if err != nil {
		panic("static: the embedded files are missing: " + err.Error())
	}

	all := make(map[string]file, len(entries))
	for _, e := range entries {
		content, err := embedded.ReadFile("files/" + e.Name())
		if err != nil {
			panic("static: " + err.Error())
		}
		all[e.Name()] = newFile(content, contentType(e.Name()))
	}

	return all
}

// contentType does not ask the machine's mime table for the types we ship: a
// container without one would serve style sheets that browsers refuse.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".ico":
		return "image/vnd.microsoft.icon"
	}
	return mime.TypeByExtension(path.Ext(name))
}

// URL returns the address of a file, with the hash of its content in it, so
// that browsers may keep it indefinitely. It panics when there is no such file.
func URL(name string) string {
	f, ok := files[name]
	if !ok {
		panic("static: no file " + name)
	}
	return Prefix + name + "?v=" + f.hash
}

// Handler serves the files below Prefix, and those at the root. An address that carries the present
// hash is cached for a year; one without it, or with the hash that another release had, is answered
// with today's content and must be asked for again. So a page of an old replica still finds its style
// in the middle of a rollout. The files of a brand have no hash in their addresses, and may be kept for
// some minutes.
func (b Brand) Handler() http.Handler { return http.HandlerFunc(b.serve) }

func (b Brand) serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}

	f, branded := b.of(r.URL.Path)
	own, ok := files[strings.TrimPrefix(r.URL.Path, Prefix)]
	switch {
	case branded:
	case ok:
		f = own
	default:
		http.NotFound(w, r)
		return
	}

	h := w.Header()
	switch {
	case branded:
		h.Set("Cache-Control", "public, max-age=300")
	case r.URL.Query().Get("v") == f.hash:
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	default:
		h.Set("Cache-Control", "no-cache")
	}

	h.Set("Content-Type", f.contentType)
	h.Set("ETag", `"`+f.hash+`"`)
	h.Set("X-Content-Type-Options", "nosniff")
	// An SVG opened alone is a document: it may run nothing.
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(f.content))
}
