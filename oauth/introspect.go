package oauth

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// introspection is what the server says of a token (RFC 7662 section 2.2). Of
// one that is not active it says nothing else.
type introspection struct {
	Active    bool   `json:"active"`
	Scope     string `json:"scope,omitzero"`
	ClientID  string `json:"client_id,omitzero"`
	Username  string `json:"username,omitzero"`
	TokenType string `json:"token_type,omitzero"`
	Expires   int64  `json:"exp,omitzero"`
	Subject   string `json:"sub,omitzero"`
	Audience  string `json:"aud,omitzero"`
	Issuer    string `json:"iss,omitzero"`

	Key   *confirmation `json:"cnf,omitempty"`
	Actor *actor        `json:"act,omitempty"`
}

// introspect serves token introspection (RFC 7662).
func (s *Server) introspect(w http.ResponseWriter, r *http.Request) {
	answer, err := s.lookAtToken(w, r)
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

// lookAtToken decides who may know what. A client that cannot prove itself
// learns nothing, because anybody could be it; one that can learns about its
// own tokens, and about all if the operator says so. A token of others is
// answered like one that does not exist (RFC 7662 section 4).
func (s *Server) lookAtToken(w http.ResponseWriter, r *http.Request) (*introspection, error) {
	if err := s.limitFailures(r); err != nil {
		return nil, err
	}
	f, err := readForm(w, r)
	if err != nil {
		return nil, err
	}
	client, err := s.authenticate(r.Context(), r, f)
	if err == nil && client.unproven() {
		err = refuse("invalid_client", "Only a client that keeps a secret may introspect tokens.")
	}
	if err != nil {
		s.countFailure(r)
		return nil, err
	}
	if f.get("token") == "" {
		return nil, refuse("invalid_request", "token is missing.")
	}
	found, err := s.tokenState(r.Context(), f.get("token"))
	if err != nil {
		return nil, err
	}
	if client.introspects {
		return found, nil // not slowed down: people send it bad tokens all day
	}
	if !found.Active || found.ClientID != client.ID {
		s.countFailure(r)
		return &introspection{}, nil
	}
	return found, nil
}

// tokenState says what a token is worth now, whoever asks.
func (s *Server) tokenState(ctx context.Context, token string) (*introspection, error) {
	if isSecret(token, refreshPrefix) {
		return s.refreshState(ctx, token)
	}
	p, g, err := s.alive(ctx, token, time.Now().Add(patience))
	if _, refused := errors.AsType[*Error](err); refused {
		return &introspection{}, nil
	}
	if err != nil {
		return nil, err
	}
	return s.state(g, p.Scope, p.Expires, tokenType(p.jkt), p.jkt), nil
}

// refreshState says what a refresh token is worth: one that was replaced is
// worth something for as long as its grace lasts.
func (s *Server) refreshState(ctx context.Context, token string) (*introspection, error) {
	t, g, err := s.Store.Refresh(ctx, hash(token))
	if errors.Is(err, ErrNotFound) {
		return &introspection{}, nil
	}
	if err != nil {
		return nil, err
	}
	now := s.Now()
	replaced := !t.Used.IsZero() && now.Sub(t.Used) >= s.Grace
	if replaced || !now.Before(t.Expires) || !g.Live(now) {
		return &introspection{}, nil
	}
	return s.state(g, g.allows(g.Scope), t.Expires, "", t.JKT), nil
}

func (s *Server) state(g *Grant, scope ScopeSet, expires time.Time, kind, jkt string) *introspection {
	return &introspection{
		Active:    true,
		Scope:     scope.String(),
		ClientID:  g.ClientID,
		Username:  g.Name,
		TokenType: kind,
		Expires:   expires.Unix(),
		Subject:   g.AccountID,
		Audience:  g.Resource,
		Issuer:    s.Issuer,
		Key:       confirm(jkt),
		Actor:     actorOf(g),
	}
}
