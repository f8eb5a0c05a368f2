package e2e

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"rialto/oauth/oauthtest"
)

// TestGoClients takes golang.org/x/oauth2 and go-oidc through a login: they
// discover the server by its issuer alone, find out how the client
// authenticates, and check our tokens by the keys that the metadata names.
func TestGoClients(t *testing.T) {
	t.Parallel()
	p := demo(t, t.TempDir(), "")
	const callback = "http://127.0.0.1:1/callback"
	provider, err := oidc.NewProvider(t.Context(), p.URL)
	if err != nil {
		t.Fatal(err)
	}
	app := &oauth2.Config{ClientID: register(t, p, callback), Endpoint: provider.Endpoint(), RedirectURL: callback, Scopes: []string{"mcp:tools", "offline_access"}}

	proof := oauth2.GenerateVerifier()
	address := app.AuthCodeURL("the state", oauth2.S256ChallengeOption(proof), oauth2.SetAuthURLParam("resource", p.URL+"/mcp"))
	back := oauthtest.NewBrowser(t, nil).Authorize(address, username, password).Query()
	if back.Get("state") != "the state" || back.Get("iss") != p.URL {
		t.Errorf("got %v, want the state as sent and the issuer", back)
	}
	token, err := app.Exchange(t.Context(), back.Get("code"), oauth2.VerifierOption(proof))
	if err != nil {
		t.Fatal(err)
	}
	subject := checkedByOIDC(t, p, provider, token)

	lost := *token
	lost.Expiry = time.Now().Add(-time.Minute) // so that the source refreshes
	source := app.TokenSource(t.Context(), &lost)
	renewed, err := source.Token()
	if err != nil {
		t.Fatal(err)
	}
	if renewed.RefreshToken == token.RefreshToken || renewed.AccessToken == token.AccessToken {
		t.Error("a refresh brought the tokens of before")
	}
	if again := checkedByOIDC(t, p, provider, renewed); again != subject {
		t.Errorf("got subject %s after a refresh, want %s", again, subject)
	}
	info, err := provider.UserInfo(t.Context(), source)
	if err != nil || info.Subject != subject {
		t.Errorf("got userinfo %+v, %v, want that of %s", info, err, subject)
	}
	resp, err := oauth2.NewClient(t.Context(), source).Get(p.URL + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		t.Error("the resource refuses the renewed token")
	}
}

// checkedByOIDC verifies an access token with the library's verifier, against
// the published keys, and returns its subject.
func checkedByOIDC(t *testing.T, p *program, provider *oidc.Provider, token *oauth2.Token) string {
	t.Helper()
	if !token.Valid() || token.Type() != "Bearer" {
		t.Errorf("got %+v, want a bearer token that lives", token)
	}
	verified, err := provider.Verifier(&oidc.Config{ClientID: p.URL + "/mcp"}).Verify(t.Context(), token.AccessToken)
	if err != nil {
		t.Fatal(err)
	}
	var claims struct{ Scope string }
	if err := verified.Claims(&claims); err != nil || !slices.Contains(strings.Fields(claims.Scope), "mcp:tools") {
		t.Errorf("got claims %+v, %v, want the scope mcp:tools", claims, err)
	}
	if _, err := provider.Verifier(&oidc.Config{ClientID: p.URL + "/other"}).Verify(t.Context(), token.AccessToken); err == nil {
		t.Error("the token counts for another audience")
	}
	return verified.Subject
}

// TestGoClientsReadOurErrors: the libraries' own error types carry our codes.
func TestGoClientsReadOurErrors(t *testing.T) {
	t.Parallel()
	p := demo(t, t.TempDir(), "")
	const callback = "http://127.0.0.1:1/callback"
	app := &oauth2.Config{ClientID: register(t, p, callback), RedirectURL: callback, Endpoint: oauth2.Endpoint{TokenURL: p.URL + "/token"}}
	for want, exchange := range map[string]func() error{
		"invalid_grant": func() error {
			_, err := app.Exchange(t.Context(), "rialto_code_"+strings.Repeat("A", 43), oauth2.VerifierOption(oauth2.GenerateVerifier()))
			return err
		},
		"invalid_client": func() error {
			gone := *app
			gone.ClientID, gone.ClientSecret = "nobody", "a secret with ünïcode: %"
			_, err := gone.Exchange(t.Context(), "x")
			return err
		},
	} {
		err, ok := exchange().(*oauth2.RetrieveError)
		if !ok || err.ErrorCode != want || err.ErrorDescription == "" {
			t.Errorf("got %+v, want %s with a description", err, want)
		}
	}
}
