package oauth

import (
	"context"
	"errors"
	"time"
)

// grantExchange is for a client that got a token from somebody and needs
// one of its own to act for them (RFC 8693 section 2.1).
const grantExchange = "urn:ietf:params:oauth:grant-type:token-exchange"

// accessTokenKind is the type of the tokens that are exchanged (RFC 8693 section 3).
const accessTokenKind = "urn:ietf:params:oauth:token-type:access_token"

// redeemExchange gives a client of the operator a token that does less than the
// one that it presents, and names the client as the one who acts. The new token
// ends with the old one, and with the grant behind it. There is no refresh
// token: the client can exchange again.
func (s *Server) redeemExchange(ctx context.Context, client *Client, f form, jkt string) (*tokens, error) {
	if err := s.checkExchange(f); err != nil {
		return nil, err
	}
	subject, parent, err := s.subject(ctx, f.get("subject_token"))
	if err != nil {
		return nil, err
	}
	// The operator's scope is not handed on, and no one needs a word that
	// stands for a refresh token.
	scope, ok := allowed(subject.Scope, false).without(offlineAccess).narrow(parseScope(f.get("scope")))
	if !ok || len(scope) == 0 {
		return nil, refuse("invalid_scope", "The scope is wider than that of the subject_token, or holds what is not handed on.")
	}
	g := s.newGrant(subject.User, client.ID, scope, parent.AuthTime)
	g.Parent, g.Expires = parent.ID, earlier(subject.Expires, g.Created.Add(s.AccessTTL))
	if err := s.Store.AddGrant(ctx, g); err != nil {
		return nil, err
	}
	s.Log.InfoContext(ctx, "oauth: token exchanged", "grant", g.ID, "of", parent.ID, "client", client.ID, "user", g.AccountID, "scope", scope.String())
	answer, err := s.answer(ctx, g, scope, jkt, "")
	if err == nil {
		answer.IssuedTokenType = accessTokenKind
	}
	return answer, err
}

// checkExchange decides about everything in the request but the token.
func (s *Server) checkExchange(f form) error {
	switch {
	case f.get("subject_token") == "":
		return refuse("invalid_request", "subject_token is missing.")
	case f.get("subject_token_type") != accessTokenKind:
		return refuse("invalid_request", "subject_token_type must be %s.", accessTokenKind)
	case f.get("actor_token") != "" || f.get("actor_token_type") != "":
		return refuse("invalid_request", "The actor is the client that authenticates; an actor_token is not taken.")
	case f.get("requested_token_type") != "" && f.get("requested_token_type") != accessTokenKind:
		return refuse("invalid_request", "The only requested_token_type is %s.", accessTokenKind)
	}
	return checkResource(s.Resource, f["audience"]) // resource has been checked, for every grant
}

// subject returns whom a token that was presented for another stands for, and
// its grant. A token that is bound to a key would come off it, and one that
// came from an exchange would hide who acts for whom: neither is taken.
func (s *Server) subject(ctx context.Context, token string) (Principal, *Grant, error) {
	p, g, err := s.alive(ctx, token, time.Now().Add(patience))
	if e, ok := errors.AsType[*Error](err); ok && e.Code == "invalid_token" {
		return p, nil, refuse("invalid_request", "The subject_token is not valid.") // RFC 8693 section 2.2.2
	}
	switch {
	case err != nil:
		return p, nil, err
	case p.jkt != "":
		return p, nil, refuse("invalid_request", "The subject_token is bound to a key of its client.")
	case g.Parent != "":
		return p, nil, refuse("invalid_request", "The subject_token came from an exchange itself.")
	case !s.Now().Before(p.Expires.Add(-time.Second)):
		return p, nil, refuse("invalid_request", "The subject_token is about to expire.")
	}
	return p, g, nil
}

// actor names who acts for the subject of a token (RFC 8693 section 4.1).
type actor struct {
	Subject string `json:"sub"`
}

// actorOf returns who acts under a grant besides its account, or nil.
func actorOf(g *Grant) *actor {
	if g.Parent == "" {
		return nil
	}
	return &actor{g.ClientID}
}
