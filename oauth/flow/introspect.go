package flow

import (
	"context"
	"errors"
	"net/http"
	"time"

	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/oauth/token"
)

// Introspection serves token introspection (RFC 7662).
type Introspection struct {
	Issuer        string
	Store         CodeStore
	Authenticator *client.Authenticator
	Tokens        *token.Tokens
	Env           *endpoint.Env
	Grace         time.Duration // as of TokenEndpoint
	Now           func() time.Time
}

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

	Key   *token.Confirmation `json:"cnf,omitempty"`
	Actor *token.Actor        `json:"act,omitempty"`
}

// Serve serves token introspection.
func (in *Introspection) Serve(w http.ResponseWriter, r *http.Request) error {
	answer, err := in.inspect(w, r)
	if err == nil {
		endpoint.WriteJSON(w, http.StatusOK, answer)
	}
	return err
}

// inspect decides who may know what. A client that cannot prove itself
// learns nothing, because anybody could be it; one that can learns about its
// own tokens, and about all if the operator says so. A token of others is
// answered like one that does not exist (RFC 7662 section 4).
func (in *Introspection) inspect(w http.ResponseWriter, r *http.Request) (*introspection, error) {
	client, f, err := in.Authenticator.Form(w, r)
	if err != nil {
		return nil, err
	}
	if client.Unproven() {
		in.Env.CountFailure(r)
		return nil, oauth.Refuse("invalid_client", "Only a client that keeps a secret may introspect tokens.")
	}
	if f.Get("token") == "" {
		return nil, oauth.Refuse("invalid_request", "token is missing.")
	}
	found, err := in.tokenState(r.Context(), f.Get("token"))
	if err != nil {
		return nil, err
	}
	if client.IntrospectsAll {
		return found, nil // not slowed down: people send it bad tokens all day
	}
	if !found.Active || found.ClientID != client.ID {
		in.Env.CountFailure(r)
		return &introspection{}, nil
	}
	return found, nil
}

// tokenState says what a token is worth now, whoever asks.
func (in *Introspection) tokenState(ctx context.Context, token string) (*introspection, error) {
	if secret.Is(token, secret.RefreshPrefix) {
		return in.refreshState(ctx, token)
	}
	p, g, err := in.Tokens.Alive(ctx, token, time.Now().Add(endpoint.Patience))
	if _, refused := errors.AsType[*oauth.Error](err); refused {
		return &introspection{}, nil
	}
	if err != nil {
		return nil, err
	}
	return in.state(g, p.Scope, p.Expires, tokenType(p.KeyThumbprint), p.KeyThumbprint), nil
}

// refreshState says what a refresh token is worth: one that was replaced is
// worth something for as long as its grace lasts.
func (in *Introspection) refreshState(ctx context.Context, token string) (*introspection, error) {
	t, g, err := in.Store.Refresh(ctx, secret.Hash(token))
	if errors.Is(err, oauth.ErrNotFound) {
		return &introspection{}, nil
	}
	if err != nil {
		return nil, err
	}
	now := in.Now()
	replaced := !t.Used.IsZero() && now.Sub(t.Used) >= in.Grace
	if replaced || !now.Before(t.Expires) || !g.Live(now) {
		return &introspection{}, nil
	}
	return in.state(g, g.Allows(g.Scope), t.Expires, "", t.JKT), nil
}

func (in *Introspection) state(g *oauth.Grant, scope oauth.ScopeSet, expires time.Time, kind, jkt string) *introspection {
	return &introspection{
		Active:    true,
		Scope:     scope.String(),
		ClientID:  g.ClientID,
		Username:  g.Name,
		TokenType: kind,
		Expires:   expires.Unix(),
		Subject:   g.AccountID,
		Audience:  g.Resource,
		Issuer:    in.Issuer,
		Key:       token.Confirm(jkt),
		Actor:     token.ActorOf(g),
	}
}
