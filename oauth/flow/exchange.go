package flow

import (
	"context"
	"errors"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
)

// accessTokenKind is the type of the tokens that are exchanged (RFC 8693 section 3).
const accessTokenKind = "urn:ietf:params:oauth:token-type:access_token"

// redeemExchange gives a client of the operator a token with at most the rights of the one that it
// presents, and names the client as the actor. The new token ends with the old one, and with its
// grant. There is no refresh token: the client can exchange again.
func (te *TokenEndpoint) redeemExchange(
	ctx context.Context,
	client *oauth.Client,
	asked *oauth.Resource,
	f endpoint.Form,
	jkt string,
) (*tokens, error) {
	if err := checkExchange(f); err != nil {
		return nil, err
	}

	audience, err := te.Tokens.Resources.Asked(f["audience"])
	if err != nil {
		return nil, err
	}

	subject, parent, err := te.subject(ctx, f.Get("subject_token"))
	if err != nil {
		return nil, err
	}

	resource, err := te.resourceOf(parent, asked)
	if err == nil {
		_, err = te.resourceOf(parent, audience)
	}
	if err != nil {
		return nil, err
	}

	// ScopeAdmin is not delegated, and offline_access is meaningless without a refresh token.
	delegable := oauth.Allowed(subject.Scope, false).Without(oauth.OfflineAccess)
	scope, ok := delegable.Narrow(oauth.ParseScope(f.Get("scope")))
	if !ok || len(scope) == 0 {
		return nil, oauth.Refuse(
			"invalid_scope",
			"The scope is wider than that of the subject_token, or holds what is not handed on.",
		)
	}

	g := te.Tokens.NewGrant(subject.User, client.ID, resource, scope, parent.AuthTime)
	g.Parent = parent.ID
	g.Expires = earlier(subject.Expires, g.Created.Add(te.Tokens.AccessTTL))
	if err := te.Tokens.Grants.Add(ctx, g); err != nil {
		return nil, err
	}

	te.Env.Log.InfoContext(
		ctx, "oauth: token exchanged",
		"grant", g.ID,
		"of", parent.ID,
		"client", client.ID,
		"user", g.AccountID,
		"scope", scope.String(),
	)
	answer, err := te.answer(ctx, g, scope, jkt, "")
	if err == nil {
		answer.IssuedTokenType = accessTokenKind
	}

	return answer, err
}

// checkExchange checks the request, except for the token.
func checkExchange(f endpoint.Form) error {
	switch {
	case f.Get("subject_token") == "":
		return oauth.BadRequest("subject_token is missing.")
	case f.Get("subject_token_type") != accessTokenKind:
		return oauth.BadRequest("subject_token_type must be %s.", accessTokenKind)
	case f.Get("actor_token") != "" || f.Get("actor_token_type") != "":
		return oauth.BadRequest(
			"The actor is the client that authenticates; an actor_token is not taken.",
		)
	case f.Get("requested_token_type") != "" && f.Get("requested_token_type") != accessTokenKind:
		return oauth.BadRequest("The only requested_token_type is %s.", accessTokenKind)
	}
	return nil
}

// subject returns the principal and the grant of a subject token. It refuses a
// token that is bound to a key, because the new one would not be, and one from
// an exchange, because it would hide an actor.
func (te *TokenEndpoint) subject(
	ctx context.Context, token string,
) (oauth.Principal, *oauth.Grant, error) {
	p, g, err := te.Tokens.Alive(ctx, token, time.Now().Add(endpoint.WaitTimeout))
	if e, ok := errors.AsType[*oauth.Error](err); ok && e.Code == "invalid_token" {
		return p, nil, oauth.BadRequest("The subject_token is not valid.") // RFC 8693 section 2.2.2
	}
	switch {
	case err != nil:
		return p, nil, err
	case p.KeyThumbprint != "":
		return p, nil, oauth.BadRequest("The subject_token is bound to a key of its client.")
	case g.Parent != "":
		return p, nil, oauth.BadRequest("The subject_token came from an exchange itself.")
	case !te.Env.Now().Before(p.Expires.Add(-time.Second)):
		return p, nil, oauth.BadRequest("The subject_token is about to expire.")
	}

	return p, g, nil
}
