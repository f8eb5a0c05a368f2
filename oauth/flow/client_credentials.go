package flow

import (
	"cmp"
	"context"
	"errors"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
)

// redeemCredentials gives a client of the operator a token for the account
// that the operator named. There is no refresh token: the client can ask again.
func (te *TokenEndpoint) redeemCredentials(
	ctx context.Context,
	client *oauth.Client,
	asked *oauth.Resource,
	f endpoint.Form,
	jkt string,
) (*tokens, error) {
	scope, err := te.Scopes.Grantable(f.Get("scope"))
	if err != nil {
		return nil, err
	}

	a, err := te.Accounts.Find(ctx, client.ActsFor)
	if err != nil && !errors.Is(err, oauth.ErrNotFound) {
		return nil, err
	}
	if err != nil || a.Disabled {
		te.Env.Log.WarnContext(
			ctx, "oauth: the account of a client does not exist",
			"client", client.ID,
		)
		return nil, oauth.Refuse(
			"unauthorized_client", "The account of the client does not exist here.",
		)
	}

	resource := cmp.Or(asked, te.Tokens.Resources.Default())
	if !resource.Admits(a.Name) {
		return nil, oauth.Refuse("invalid_target", "The account of the client may not use %s.", resource.URL)
	}

	scope = resource.Within(oauth.Allowed(scope, a.Admin).Within(a.UseCases))
	if len(scope) == 0 {
		return nil, oauth.Refuse(
			"invalid_scope", "The account of the client may not grant the requested scopes.",
		)
	}

	g := te.Tokens.NewGrant(a.ID, client.ID, resource, scope, te.Env.Now())
	g.Expires = g.Created.Add(te.Tokens.AccessTTL)
	if err := te.Tokens.Grants.Add(ctx, g); err != nil {
		return nil, err
	}

	te.Env.Log.InfoContext(
		ctx, "oauth: access granted to a client",
		"grant", g.ID,
		"client", client.ID,
		"user", a.ID,
		"scope", scope.String(),
	)
	return te.answer(ctx, g, scope, jkt, "")
}
