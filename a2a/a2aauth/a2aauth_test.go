package a2aauth_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aauth"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
)

// guarded serves an agent behind a door: open says whether a call may pass. Its
// card, which asks for schemes, is for everybody.
func guarded(t *testing.T, schemes map[string]a2a.SecurityScheme, open func(*http.Request) bool) string {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	card := *agent.Card()
	card.SecuritySchemes = schemes
	for name := range schemes {
		card.Security = append(card.Security, a2a.SecurityRequirement{name: nil})
	}
	s := &a2aserver.Server{Agent: agent, Card: &card}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && !open(r) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.ServeHTTP(w, r)
	}))
	t.Cleanup(web.Close)
	s.URL = web.URL
	return web.URL
}

func dial(t *testing.T, url string, credentials a2aclient.Credentials) *a2aclient.Client {
	t.Helper()
	c, err := (&a2aclient.Dialer{Credentials: credentials, Pause: time.Millisecond}).Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestASecretIsShownAsItIsWanted(t *testing.T) {
	apiKey := func(in string) a2a.SecurityScheme { return a2a.SecurityScheme{Type: a2a.APIKey, In: in, Name: "k"} }
	basic := a2a.SecurityScheme{Type: a2a.HTTPAuth, Scheme: "basic"}
	header := func(name, value string) func(*http.Request) bool {
		return func(r *http.Request) bool { return r.Header.Get(name) == value }
	}
	query := func(r *http.Request) bool {
		return r.URL.Query().Get("k") == "s&=" && r.Header.Get("Authorization") == ""
	}
	cookie := func(r *http.Request) bool {
		c, err := r.Cookie("k")
		return err == nil && c.Value == "secret"
	}
	name := func(r *http.Request) bool {
		user, password, _ := r.BasicAuth()
		return user == "ann" && password == "s"
	}
	for what, c := range map[string]struct {
		secret a2aauth.Secret
		scheme a2a.SecurityScheme // of the card
		open   func(*http.Request) bool
	}{
		"a bearer token":               {a2aauth.Secret{Kind: a2aauth.Bearer, Value: "s"}, basic, header("Authorization", "Bearer s")},
		"a name and password":          {a2aauth.Secret{Kind: a2aauth.Basic, User: "ann", Value: "s"}, a2a.SecurityScheme{}, name},
		"a key in a header":            {a2aauth.Secret{Kind: a2aauth.APIKey, Name: "X-Key", Value: "s"}, a2a.SecurityScheme{}, header("X-Key", "s")},
		"a key in the query":           {a2aauth.Secret{Kind: a2aauth.APIKey, In: "query", Name: "k", Value: "s&="}, a2a.SecurityScheme{}, query},
		"a key in a cookie":            {a2aauth.Secret{Kind: a2aauth.APIKey, In: "cookie", Name: "k", Value: "secret"}, a2a.SecurityScheme{}, cookie},
		"the card wants a header":      {a2aauth.Secret{Value: "s"}, apiKey("header"), header("k", "s")},
		"the card wants a query":       {a2aauth.Secret{Value: "s&="}, apiKey("query"), query},
		"the card wants a cookie":      {a2aauth.Secret{Value: "secret"}, apiKey("cookie"), cookie},
		"the card wants a name":        {a2aauth.Secret{Value: "s", User: "ann"}, basic, name},
		"the card wants OAuth":         {a2aauth.Secret{Value: "s"}, a2a.SecurityScheme{Type: a2a.OAuth2}, header("Authorization", "Bearer s")},
		"the card wants nothing known": {a2aauth.Secret{Value: "s"}, a2a.SecurityScheme{Type: "other"}, header("Authorization", "Bearer s")},
	} {
		t.Run(what, func(t *testing.T) {
			url := guarded(t, map[string]a2a.SecurityScheme{"x": c.scheme}, c.open)
			if _, err := dial(t, url, c.secret).Send(t.Context(), a2atest.Say("say x")); err != nil {
				t.Error(err)
			}
			wrong := c.secret
			wrong.Value = "wrong"
			if _, err := dial(t, url, wrong).Send(t.Context(), a2atest.Say("say x")); !a2a.Is(err, a2a.Unauthenticated) || strings.Contains(err.Error(), "wrong") {
				t.Errorf("with another secret: got %v, want a refusal that does not repeat it", err)
			}
		})
	}
}

// issuer is a token endpoint. Its tokens are numbered, and name their subject.
type issuer struct {
	url string

	mu      sync.Mutex
	asked   []string // the forms that came, with the client's name and password
	lives   int      // seconds
	refuses string   // an error code
}

func newIssuer(t *testing.T) *issuer {
	i := &issuer{lives: 3600}
	web := httptest.NewServer(i)
	t.Cleanup(web.Close)
	i.url = web.URL + "/token"
	return i
}

func (i *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	i.mu.Lock()
	defer i.mu.Unlock()
	user, password, _ := r.BasicAuth()
	i.asked = append(i.asked, fmt.Sprintf("%s:%s %s", user, password, r.PostForm.Encode()))
	w.Header().Set("Content-Type", "application/json")
	if i.refuses != "" {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprintf(w, `{"error":%q,"error_description":"sent %s"}`, i.refuses, password)
		return
	}
	fmt.Fprintf(w, `{"access_token":"token-%d%s","token_type":"N_A","expires_in":%d}`, len(i.asked), r.PostForm.Get("subject_token"), i.lives)
}

func (i *issuer) requests() []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.asked)
}

