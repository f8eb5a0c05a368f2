package mcp

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// session is what a session id says. Ids are sealed, not stored: a client
// that initializes ten thousand times costs nothing, and a session outlives
// restarts.
type session struct {
	Revision     string          `json:"r"`
	Name         string          `json:"n,omitempty"`
	Version      string          `json:"v,omitempty"`
	Capabilities json.RawMessage `json:"c,omitempty"`
	Issued       int64           `json:"t"` // Unix seconds
	Nonce        string          `json:"x"` // makes it unique
}

const (
	sessionLife = 7 * 24 * time.Hour
	// mostCapabilities bounds what an id carries of them, for an id is a
	// header.
	mostCapabilities = 1024
	mostSessionID    = 4096
)

// newSession returns a session id for the client. It is good for the
// principal only (2025-11-25, basic/security_best_practices, "Session
// Hijacking").
func (s *Server) newSession(principal string, c Client) (string, error) {
	note := session{
		Revision: c.Revision, Name: c.Name, Version: c.Version,
		Capabilities: noted(c.Capabilities),
		Issued:       s.now().Unix(), Nonce: rand.Text(),
	}
	b, err := json.Marshal(note)
	if err != nil {
		return "", fmt.Errorf("session: %w", err)
	}
	return seal(s.SessionKey, sealSession, principal, b), nil
}

// noted returns what is noted of capabilities for later requests: a copy, or
// nothing if they are too long.
func noted(capabilities json.RawMessage) json.RawMessage {
	if len(capabilities) > mostCapabilities {
		return nil
	}
	return bytes.Clone(capabilities)
}

// openSession returns what the id says, nil unless it was given to the
// principal, is not too old, and has not been ended.
func (s *Server) openSession(id, principal string) *session {
	if id == "" || len(id) > mostSessionID {
		return nil
	}
	key := principal + "\x00" + id // an id has no zero in it
	open, known := s.opened.get(key)
	if !known {
		if open = s.unsealSession(id, principal); open == nil {
			return nil
		}
		s.opened.put(key, open)
	}
	if s.now().Sub(time.Unix(open.Issued, 0)) > sessionLife || s.hasEnded(open.Nonce) {
		return nil
	}
	return open
}

func (s *Server) unsealSession(id, principal string) *session {
	var open session
	b := unseal(s.SessionKey, sealSession, principal, id)
	if b == nil || json.Unmarshal(b, &open) != nil {
		return nil
	}
	return &open
}

func (s *Server) hasEnded(nonce string) bool {
	_, ended := s.ended.get(nonce)
	return ended
}

// deleteSession ends a session. Clients without one have nothing to delete,
// and since 2026-07-28 there are none.
func (s *Server) deleteSession(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(gomcp.HeaderSessionID)
	if header, _ := revisionHeader(r.Header); id == "" || modern(header) {
		s.notAllowed(w)
		return
	}
	principal := s.principal(r)
	open := s.openSession(id, principal)
	if open == nil {
		s.writeError(w, "", faultf(http.StatusNotFound, codeSession, "the session is not known"))
		return
	}
	// Forgetting this some day does no harm: whoever ended the session could
	// have kept it, and by itself it allows nothing.
	s.ended.put(open.Nonce, true)
	s.replays.forget(func(st *stream) bool { return st.nonce == open.Nonce })
	w.WriteHeader(http.StatusNoContent)
}
