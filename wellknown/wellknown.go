// Package wellknown serves metadata documents at well-known URIs (RFC 8615). It does not know what
// they say: the packages that do hand them over, and a request touches nothing but memory.
package wellknown

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/mux"
)

// prefix is that of well-known URIs.
const prefix = "/.well-known/"

// Mount serves each document of docs at its path, and a well-known URI in any letter case: claude.ai
// asks for /.well-known/oauth-protected-resource/MCP. Mount marshals the documents once, and fails
// when one cannot be marshalled.
func Mount(r *mux.Router, docs map[string]any) error {
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		h, err := Handler(docs[path])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.Handle(path, h)
		if strings.HasPrefix(path, prefix) {
			r.PathPrefix(prefix).MatcherFunc(inAnyCase(path)).Handler(h)
		}
	}
	return nil
}

func inAnyCase(path string) mux.MatcherFunc {
	return func(r *http.Request, _ *mux.RouteMatch) bool { return strings.EqualFold(r.URL.Path, path) }
}

// Handler returns the handler of one document.
func Handler(doc any) (http.Handler, error) {
	if v, ok := doc.(ByOrigin); ok {
		return newVariants(v)
	}
	return newDocument(doc)
}

// defaultMaxAge is short: a changed configuration should reach everybody within minutes.
const defaultMaxAge = 5 * time.Minute

// Typed is a document with a media type of its own. MaxAge is how long caches may keep it; zero means
// five minutes.
type Typed struct {
	Doc       any
	MediaType string
	MaxAge    time.Duration
}

// ByOrigin is a document that says something else to the pages of some origins.
type ByOrigin struct {
	Default any
	Origins map[string]any
}

// variants are the documents of a ByOrigin as they go over the wire.
type variants struct {
	byDefault *document
	origins   map[string]*document
}

func newVariants(v ByOrigin) (*variants, error) {
	byDefault, err := newDocument(v.Default)
	if err != nil {
		return nil, err
	}

	all := &variants{byDefault, map[string]*document{}}
	for origin, doc := range v.Origins {
		d, err := newDocument(doc)
		if err != nil {
			return nil, fmt.Errorf("for %s: %w", origin, err)
		}
		all.origins[origin] = d
	}

	return all, nil
}

// ServeHTTP answers with the document that is meant for the asking page.
func (v *variants) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Add("Vary", "Origin")
	d := v.origins[r.Header.Get("Origin")]
	if d == nil {
		d = v.byDefault
	}
	d.ServeHTTP(w, r)
}

// document is a JSON document as it goes over the wire.
type document struct {
	body               []byte
	etag               string
	mediaType, caching string
}

func newDocument(v any) (*document, error) {
	t, ok := v.(Typed)
	if !ok {
		t = Typed{Doc: v, MediaType: "application/json"}
	}

	body, err := json.Marshal(t.Doc)
	if err != nil {
		return nil, fmt.Errorf("marshalling a document: %w", err)
	}

	sum := sha256.Sum256(body)
	return &document{
		body: body, etag: `"` + hex.EncodeToString(sum[:12]) + `"`, mediaType: t.MediaType,
		caching: fmt.Sprintf("public, max-age=%d", int(cmp.Or(t.MaxAge, defaultMaxAge).Seconds())),
	}, nil
}

// ServeHTTP answers GET and HEAD, and the preflight of scripts from anywhere: the documents are
// public, and clients that run in a browser must read them before they hold any credential.
func (d *document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		d.serve(w, r)
	case http.MethodOptions:
		preflight(h)
		w.WriteHeader(http.StatusNoContent)
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
	}
}

func (d *document) serve(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", d.mediaType)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", d.etag)
	h.Set("Access-Control-Expose-Headers", "ETag")
	h.Set("Cache-Control", d.caching)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(d.body))
}

func preflight(h http.Header) {
	h.Set("Allow", "GET, HEAD, OPTIONS")
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
	// Clients send MCP-Protocol-Version, and some a stale token. The wildcard
	// does not cover Authorization (Fetch standard, section 3.3.4).
	h.Set("Access-Control-Allow-Headers", "*, Authorization")
	h.Set("Access-Control-Max-Age", "86400")
}