// clock is a clock that a test moves.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// seen is a door that opens for every token but those that were revoked.
type seen struct {
	mu      sync.Mutex
	tokens  []string
	revoked map[string]bool
}

func (s *seen) open(r *http.Request) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	s.tokens = append(s.tokens, token)
	return !s.revoked[token]
}

func (s *seen) revoke(token string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revoked = map[string]bool{token: true}
}

func say(t *testing.T, c *a2aclient.Client) {
	t.Helper()
	if _, err := c.Send(t.Context(), a2atest.Say("say x")); err != nil {
		t.Error(err)
	}
}

func TestATokenOfTheProgramIsKeptAndReplaced(t *testing.T) {
	as, door, now := newIssuer(t), &seen{}, &clock{now: time.Now()}
	tokens := &a2aauth.Tokens{TokenURL: as.url, ClientID: "rialto", ClientSecret: "s:1", Scopes: []string{"a", "b"}, Audience: "agent", Now: now.Now}
	c := dial(t, guarded(t, nil, door.open), tokens)
	say(t, c)
	say(t, c.For("ann"))
	now.pass(59*time.Minute + 40*time.Second)
	say(t, c)
	now.pass(time.Minute)
	door.revoke("token-2")
	say(t, c)
	door.revoke("token-3")
	if _, err := c.Send(t.Context(), a2atest.Say("say x")); !a2a.Is(err, a2a.Unauthenticated) {
		t.Errorf("got %v, want the refusal: the token is too new for another to help", err)
	}
	if got, want := fmt.Sprint(door.tokens), "[token-1 token-1 token-2 token-2 token-3 token-3]"; got != want {
		t.Errorf("the agent saw %s, want %s: kept, replaced before it expires, replaced when refused", got, want)
	}
	want := "rialto:s%3A1 audience=agent&grant_type=client_credentials&scope=a+b"
	if got := as.requests(); len(got) != 3 || got[0] != want {
		t.Errorf("got %q, want three times %q", got, want)
	}
}

