package flow

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/signin"
	"rialto/oauth/token"
)

// TokenEndpoint serves the token endpoint (RFC 6749 section 3.2).
type TokenEndpoint struct {
	Store         CodeStore
	Authenticator *client.Authenticator
	Accounts      *signin.Accounts
	Tokens        *token.Tokens
	Proofs        *token.Proofs
	Scopes        *oauth.Scopes
	Env           *endpoint.Env
	RefreshIdle   time.Duration // life of a refresh token that is not used

	// Grace is how long a refresh token that was used still answers, with the
	// same successor: clients race with themselves and lose responses.
	Grace time.Duration

	Observer TokenObserver // may be nil
}

// TokenObserver observes the token endpoint.
type TokenObserver interface {
	// TokenAnswered is called with the grant type and the error of each request.
	TokenAnswered(ctx context.Context, grantType string, err error)
}

// tokens is a successful answer of the token endpoint (RFC 6749 section 5.1).
// scope is always present, so that a client can tell whether to ask for more.
type tokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
	Resource     string `json:"resource"`

	IssuedTokenType string `json:"issued_token_type,omitempty"` // RFC 8693 section 2.2.1
}

// Serve serves the token endpoint. It authenticates the client first, so that what it refuses later
// counts for that client.
func (te *TokenEndpoint) Serve(w http.ResponseWriter, r *http.Request) error {
	f, err := endpoint.ReadForm(w, r)
	if err == nil {
		err = te.serve(w, r, f)
	}
	if te.Observer != nil {
		te.Observer.TokenAnswered(r.Context(), f.Get("grant_type"), err)
	}
	return err
}

func (te *TokenEndpoint) serve(w http.ResponseWriter, r *http.Request, f endpoint.Form) error {
	if err := te.checkGrantType(f.Get("grant_type")); err != nil {
		return err
	}

	client, err := te.Authenticator.Authenticate(r, f)
	if err != nil {
		return err
	}

	answer, err := te.redeem(r, client, f)
	if e, ok := errors.AsType[*oauth.Error](err); ok && e.Code == "invalid_grant" {
		return te.Env.LogRefusal(r, client.ID, err)
	}
	if err == nil {
		endpoint.WriteJSON(w, http.StatusOK, answer)
	}

	return err
}

func (te *TokenEndpoint) checkGrantType(grantType string) error {
	if grantType == "" {
		return oauth.BadRequest("grant_type is missing.")
	}
	if !slices.Contains(
		[]string{
			oauth.GrantAuthorizationCode,
			oauth.GrantRefreshToken,
			oauth.GrantClientCredentials,
			oauth.GrantTokenExchange,
		},
		grantType,
	) {
		return oauth.Refuse(
			"unsupported_grant_type",
			"Supported are %s.",
			strings.Join(te.Authenticator.Clients.GrantTypes(), ", "),
		)
	}

	return nil
}

// redeem redeems the grant of a client.
func (te *TokenEndpoint) redeem(
	r *http.Request, client *oauth.Client, f endpoint.Form,
) (*tokens, error) {
	grantType := f.Get("grant_type")
	if !client.May(grantType) {
		return nil, oauth.Refuse(
			"unauthorized_client", "The client did not register this grant_type.",
		)
	}
	// Before anything is used up: a client that asks for the wrong resource
	// may ask again (RFC 8707 section 2).
	asked, err := te.Tokens.Resources.Asked(f["resource"])
	if err != nil {
		return nil, err
	}

	jkt, err := te.Proofs.Verify(r, te.Env.Issuer, "")
	if err == nil && jkt == "" && client.Bound {
		err = token.BadProof("There is none, and the client registered dpop_bound_access_tokens.")
	}
	if err != nil {
		return nil, err
	}

	switch grantType {
	case oauth.GrantAuthorizationCode:
		return te.redeemCode(r.Context(), client, asked, f, jkt)
	case oauth.GrantClientCredentials:
		return te.redeemCredentials(r.Context(), client, asked, f, jkt)
	case oauth.GrantTokenExchange:
		return te.redeemExchange(r.Context(), client, asked, f, jkt)
	}

	return te.redeemRefresh(r.Context(), client, asked, f, jkt)
}

// resourceOf returns the resource of a grant. The request may name that one only.
func (te *TokenEndpoint) resourceOf(
	g *oauth.Grant, asked *oauth.Resource,
) (*oauth.Resource, error) {
	of := te.Tokens.Resources.Of(g.Resource)
	switch {
	case of == nil:
		return nil, badGrant("What the grant was for is not here any more.")
	case asked != nil && asked.URL != of.URL:
		return nil, oauth.Refuse("invalid_target", "The grant is for %s only.", of.URL)
	case !of.Admits(g.Name):
		return nil, badGrant("The account may not use %s any more.", of.URL)
	}

	return of, nil
}

// answer mints the access token of a grant, bound to the key of a thumbprint
// unless that is "", and returns the answer.
func (te *TokenEndpoint) answer(
	ctx context.Context,
	g *oauth.Grant,
	scope oauth.ScopeSet,
	jkt, refresh string,
) (*tokens, error) {
	now := te.Env.Now()
	expires := earlier(now.Add(te.Tokens.AccessTTL), g.Expires)
	access, err := te.Tokens.Mint(ctx, g, scope, jkt, now, expires)
	if err != nil {
		return nil, err
	}

	return &tokens{
		AccessToken:  access,
		TokenType:    tokenType(jkt),
		ExpiresIn:    int64(expires.Sub(now) / time.Second),
		RefreshToken: refresh,
		Scope:        scope.String(),
		Resource:     g.Resource,
	}, nil
}

// tokenType names how a token is presented (RFC 6750, RFC 9449 section 5).
func tokenType(jkt string) string {
	if jkt != "" {
		return "DPoP"
	}
	return "Bearer"
}

// earlier returns the time that comes first.
func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
