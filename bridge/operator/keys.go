package operator

import (
	"context"
	"slices"
	"time"

	"rialto/internal/audit"
	"rialto/oauth/token"
)

// Key is a key that signs access tokens.
type Key struct {
	ID        string    `json:"id"`
	Algorithm string    `json:"algorithm"`
	Active    time.Time `json:"signs_from"`
	Rotates   time.Time `json:"rotates,omitzero"` // when it is replaced; only of the newest
	Expires   time.Time `json:"expires"`          // when the last token that it signed has expired
	Signs     bool      `json:"signs"`            // now
}

// keyQuery lists the signing keys.
type keyQuery struct{}

// Table implements Query.
func (keyQuery) Table() *Table { return tables()["keys"] }

// Read implements Query.
func (keyQuery) Read(ctx context.Context, s *Service, _ Span) (*Page[any], error) {
	keys, err := s.Keys(ctx)
	return untyped(&Page[Key]{Items: keys}, err)
}

// Keys returns the signing keys, oldest first. There are none if access tokens are
// signed with a secret (HS256).
func (s *Service) Keys(ctx context.Context) ([]Key, error) {
	keys := []Key{}
	if s.OAuth.Keys.Algorithm == token.HS256 {
		return keys, nil
	}

	all, err := s.OAuth.Keys.List(ctx)
	if err != nil {
		return nil, err
	}

	signs := -1
	for i, k := range all {
		keys = append(keys, Key{
			ID:        k.ID,
			Algorithm: k.Algorithm,
			Active:    k.Active,
			Expires:   k.Expires,
		})
		if !k.Active.After(s.Now()) {
			signs = i
		}
	}

	if signs >= 0 {
		keys[signs].Signs = true
	}
	if n := len(all); n > 0 {
		keys[n-1].Rotates = all[n-1].Rotates()
	}

	return keys, nil
}

// RotateKeys replaces the signing key and returns the new one, which signs ten
// minutes later. It fails with an Error if there are no keys.
func (s *Service) RotateKeys(ctx context.Context, by Actor) (*Key, error) {
	k, err := s.OAuth.Keys.Rotate(ctx)
	if err != nil {
		return nil, refusal(err)
	}

	_ = record(ctx, s.Audit, by, audit.KeyRotated, k.ID, "", nil)
	return &Key{
		ID:        k.ID,
		Algorithm: k.Algorithm,
		Active:    k.Active,
		Expires:   k.Expires,
		Rotates:   k.Rotates(),
	}, nil
}

// RevokeKey ends a signing key at once: tokens that it signed are refused, and a key that signs is
// replaced by one that signs immediately. It fails with ErrNotFound, and with an Error if there are
// no keys.
func (s *Service) RevokeKey(ctx context.Context, by Actor, id string) error {
	return record(ctx, s.Audit, by, audit.KeyRevoked, id, "", refusal(s.OAuth.Keys.Revoke(ctx, id)))
}

// Key returns a signing key, or ErrNotFound.
func (s *Service) Key(ctx context.Context, id string) (*Key, error) {
	all, err := s.Keys(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(k Key) bool { return k.ID == id })
	if i < 0 {
		return nil, ErrNotFound
	}
	return &all[i], nil
}
