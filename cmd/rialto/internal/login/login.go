// Package login logs in to an MCP server for the programs of the command line, and stores the login.
package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/term"
	"rialto/internal/loopback"
)

// ErrRequired is returned if the server wants a login and there is none.
var ErrRequired = errors.New("login")

// staticLogin is a login with an access token.
type staticLogin struct{ token string }

// WithToken returns a login with an access token that is not renewed.
func WithToken(token string) auth.OAuthHandler { return staticLogin{token} }

func (f staticLogin) TokenSource(context.Context) (oauth2.TokenSource, error) {
	return oauth2.StaticTokenSource(&oauth2.Token{AccessToken: f.token}), nil
}

func (f staticLogin) Authorize(_ context.Context, _ *http.Request, resp *http.Response) error {
	resp.Body.Close()
	return fmt.Errorf(
		"%w: the server refused the access token: %s %s",
		ErrRequired,
		resp.Status,
		resp.Header.Get("WWW-Authenticate"),
	)
}

// Browser is a login in the user's browser (OAuth 2.1 with PKCE), which is stored in File. The
// client registers itself, unless ClientID is one that the server knows: an ID, or the URL of a
// client ID metadata document. URL, File and Dialog are required.
type Browser struct {
	URL      string // of the MCP server
	File     string
	ClientID string
	Dialog   *term.Dialog
	Attended bool // a person can log in; without one, only a stored login works
}

// login is a stored login. It is as secret as a password.
type login struct {
	ClientID string           `json:"client_id"`
	Secret   string           `json:"client_secret,omitempty"`
	Style    oauth2.AuthStyle `json:"auth_style"`
	TokenURL string           `json:"token_endpoint"`
	Token    *oauth2.Token    `json:"token"`
}

func (b *Browser) read() (map[string]*login, error) {
	all := map[string]*login{}
	text, err := os.ReadFile(b.File)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the stored logins: %w; delete %s to log in again", err, b.File)
	}
	return all, nil
}

// store keeps a login, or forgets it if l is nil.
func (b *Browser) store(l *login) error {
	all, err := b.read()
	if err != nil {
		return err
	}
	all[b.URL] = l
	if l == nil {
		delete(all, b.URL)
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(b.File), 0o700); err != nil {
		return err
	}
	next := b.File + ".new"
	if err := os.WriteFile(next, text, 0o600); err != nil {
		return err
	}
	return os.Rename(next, b.File)
}

// Forget removes the stored login, and reports whether there was one.
func (b *Browser) Forget() (had bool, err error) {
	all, err := b.read()
	if err != nil || all[b.URL] == nil {
		return false, err
	}
	return true, b.store(nil)
}

// storingSource stores each token that it returns for the first time.
type storingSource struct {
	from  oauth2.TokenSource
	b     *Browser
	login login
}

func (s *storingSource) Token() (*oauth2.Token, error) {
	t, err := s.from.Token()
	known := err == nil && s.login.Token != nil && t.AccessToken == s.login.Token.AccessToken
	if err != nil || known {
		return t, err
	}
	s.login.Token = t
	return t, s.b.store(&s.login)
}

// stored returns the stored login, renewed if it has expired; nil if there is none that works.
func (b *Browser) stored(ctx context.Context) (oauth2.TokenSource, error) {
	all, err := b.read()
	l := all[b.URL]
	if err != nil || l == nil {
		return nil, err
	}
	cfg := &oauth2.Config{
		ClientID:     l.ClientID,
		ClientSecret: l.Secret,
		Endpoint:     oauth2.Endpoint{TokenURL: l.TokenURL, AuthStyle: l.Style},
	}
	s := &storingSource{cfg.TokenSource(ctx, l.Token), b, *l}
	if _, err := s.Token(); err != nil {
		return nil, nil // revoked, or too old: log in again
	}
	return s, nil
}

