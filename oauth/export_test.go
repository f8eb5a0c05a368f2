package oauth

import (
	"context"
	"crypto/ecdsa"
	"time"
)

// ForgingKey lets tests forge tokens with the server's own key.
func ForgingKey(ctx context.Context, s *Server) (key *ecdsa.PrivateKey, id string, err error) {
	k, err := s.activeKey(ctx)
	if err != nil {
		return nil, "", err
	}
	return k.private.(*ecdsa.PrivateKey), k.KeyID, nil
}

// WaitAfterTwoAtOnce returns how long the next has to wait when one of two that
// came at the same moment failed and the other, which ended last, did not.
func WaitAfterTwoAtOnce(free int, now time.Time) time.Duration {
	var b backoff
	for range free {
		b.add("k", free, now)
	}
	good := b.add("k", free, now)
	b.add("k", free, now)
	b.forgive("k", good)
	return b.wait("k", now)
}
