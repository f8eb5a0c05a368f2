package a2aserver

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// The places of the card: since 0.3 (RFC 8615 name registered with 1.0), and before.
const (
	cardPath    = "/.well-known/agent-card.json"
	oldCardPath = "/.well-known/agent.json"
)

func isCardPath(path string) bool {
	return strings.HasSuffix(path, cardPath) || strings.HasSuffix(path, oldCardPath)
}

// cards caches the documents of recent cards by the digest of their content.
type cards struct {
	mu    sync.Mutex
	known map[[sha256.Size]byte]document
}

const (
	maxCards = 8
	signFor  = time.Hour // then a card is signed again: keys change
)

type document struct {
	body []byte
	etag string
	at   time.Time
}

// ServeCard answers with the card, at whatever path. It is public by design (A2A 1.0 section
// 8.2), so that pages of any origin may read it.
func (s *Server) ServeCard(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Vary", wire.VersionHeader)
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		s.writeCard(w, r)
	case http.MethodOptions:
		h.Set("Access-Control-Allow-Methods", "GET, HEAD, OPTIONS")
		h.Set(
			"Access-Control-Allow-Headers",
			"*, "+wire.VersionHeader+", A2A-Extensions, Authorization, If-None-Match",
		)
		h.Set("Access-Control-Max-Age", "86400")
		w.WriteHeader(http.StatusNoContent)
	default:
		h.Set("Allow", "GET, HEAD, OPTIONS")
		http.Error(w, "The card can only be read.", http.StatusMethodNotAllowed)
	}
}

func (s *Server) writeCard(w http.ResponseWriter, r *http.Request) {
	doc, err := s.document(r)
	if err != nil {
		s.refuseCard(w, r, err)
		return
	}

	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "public, max-age=300")
	if r.Header.Get("Authorization") != "" { // the card may be for this caller only
		h.Set("Cache-Control", "private, max-age=300")
	}

	h.Set("ETag", doc.etag)
	if matches(r.Header.Get("If-None-Match"), doc.etag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}

	_, _ = w.Write(doc.body) // a client that is gone needs no card
}

// matches compares as RFC 9110 section 13.1.2 says: weakly, with any in the list.
func matches(ifNoneMatch, etag string) bool {
	for tag := range strings.SplitSeq(ifNoneMatch, ",") {
		tag = strings.TrimSpace(tag)
		if tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
			return true
		}
	}
	return false
}

// document returns the card in the form that r wants: that of 1.0 for callers
// that say they speak it, and else one for everybody.
func (s *Server) document(r *http.Request) (document, error) {
	card, err := s.currentCard(r.Context())
	if err != nil {
		return document{}, err
	}
	body, err := encodeCard(card, version(r))
	if err != nil {
		return document{}, err
	}
	return s.docs.signed(body, s)
}

func encodeCard(card *a2a.Card, g a2a.Generation) ([]byte, error) {
	if g == a2a.V10 {
		return wire.EncodeCard(card)
	}
	return wire.EncodeHybridCard(card)
}

func (s *Server) sign(card []byte) ([]byte, error) {
	if s.Signer == nil {
		return card, nil
	}
	return s.Signer.SignCard(card)
}

// signed returns the document of a card, signed not long ago.
func (c *cards) signed(body []byte, s *Server) (document, error) {
	now := time.Now()
	sum := sha256.Sum256(body)
	c.mu.Lock()
	defer c.mu.Unlock()
	if doc, ok := c.known[sum]; ok && now.Sub(doc.at) < signFor {
		return doc, nil
	}

	body, err := s.sign(body)
	if err != nil {
		return document{}, err
	}

	tag := sha256.Sum256(body)
	doc := document{body, `"` + base64.RawURLEncoding.EncodeToString(tag[:16]) + `"`, now}
	if c.known == nil || len(c.known) >= maxCards {
		c.known = map[[sha256.Size]byte]document{}
	}

	c.known[sum] = doc
	return doc, nil
}

func (s *Server) refuseCard(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Set("Cache-Control", "no-store")
	switch {
	case a2a.Is(err, a2a.TaskNotFound):
		http.Error(w, "There is no agent here.", http.StatusNotFound)
	case a2a.Is(err, a2a.Unavailable):
		w.Header().Set("Retry-After", "5")
		http.Error(
			w,
			"The agent cannot be reached now, and its card is not known yet.", http.StatusServiceUnavailable,
		)
	default:
		s.log().ErrorContext(r.Context(), "the agent's card cannot be shown", "err", err)
		http.Error(w, "The card of this agent cannot be shown.", http.StatusInternalServerError)
	}
}

// currentCard returns the card with the ways to reach the agent here.
func (s *Server) currentCard(ctx context.Context) (*a2a.Card, error) {
	if s.Describer == nil {
		return s.withInterfaces(s.Card), nil
	}
	card, err := s.Describer.Card(ctx)
	if err != nil {
		return nil, err
	}
	return s.withInterfaces(card), nil
}

func (s *Server) withInterfaces(card *a2a.Card) *a2a.Card {
	c := *card
	if len(c.Interfaces) == 0 {
		c.Interfaces = s.Interfaces()
	}
	return &c
}

// Interfaces returns the ways to reach the agent: at URL in every binding and
// generation that we speak over HTTP and a card can name, and Others.
func (s *Server) Interfaces() []a2a.Interface {
	var all []a2a.Interface
	for _, b := range []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON} {
		for _, d := range wire.CardDialects() {
			all = append(all, a2a.Interface{URL: s.URL, Binding: b, Version: d.Generation})
		}
	}
	return append(all, s.Others...)
}

// extendedCard answers with the card for callers who were let through.
func (s *Server) extendedCard(ctx context.Context, d *wire.Dialect) ([]byte, error) {
	if s.Extender == nil {
		return nil, s.noExtendedCard(d)
	}

	card, err := s.Extender.ExtendedCard(ctx)
	if err != nil {
		return nil, err
	}

	body, err := encodeCard(s.withInterfaces(card), d.Generation)
	if err != nil {
		return nil, err
	}

	return s.sign(body)
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