// Handler returns the login. Close the listener, to which the browser returns.
func (b *Browser) Handler(ctx context.Context) (auth.OAuthHandler, net.Listener, error) {
	stored, err := b.stored(ctx)
	if err != nil {
		return nil, nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	redirect := "http://" + l.Addr().String() + loopback.Path
	config := &auth.AuthorizationCodeHandlerConfig{
		RedirectURL:         redirect,
		RequestRefreshToken: true,
		InitialTokenSource:  stored,
		DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{
				ClientName:              "Rialto command line",
				RedirectURIs:            []string{redirect},
				TokenEndpointAuthMethod: "none",
				GrantTypes: []string{
					"authorization_code",
					"refresh_token",
				},
				ResponseTypes: []string{"code"},
			},
		},
		AuthorizationCodeFetcher: func(
			ctx context.Context, args *auth.AuthorizationArgs,
		) (*auth.AuthorizationResult, error) {
			return b.ask(ctx, l, args.URL)
		},
		NewTokenSource: func(
			ctx context.Context, c *oauth2.Config, t *oauth2.Token,
		) (oauth2.TokenSource, error) {
			kept := login{
				ClientID: c.ClientID,
				Secret:   c.ClientSecret,
				Style:    c.Endpoint.AuthStyle,
				TokenURL: c.Endpoint.TokenURL,
				Token:    t,
			}
			return &storingSource{c.TokenSource(ctx, t), b, kept}, b.store(&kept)
		},
	}
	switch {
	case strings.HasPrefix(b.ClientID, "https://"):
		config.ClientIDMetadataDocumentConfig = &auth.ClientIDMetadataDocumentConfig{
			URL: b.ClientID,
		}
	case b.ClientID != "":
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: b.ClientID}
	}
	h, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		l.Close()
		return nil, nil, err
	}
	return loginErrors{h, b}, l, nil
}

// loginErrors marks the errors of a login as such, and refuses to log in without a terminal.
type loginErrors struct {
	*auth.AuthorizationCodeHandler
	b *Browser
}

func (m loginErrors) Authorize(ctx context.Context, r *http.Request, resp *http.Response) error {
	if !m.b.Attended {
		resp.Body.Close()
		return fmt.Errorf("%w: the server wants one, and there is no terminal to log in from", ErrRequired)
	}
	if err := m.AuthorizationCodeHandler.Authorize(ctx, r, resp); err != nil {
		return fmt.Errorf("%w: %w", ErrRequired, err)
	}
	return nil
}

// ask sends the user to an address and waits for the browser to return.
func (b *Browser) ask(
	ctx context.Context, l net.Listener, address string,
) (*auth.AuthorizationResult, error) {
	address = sanitize.WebPage(address) // another address may be a file, or start a program
	if address == "" {
		return nil, errors.New("the server's authorization_endpoint is no web page")
	}
	state := stateOf(address)
	q, err := loopback.Answer(ctx, l, "You can close this window and return to the terminal.",
		func(q url.Values) bool { return q.Get("state") == state }, func() error {
			b.Dialog.Say("Log in with your browser on this computer:\n\n  " + address + "\n")
			if b.Dialog.Terminal() {
				open(ctx, address)
			}
			return nil
		})
	switch {
	case err != nil:
		return nil, err
	case q.Get("error") == "access_denied":
		return nil, errors.New("you refused it in the browser")
	case q.Get("code") == "":
		return nil, fmt.Errorf(
			"the server answered %s: %s",
			sanitize.Label(q.Get("error")), sanitize.Label(q.Get("error_description")),
		)
	}
	return &auth.AuthorizationResult{Code: q.Get("code"), State: state, Iss: q.Get("iss")}, nil
}

func stateOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Query().Get("state")
}

// open opens an address in the user's browser, if it can: the address is printed as well.
func open(ctx context.Context, address string) {
	opener := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		opener = []string{"open"}
	case "windows":
		opener = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.CommandContext(ctx, opener[0], append(opener[1:], address)...)
	if cmd.Start() == nil {
		go cmd.Wait() // ends with the opener or with ctx
	}
}