func TestEachUserHasATokenOfTheirOwn(t *testing.T) {
	as, door := newIssuer(t), &seen{}
	tokens := &a2aauth.Tokens{TokenURL: as.url, ClientID: "rialto", ClientSecret: "s", InBody: true, Resource: "https://agent.example", Now: time.Now,
		Subject: func(_ context.Context, user string) (string, error) { return "-of-" + user, nil }}
	c := dial(t, guarded(t, nil, door.open), tokens)
	say(t, c)
	say(t, c.For("ann"))
	say(t, c.For("bob"))
	say(t, c.For("ann"))
	if got, want := fmt.Sprint(door.tokens), "[ token-1-of-ann token-2-of-bob token-1-of-ann]"; got != want {
		t.Errorf("the agent saw %s, want %s", got, want)
	}
	want := ": client_id=rialto&client_secret=s&grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Atoken-exchange" +
		"&requested_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Aaccess_token&resource=https%3A%2F%2Fagent.example" +
		"&subject_token=-of-ann&subject_token_type=urn%3Aietf%3Aparams%3Aoauth%3Atoken-type%3Ajwt"
	if got := as.requests(); len(got) != 2 || got[0] != want {
		t.Errorf("got %q, want two, the first %q", got, want)
	}
}

func TestManyWhoWantATokenShareIt(t *testing.T) {
	as, door := newIssuer(t), &seen{}
	c := dial(t, guarded(t, nil, door.open), &a2aauth.Tokens{TokenURL: as.url, ClientID: "rialto", Now: time.Now})
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { say(t, c) })
	}
	all.Wait()
	if got := as.requests(); len(got) != 1 {
		t.Errorf("asked %d times for one token", len(got))
	}
}

func TestUsersWithoutEndAreForgotten(t *testing.T) {
	as := newIssuer(t)
	tokens := &a2aauth.Tokens{TokenURL: as.url, ClientID: "rialto", Now: time.Now,
		Subject: func(_ context.Context, user string) (string, error) { return user, nil }}
	req := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", nil)
	for i := range 1100 {
		if err := tokens.Apply(req, a2aclient.Caller{User: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := tokens.Held(); n != 1000 {
		t.Errorf("got %d, want the tokens of 1000 users", n)
	}
}

func TestWithoutATokenNothingIsSent(t *testing.T) {
	gone := httptest.NewServer(nil)
	gone.Close()
	elsewhere := httptest.NewServer(http.RedirectHandler("https://other.example/token", http.StatusTemporaryRedirect))
	t.Cleanup(elsewhere.Close)
	refusing := newIssuer(t)
	refusing.refuses = "invalid_client"
	nobody := func(context.Context, string) (string, error) { return "", errors.New("the account secret is gone") }
	for name, c := range map[string]struct {
		tokens *a2aauth.Tokens
		code   a2a.Code
		words  string
	}{
		"the endpoint refuses":     {&a2aauth.Tokens{TokenURL: refusing.url}, a2a.Unauthenticated, `"invalid_client"`},
		"the endpoint is gone":     {&a2aauth.Tokens{TokenURL: gone.URL}, a2a.Unavailable, "no token for the agent"},
		"the endpoint redirects":   {&a2aauth.Tokens{TokenURL: elsewhere.URL}, a2a.Unavailable, "HTTP 307"},
		"there is no subject":      {&a2aauth.Tokens{TokenURL: refusing.url, Subject: nobody}, a2a.Unavailable, "no credentials"},
		"the endpoint is an agent": {&a2aauth.Tokens{TokenURL: guarded(t, nil, func(*http.Request) bool { return true })}, a2a.Unavailable, "no token"},
	} {
		t.Run(name, func(t *testing.T) {
			door := &seen{}
			tokens := c.tokens
			tokens.ClientID, tokens.ClientSecret, tokens.Now = "rialto", "secret", time.Now
			client, err := (&a2aclient.Dialer{Credentials: tokens, Protocol: a2a.V10}).Dial(t.Context(), guarded(t, nil, door.open))
			if err == nil {
				_, err = client.For("ann").Send(t.Context(), a2atest.Say("say x"))
			}
			var e *a2a.Error
			if !errors.As(err, &e) || e.Code != c.code || e.Remote || !e.NotSent || !strings.Contains(e.Message, c.words) || strings.Contains(e.Message, "secret") {
				t.Errorf("got %+v, want %s of our own, with %q and no secret", err, c.code, c.words)
			}
			if len(door.tokens) > 0 {
				t.Errorf("the agent was called with %q", door.tokens)
			}
		})
	}
}

func TestACertificateIsShown(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	s := &a2aserver.Server{Agent: agent, Card: agent.Card()}
	var shown int
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown = len(r.TLS.PeerCertificates)
		s.ServeHTTP(w, r)
	}))
	web.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert}
	web.StartTLS()
	t.Cleanup(web.Close)
	s.URL = web.URL
	trusted := web.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	if _, err := (&a2aclient.Dialer{TLS: &tls.Config{RootCAs: trusted}}).Dial(t.Context(), web.URL); err == nil {
		t.Error("dialled without a certificate")
	}
	c, err := (&a2aclient.Dialer{TLS: &tls.Config{RootCAs: trusted, Certificates: web.TLS.Certificates}}).Dial(t.Context(), web.URL)
	if err != nil {
		t.Fatal(err)
	}
	if say(t, c); shown != 1 {
		t.Errorf("got %d certificates", shown)
	}
}

