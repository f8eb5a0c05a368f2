package oauthbench

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/ory/fosite"
	"github.com/ory/fosite/compose"
	fositeoauth "github.com/ory/fosite/handler/oauth2"
	"github.com/ory/fosite/token/jwt"
)

// fositePeer is a server as fosite's manual puts it together.
type fositePeer struct {
	provider, stateless fosite.OAuth2Provider
	strategy            fositeoauth.CoreStrategy
	db                  *fositeStore
	issuer              string
}

func openFosite(ctx context.Context, issuer, dsn string) (peer, error) {
	secret := make([]byte, 32)
	rand.Read(secret)
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	fositeClient.Audience = []string{issuer + "/mcp"}
	db, err := openFositeStore(ctx, dsn)
	if err != nil {
		return nil, err
	}
	config := func() *fosite.Config {
		return &fosite.Config{
			GlobalSecret: secret, AccessTokenIssuer: issuer, AccessTokenLifespan: time.Hour, AuthorizeCodeLifespan: 24 * time.Hour,
			ScopeStrategy: fosite.ExactScopeStrategy, EnforcePKCE: true, RefreshTokenScopes: []string{},
		}
	}
	main := config()
	strategy := compose.NewOAuth2JWTStrategy(func(context.Context) (any, error) { return key, nil }, compose.NewOAuth2HMACStrategy(main), main)
	return &fositePeer{
		provider: compose.Compose(main, db, strategy,
			compose.OAuth2AuthorizeExplicitFactory, compose.OAuth2RefreshTokenGrantFactory, compose.OAuth2PKCEFactory, compose.OAuth2TokenIntrospectionFactory),
		stateless: compose.Compose(config(), db, strategy, compose.OAuth2StatelessJWTIntrospectionFactory),
		strategy:  strategy, db: db, issuer: issuer,
	}, nil
}

func newFositeSession() *fositeoauth.JWTSession { return &fositeoauth.JWTSession{} }

func (p *fositePeer) client() string               { return fositeClient.GetID() }
func (p *fositePeer) forget(context.Context) error { return nil } // it remembers nothing
func (p *fositePeer) first() http.Handler          { return guardedBy(p.provider) }
func (p *fositePeer) again() http.Handler          { return guardedBy(p.stateless) }

// code records what fosite's authorization endpoint would record.
func (p *fositePeer) code(ctx context.Context) (string, error) {
	session := newFositeSession()
	session.Subject = "ada"
	session.JWTClaims = &jwt.JWTClaims{Subject: "ada", Issuer: p.issuer, Audience: []string{p.issuer + "/mcp"}, Extra: map[string]any{"client_id": fositeClient.GetID()}}
	session.JWTHeader = &jwt.Headers{Extra: map[string]any{"kid": "one", "typ": "at+jwt"}}
	session.SetExpiresAt(fosite.AuthorizeCode, time.Now().Add(24*time.Hour))
	r := fosite.NewAuthorizeRequest()
	r.SetID("")
	r.Client, r.Session, r.RequestedAt = fositeClient, session, time.Now().UTC()
	r.SetRequestedScopes([]string{clientScope})
	r.GrantScope(clientScope)
	r.GrantAudience(p.issuer + "/mcp")
	r.Form = url.Values{"redirect_uri": {callback}, "code_challenge": {challenge}, "code_challenge_method": {"S256"}}
	code, signature, err := p.strategy.GenerateAuthorizeCode(ctx, r)
	if err == nil {
		err = p.db.CreateAuthorizeCodeSession(ctx, signature, r.Sanitize([]string{"redirect_uri"}))
	}
	if err == nil {
		err = p.db.CreatePKCERequestSession(ctx, signature, r.Sanitize([]string{"code_challenge", "code_challenge_method"}))
	}
	return code, err
}

func (p *fositePeer) token() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		request, err := p.provider.NewAccessRequest(ctx, r, newFositeSession())
		if err != nil {
			p.provider.WriteAccessError(ctx, w, request, err)
			return
		}
		response, err := p.provider.NewAccessResponse(ctx, request)
		if err != nil {
			p.provider.WriteAccessError(ctx, w, request, err)
			return
		}
		p.provider.WriteAccessResponse(ctx, w, request, response)
	})
}

// guardedBy stands before the resource.
func guardedBy(provider fosite.OAuth2Provider) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if _, _, err := provider.IntrospectToken(r.Context(), token, fosite.AccessToken, newFositeSession(), clientScope); err != nil {
			http.Error(w, err.Error(), http.StatusUnauthorized)
			return
		}
		resource(w, r)
	})
}
