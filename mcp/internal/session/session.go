// Package session makes and opens the ids of sessions, which revisions before
// 2026-07-28 have, and keeps notes for the sessions of this process. Ids are sealed,
// not stored. It does not know what happens in a session.
package session

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"time"

	"rialto/internal/lru"
	"rialto/mcp/internal/wire"
)

// Session is what a session id says.
type Session struct {
	Client wire.Client `json:"c"`
	Issued int64       `json:"t"` // Unix seconds
	Nonce  string      `json:"x"` // names the session, but is of no use as its id
}

const (
	// Life is how long a session lasts.
	Life  = 7 * 24 * time.Hour
	maxID = 4096
	// maxOpened bounds the cache of ids whose seal has been checked.
	maxOpened = 512
	// MaxRecent is for how many sessions a process keeps something: for those that used it last.
	MaxRecent = 4096
)

// Store makes and opens session ids. A client that initializes ten thousand times
// costs nothing, and a session outlives restarts and moves between replicas.
type Store struct {
	Key []byte // seals the ids; without one there are no sessions
	Now func() time.Time

	opened lru.Cache[string, *Session] // by principal and id
	ended  lru.Cache[string, bool]     // by nonce
}

// NewStore returns a Store.
func NewStore(key []byte, now func() time.Time) *Store {
	return &Store{
		Key:    key,
		Now:    now,
		opened: lru.Cache[string, *Session]{Max: maxOpened},
		ended:  lru.Cache[string, bool]{Max: MaxRecent},
	}
}

// New returns a session id for the client. It is valid for the principal only
// (2025-11-25, basic/security_best_practices, "Session Hijacking").
func (s *Store) New(principal string, c wire.Client) (string, error) {
	b, err := json.Marshal(Session{Client: c.Kept(), Issued: s.Now().Unix(), Nonce: rand.Text()})
	if err != nil {
		return "", fmt.Errorf("session: %w", err)
	}
	return Seal(s.Key, purpose, principal, b), nil
}

const purpose = "mcp session"

// Open returns what the id says. It returns nil unless the id was given to the
// principal, is not too old, and has not been ended.
func (s *Store) Open(id, principal string) *Session {
	if id == "" || len(id) > maxID {
		return nil
	}

	key := principal + "\x00" + id // an id contains no zero byte
	open, known := s.opened.Get(key)
	if !known {
		open = s.unseal(id, principal)
		if open == nil {
			return nil
		}
		s.opened.Put(key, open)
	}
	if _, ended := s.ended.Get(open.Nonce); ended || s.Now().Sub(time.Unix(open.Issued, 0)) > Life {
		return nil
	}

	return open
}

func (s *Store) unseal(id, principal string) *Session {
	var open Session
	b := Unseal(s.Key, purpose, principal, id)
	if b == nil || json.Unmarshal(b, &open) != nil {
		return nil
	}
	return &open
}

// End ends a session. It is safe to forget that later: the client that ended the
// session could have kept it, and the id alone allows nothing.
func (s *Store) End(open *Session) { s.ended.Put(open.Nonce, true) }
