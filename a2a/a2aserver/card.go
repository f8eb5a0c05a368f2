package a2aserver

import (
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// The places of the card: since 0.3 (RFC 8615 name registered with 1.0), and
// before.
const (
	cardPath    = "/.well-known/agent-card.json"
	oldCardPath = "/.well-known/agent.json"
)

func isCardPath(path string) bool {
	return strings.HasSuffix(path, cardPath) || strings.HasSuffix(path, oldCardPath)
}

// cards are the documents that the card is served as, marshalled once.
type cards struct {
	once   sync.Once
	pure   document // for callers that say they speak 1.0
	hybrid document // for everybody else
	err    error
}

type document struct {
	body []byte
	etag string
}

func newDocument(body []byte) document {
	sum := sha256.Sum256(body)
	return document{body, `"` + base64.RawURLEncoding.EncodeToString(sum[:16]) + `"`}
}

// serveCard answers with the card. It is public by design (A2A 1.0 section
// 8.2), so that pages of any origin may read it.
func (s *Server) serveCard(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Vary", wire.VersionHeader)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.writeCard(w, r)
	case http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		h.Set("Access-Control-Allow-Headers", wire.VersionHeader+", Authorization, If-None-Match")
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "The card can only be read.", http.StatusMethodNotAllowed)
	}
}

func (s *Server) writeCard(w http.ResponseWriter, r *http.Request) {
	s.docs.once.Do(s.marshalCards)
	if s.docs.err != nil {
		s.log().ErrorContext(r.Context(), "the agent's card cannot be encoded", "err", s.docs.err)
		http.Error(w, "The card of this agent cannot be shown.", http.StatusInternalServerError)
		return
	}
	doc := s.docs.hybrid
	if version(r) == a2a.V10 {
		doc = s.docs.pure
	}
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "public, max-age=300")
	h.Set("ETag", doc.etag)
	if matches(r.Header.Get("If-None-Match"), doc.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	_, _ = w.Write(doc.body) // a client that is gone needs no card
}

// matches compares as RFC 9110 section 13.1.2 says: weakly, with any in the
// list.
func matches(ifNoneMatch, etag string) bool {
	for tag := range strings.SplitSeq(ifNoneMatch, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}

func (s *Server) marshalCards() {
	card := s.card()
	pure, err := wire.EncodeCard(card)
	if err != nil {
		s.docs.err = err
		return
	}
	hybrid, err := wire.EncodeHybridCard(card)
	s.docs.pure, s.docs.hybrid, s.docs.err = newDocument(pure), newDocument(hybrid), err
}

// card returns the card with the ways to reach the agent here.
func (s *Server) card() *a2a.Card {
	c := *s.Card
	if len(c.Interfaces) == 0 {
		for _, b := range []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON} {
			for _, d := range wire.Listed() {
				c.Interfaces = append(c.Interfaces, a2a.Interface{URL: s.URL, Binding: b, Version: d.Generation})
			}
		}
	}
	return &c
}

// version returns the generation that r asks for, in a header or, where it
// cannot set one, in its query (A2A 1.0 section 3.6.1).
func version(r *http.Request) a2a.Generation { return wire.ParseGeneration(rawVersion(r)) }

func rawVersion(r *http.Request) string {
	if v := r.Header.Get(wire.VersionHeader); v != "" {
		return v
	}
	return r.URL.Query().Get(wire.VersionHeader)
}
