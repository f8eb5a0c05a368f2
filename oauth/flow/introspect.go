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
	Store         CodeStore
	Authenticator *client.Authenticator
	Tokens        *token.Tokens
	Env           *endpoint.Env
	Grace         time.Duration // as of TokenEndpoint
}

// introspection is the answer about a token (RFC 7662 section 2.2). For an
// inactive token all other members are absent.
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

// inspect decides what a client may learn: without authentication nothing, with it the state of its
// own tokens, and of all tokens if the operator allows it. Another client's token is answered like
// one that does not exist (RFC 7662 section 4).
func (in *Introspection) inspect(w http.ResponseWriter, r *http.Request) (*introspection, error) {
	client, f, err := in.Authenticator.Form(w, r)
	if err != nil {
		return nil, err
	}
	if client.Public() {
		return nil, in.Env.LogRefusal(
			r,
			"",
			oauth.Refuse(
				"invalid_client", "Only a client that keeps a secret may introspect tokens.",
			),
		)
	}
	if f.Get("token") == "" {
		return nil, oauth.BadRequest("token is missing.")
	}

	found, err := in.tokenState(r.Context(), f.Get("token"))
	if err != nil {
		return nil, err
	}
	if client.IntrospectsAll {
		return found, nil // not slowed down: a resource server receives bad tokens all day
	}
	if !found.Active || found.ClientID != client.ID {
		if e := in.Env.CountRefusal(r, client.ID); e != nil {
			return nil, e
		}
		return &introspection{}, nil
	}

	return found, nil
}

// tokenState returns the state of a token, for any client.
func (in *Introspection) tokenState(ctx context.Context, token string) (*introspection, error) {
	if secret.Is(token, secret.RefreshPrefix) {
		return in.refreshState(ctx, token)
	}

	p, g, err := in.Tokens.Alive(ctx, token, time.Now().Add(endpoint.WaitTimeout))
	if _, refused := errors.AsType[*oauth.Error](err); refused {
		return &introspection{}, nil
	}
	if err != nil {
		return nil, err
	}

	return in.state(g, p.Scope, p.Expires, tokenType(p.KeyThumbprint), p.KeyThumbprint), nil
}

// refreshState returns the state of a refresh token: a replaced one is active until its grace ends.
func (in *Introspection) refreshState(ctx context.Context, token string) (*introspection, error) {
	t, g, err := in.Store.Refresh(ctx, secret.Hash(token))
	if errors.Is(err, oauth.ErrNotFound) {
		return &introspection{}, nil
	}
	if err != nil {
		return nil, err
	}

	now := in.Env.Now()
	replaced := !t.Used.IsZero() && now.Sub(t.Used) >= in.Grace
	if replaced || !now.Before(t.Expires) || !g.Live(now) {
		return &introspection{}, nil
	}

	resource := in.Tokens.Resources.Of(g.Resource)
	if resource == nil || !resource.Admits(g.Name) {
		return &introspection{}, nil
	}

	return in.state(g, resource.Within(g.Allows(g.Scope)), t.Expires, "", t.JKT), nil
}

func (in *Introspection) state(
	g *oauth.Grant,
	scope oauth.ScopeSet,
	expires time.Time,
	kind, jkt string,
) *introspection {
	return &introspection{
		Active:    true,
		Scope:     scope.String(),
		ClientID:  g.ClientID,
		Username:  g.Name,
		TokenType: kind,
		Expires:   expires.Unix(),
		Subject:   g.AccountID,
		Audience:  g.Resource,
		Issuer:    in.Env.Issuer,
		Key:       token.Confirm(jkt),
		Actor:     token.ActorOf(g),
	}
}
