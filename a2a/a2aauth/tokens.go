package a2aauth

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"golang.org/x/oauth2"
	"golang.org/x/oauth2/clientcredentials"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
)

const (
	maxUsers     = 1000             // whose tokens are kept
	tokenTimeout = 10 * time.Second // for the token endpoint
	retryAfter   = 5 * time.Second  // it is not asked again sooner, whatever came of it
	early        = 30 * time.Second // a token is replaced before it expires
)

// Tokens gets access tokens from a token endpoint and keeps them until they
// expire. TokenURL, ClientID and Now are required.
type Tokens struct {
	TokenURL     string
	ClientID     string
	ClientSecret string // "" for a client that has none
	InBody       bool   // the secret goes into the body, for endpoints that take no other
	Scopes       []string
	Audience     string // for whom tokens are asked for; "" leaves it to the endpoint
	Resource     string // the same in the words of RFC 8707

	// Subject returns a short-lived JWT that identifies user to the token endpoint. With it, each
	// user has a token of their own (RFC 8693), and calls without a user have none; nil is a token
	// for the program.
	Subject func(ctx context.Context, user string) (string, error)

	Now func() time.Time

	mu   sync.Mutex
	held map[string]*token // by user
}

// token is the token of a user, or the error of getting it.
type token struct {
	turn chan struct{} // holds one element while the token is not in use

	value *oauth2.Token
	err   error
	asked time.Time
}

// Apply implements a2aclient.Credentials.
func (t *Tokens) Apply(req *http.Request, c a2aclient.Caller) error {
	if t.Subject == nil {
		c.User = ""
	} else if c.User == "" {
		return nil
	}

	value, err := t.token(req.Context(), c.User)
	if err != nil {
		return err
	}

	value.SetAuthHeader(req)
	return nil
}

// Renew implements a2aclient.Credentials.
func (t *Tokens) Renew(req *http.Request, c a2aclient.Caller) bool {
	if t.Subject == nil {
		c.User = ""
	}

	h := t.of(c.User)
	select {
	case <-h.turn:
	default:
		return true // another call is getting a token
	}
	defer func() { h.turn <- struct{}{} }()
	switch {
	case h.value == nil:
		return false
	case req.Header.Get("Authorization") != h.value.Type()+" "+h.value.AccessToken:
		return true // another call has got a token
	case t.Now().Sub(h.asked) < retryAfter:
		return false // it would be refused as well
	default:
		h.value = nil
		return true
	}
}

// token returns the token of user and gets one if there is none. Concurrent calls for one
// user wait for each other.
func (t *Tokens) token(ctx context.Context, user string) (*oauth2.Token, error) {
	h := t.of(user)
	select {
	case <-h.turn:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	defer func() { h.turn <- struct{}{} }()
	now := t.Now()
	if h.value != nil &&
		(h.value.Expiry.IsZero() || now.Before(h.value.Expiry.Add(-early)) || now.Sub(h.asked) < retryAfter) {
		return h.value, nil
	}
	if h.err != nil && now.Sub(h.asked) < retryAfter {
		return nil, h.err
	}
	value, err := t.ask(ctx, user)
	if ctx.Err() != nil {
		return nil, ctx.Err() // says nothing to the next
	}

	h.value = value
	h.err = err
	h.asked = now
	return value, err
}

// of returns the entry of user and creates it if necessary.
func (t *Tokens) of(user string) *token {
	t.mu.Lock()
	defer t.mu.Unlock()
	h := t.held[user]
	if h != nil {
		return h
	}
	if t.held == nil {
		t.held = map[string]*token{}
	}

	for other := range t.held {
		if len(t.held) < maxUsers {
			break
		}
		delete(t.held, other) // any one: it is only got again
	}

	h = &token{turn: make(chan struct{}, 1)}
	h.turn <- struct{}{}
	t.held[user] = h
	return h
}

// ask gets a token from the endpoint.
func (t *Tokens) ask(ctx context.Context, user string) (*oauth2.Token, error) {
	params := url.Values{}
	if t.Audience != "" {
		params.Set("audience", t.Audience)
	}
	if t.Resource != "" {
		params.Set("resource", t.Resource)
	}
	if t.Subject != nil {
		subject, err := t.Subject(ctx, user)
		if err != nil {
			return nil, fmt.Errorf("getting the subject token: %w", err)
		}
		params.Set("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange")
		params.Set("subject_token", subject)
		params.Set("subject_token_type", "urn:ietf:params:oauth:token-type:jwt")
		params.Set("requested_token_type", "urn:ietf:params:oauth:token-type:access_token")
	}

	conf := clientcredentials.Config{
		ClientID: t.ClientID, ClientSecret: t.ClientSecret, TokenURL: t.TokenURL,
		Scopes: t.Scopes, EndpointParams: params, AuthStyle: oauth2.AuthStyleInHeader,
	}
	if t.InBody || t.ClientSecret == "" {
		conf.AuthStyle = oauth2.AuthStyleInParams
	}

	client := &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	ctx, cancel := context.WithTimeout(
		context.WithValue(ctx, oauth2.HTTPClient, client), tokenTimeout,
	)
	defer cancel()
	value, err := conf.Token(ctx)
	if err != nil {
		return nil, t.failure(err)
	}
	if !value.Expiry.IsZero() {
		value.Expiry = t.Now().Add(time.Until(value.Expiry)) // by our clock
	}
	if strings.EqualFold(value.TokenType, "N_A") { // RFC 8693 section 2.2.1
		value.TokenType = "Bearer"
	}

	return value, nil
}

// failure returns the error without the endpoint's text, which may repeat the request.
func (t *Tokens) failure(err error) error {
	host := t.TokenURL
	if u, parseErr := url.Parse(t.TokenURL); parseErr == nil {
		host = u.Host
	}
	var refused *oauth2.RetrieveError
	var broken *url.Error
	switch {
	case errors.As(err, &refused) && refused.ErrorCode != "":
		return a2a.Errorf(
			a2a.Unauthenticated,
			"no token for the agent: %s refuses it with %.100q",
			host, refused.ErrorCode,
		)
	case errors.As(err, &refused):
		return a2a.Errorf(
			a2a.Unavailable,
			"no token for the agent: %s answered HTTP %d",
			host, refused.Response.StatusCode,
		)
	case errors.As(err, &broken):
		return a2a.Errorf(a2a.Unavailable, "no token for the agent: %s: %v", host, broken.Err)
	default:
		return a2a.Errorf(a2a.Unavailable, "no token for the agent: %s answered without a token", host)
	}
}
