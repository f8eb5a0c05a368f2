// Package wellknown serves metadata documents at well-known URIs (RFC 8615).
// It does not know what they say: the packages that do hand them over, and a
// request touches nothing but memory.
package wellknown

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/mux"
)

// Mount serves each document of docs at its path. It marshals them once, and
// fails when one cannot be marshalled.
func Mount(r *mux.Router, docs map[string]any) error {
	for _, path := range slices.Sorted(maps.Keys(docs)) {
		d, err := newDocument(docs[path])
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		r.Handle(path, d)
	}
	return nil
}

// document is a JSON document as it goes over the wire.
type document struct {
	body []byte
	etag string
}

func newDocument(v any) (*document, error) {
	body, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("marshalling a document: %w", err)
	}
	sum := sha256.Sum256(body)
	return &document{body, `"` + hex.EncodeToString(sum[:12]) + `"`}, nil
}

// ServeHTTP answers GET and HEAD, and the preflight of scripts from anywhere:
// the documents are public, and clients that run in a browser must read them
// before they hold any credential.
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
	h.Set("Content-Type", "application/json")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("ETag", d.etag)
	// Short: a changed configuration should reach everybody within minutes.
	h.Set("Cache-Control", "public, max-age=300")
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