func TestWhatACardAsksForAndNobodyHas(t *testing.T) {
	card := &a2a.Card{
		SecuritySchemes: map[string]a2a.SecurityScheme{
			"key":   {Type: a2a.APIKey, In: "header", Name: "X-Key"},
			"oauth": {Type: a2a.OAuth2, Flows: []a2a.OAuthFlow{{Grant: "clientCredentials", TokenURL: "https://as.example/token"}}},
			"oidc":  {Type: a2a.OpenIDConnect, OpenIDConnectURL: "https://as.example"},
			"cert":  {Type: a2a.MutualTLS},
			"basic": {Type: a2a.HTTPAuth, Scheme: "basic"},
		},
	}
	for name, c := range map[string]struct {
		need  []string // the schemes of each alternative, joined by +
		means a2aauth.CredentialKinds
		want  int
		words string
	}{
		"nothing asked":                   {nil, a2aauth.CredentialKinds{}, 0, ""},
		"nothing there":                   {[]string{"key", "oauth"}, a2aauth.CredentialKinds{}, 2, "https://as.example/token"},
		"one of two ways":                 {[]string{"key", "oauth"}, a2aauth.CredentialKinds{Tokens: true}, 0, ""},
		"half of a way":                   {[]string{"cert+oauth"}, a2aauth.CredentialKinds{Tokens: true}, 1, "cert_file"},
		"all of a way":                    {[]string{"cert+oidc"}, a2aauth.CredentialKinds{Tokens: true, TLS: true}, 0, ""},
		"a key under another name":        {[]string{"key"}, a2aauth.CredentialKinds{Secret: &a2aauth.Secret{Kind: a2aauth.APIKey, Name: "Y"}}, 1, `"X-Key"`},
		"the header of the key":           {[]string{"key"}, a2aauth.CredentialKinds{Header: "x-key"}, 0, ""},
		"a secret that goes where needed": {[]string{"key"}, a2aauth.CredentialKinds{Secret: &a2aauth.Secret{}}, 0, ""},
		"a password without a name":       {[]string{"basic"}, a2aauth.CredentialKinds{Secret: &a2aauth.Secret{}}, 1, "basic"},
		"a scheme that is not there":      {[]string{"other"}, a2aauth.CredentialKinds{Tokens: true}, 1, `"other"`},
	} {
		t.Run(name, func(t *testing.T) {
			card.Security = nil
			for _, way := range c.need {
				need := a2a.SecurityRequirement{}
				for _, scheme := range strings.Split(way, "+") {
					need[scheme] = nil
				}
				card.Security = append(card.Security, need)
			}
			got := a2aauth.Unmet(card, c.means)
			if len(got) != c.want || !strings.Contains(fmt.Sprint(got), c.words) {
				t.Errorf("got %q, want %d lines with %q", got, c.want, c.words)
			}
		})
	}
}
