package oauth

import (
	"context"
	"crypto/ecdsa"
)

// ForgingKey lets tests forge tokens with the server's own key.
func ForgingKey(ctx context.Context, s *Server) (key *ecdsa.PrivateKey, id string, err error) {
	k, err := s.activeKey(ctx)
	if err != nil {
		return nil, "", err
	}
	return k.private.(*ecdsa.PrivateKey), k.KeyID, nil
}
