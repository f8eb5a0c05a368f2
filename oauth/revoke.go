package oauth

import (
	"context"
	"errors"
	"net/http"
)

// revoke serves token revocation (RFC 7009). Every token that is not the
// client's is answered as one that was revoked already: the answer tells
// nothing about tokens of others.
func (s *Server) revoke(w http.ResponseWriter, r *http.Request) {
	if err := s.endToken(w, r); err != nil {
		s.writeError(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

// endToken revokes the grant behind a token, be it a refresh or an access
// token: a client that gives one back has no use for the other (RFC 7009
// section 2.1). token_type_hint is not needed, as the two look different.
func (s *Server) endToken(w http.ResponseWriter, r *http.Request) error {
	if err := s.limitFailures(r); err != nil {
		return err
	}
	f, err := readForm(w, r)
	if err != nil {
		return err
	}
	client, err := s.authenticate(r.Context(), r, f)
	if err != nil {
		s.countFailure(r)
		return err
	}
	if f.get("token") == "" {
		return refuse("invalid_request", "token is missing.")
	}
	g, err := s.grantBehind(r.Context(), f.get("token"))
	if err != nil {
		return err
	}
	if g == nil || g.ClientID != client.ID {
		s.countFailure(r)
		return nil
	}
	err = s.revokeGrant(r.Context(), g.ID, "the client gave a token back")
	if err == nil {
		s.happenedAt(r, Event{Kind: EventRevoked, AccountID: g.AccountID, Account: g.Name, ClientID: client.ID, GrantID: g.ID, Detail: "the client gave a token back"})
	}
	return err
}

// grantBehind returns the grant of a token, or nil.
func (s *Server) grantBehind(ctx context.Context, token string) (*Grant, error) {
	if isSecret(token, refreshPrefix) {
		_, g, err := s.Store.Refresh(ctx, hash(token))
		if errors.Is(err, ErrNotFound) {
			return nil, nil
		}
		return g, err
	}
	p, err := s.verify(ctx, token)
	if _, refused := errors.AsType[*Error](err); refused {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	g, err := s.Store.Grant(ctx, p.GrantID)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	return g, err
}
