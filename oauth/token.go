package oauth

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"
)

// tokens is a successful answer of the token endpoint (RFC 6749 section 5.1).
// scope is always there, so that a client can tell whether it has to ask for
// more; resource says what the token is for.
type tokens struct {
	AccessToken  string `json:"access_token"`
	TokenType    string `json:"token_type"`
	ExpiresIn    int64  `json:"expires_in"`
	RefreshToken string `json:"refresh_token,omitempty"`
	Scope        string `json:"scope"`
	Resource     string `json:"resource"`

	IssuedTokenType string `json:"issued_token_type,omitempty"` // RFC 8693 section 2.2.1
}

// token serves the token endpoint.
func (s *Server) token(w http.ResponseWriter, r *http.Request) {
	s.offerNonce(w, r)
	answer, err := s.redeem(w, r)
	if e, ok := errors.AsType[*Error](err); ok && (e.Code == "invalid_grant" || e.Code == "invalid_client") {
		s.countFailure(r)
		if e.event != nil {
			s.happenedAt(r, *e.event)
		}
		s.Log.InfoContext(r.Context(), "oauth: token refused", "code", e.Code, "reason", e.Description, "address", s.address(r))
	}
	if err != nil {
		s.writeError(w, r, err)
		return
	}
	writeJSON(w, http.StatusOK, answer)
}

// redeem decides which grant it is about and whose.
func (s *Server) redeem(w http.ResponseWriter, r *http.Request) (*tokens, error) {
	if err := s.limitFailures(r); err != nil {
		return nil, err
	}
	f, err := readForm(w, r)
	if err != nil {
		return nil, err
	}
	grantType := f.get("grant_type")
	if grantType == "" {
		return nil, refuse("invalid_request", "grant_type is missing.")
	}
	if !slices.Contains([]string{grantCode, grantRefresh, grantCredentials, grantExchange}, grantType) {
		return nil, refuse("unsupported_grant_type", "Supported are %s.", strings.Join(s.grantTypes(), ", "))
	}
	client, err := s.authenticate(r.Context(), r, f)
	if err != nil {
		return nil, err
	}
	if !client.may(grantType) {
		return nil, refuse("unauthorized_client", "The client did not register this grant_type.")
	}
	// Before anything is used up: a client that asks for the wrong resource
	// may ask again (RFC 8707 section 2).
	if err := checkResource(s.Resource, f["resource"]); err != nil {
		return nil, err
	}
	jkt, err := s.proven(r, "")
	if err == nil && jkt == "" && client.Bound {
		err = badProof("There is none, and the client registered dpop_bound_access_tokens.")
	}
	if err != nil {
		return nil, err
	}
	switch grantType {
	case grantCode:
		return s.redeemCode(r.Context(), client, f, jkt)
	case grantCredentials:
		return s.redeemCredentials(r.Context(), client, f, jkt)
	case grantExchange:
		return s.redeemExchange(r.Context(), client, f, jkt)
	}
	return s.redeemRefresh(r.Context(), client, f, jkt)
}

// answer mints the access token of a grant, bound to the key of a thumbprint if
// there is one, and puts the answer together.
func (s *Server) answer(ctx context.Context, g *Grant, scope ScopeSet, jkt, refresh string) (*tokens, error) {
	now := s.Now()
	expires := earlier(now.Add(s.AccessTTL), g.Expires)
	access, err := s.mint(ctx, g, scope, jkt, now, expires)
	if err != nil {
		return nil, err
	}
	return &tokens{
		AccessToken:  access,
		TokenType:    tokenType(jkt),
		ExpiresIn:    int64(expires.Sub(now) / time.Second),
		RefreshToken: refresh,
		Scope:        scope.String(),
		Resource:     s.Resource,
	}, nil
}

// tokenType names how a token is presented (RFC 6750, RFC 9449 section 5).
func tokenType(jkt string) string {
	if jkt != "" {
		return "DPoP"
	}
	return "Bearer"
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
