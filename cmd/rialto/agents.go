package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"rialto/a2a/a2aauth"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2asign"
	"rialto/bridge"
)

// vouch returns a JWT that tells audience who user is.
type vouch func(ctx context.Context, user, audience string) (string, error)

// credentials returns what proves to an agent who calls; nil is nothing. The
// configuration was checked.
func (c credentialsConfig) credentials(says vouch) a2aclient.Credentials {
	if c.Type != typeClientCredentials && c.Type != typeTokenExchange {
		if s := c.fixed(); s != nil {
			return *s
		}
		return nil
	}
	var secret string
	if c.hasSecret() {
		secret, _ = c.secret()
	}
	t := &a2aauth.Tokens{
		TokenURL: c.TokenURL, ClientID: c.ClientID, ClientSecret: secret, InBody: c.ClientAuth == "post",
		Scopes: c.Scopes, Audience: c.Audience, Resource: c.Resource, Now: time.Now,
	}
	if c.Type == typeTokenExchange {
		t.Subject = func(ctx context.Context, user string) (string, error) { return says(ctx, user, c.TokenURL) }
	}
	return t
}

// fixed returns the secret that is sent as it is, or nil.
func (c credentialsConfig) fixed() *a2aauth.Secret {
	if header, _ := c.header(); header != nil || !c.hasSecret() {
		return nil
	}
	value, _ := c.secret()
	return &a2aauth.Secret{Kind: a2aauth.Kind(c.Type), Value: value, User: c.User, In: c.In, Name: c.Name}
}

// dialer returns what reaches an agent.
func (a agentConfig) dialer(log *slog.Logger, says vouch, cards *bridge.Cards) *a2aclient.Dialer {
	log = log.With("agent", a.Name)
	header, _ := a.Credentials.header() // checked with the configuration
	secure, _ := a.Credentials.tls()
	keys, _ := a.Card.keys()
	return &a2aclient.Dialer{
		Header: header, Credentials: a.Credentials.credentials(says), TLS: secure,
		Protocol: a.Protocol, Binding: a.Binding, Log: log,
		GRPC: &a2agrpc.Transport{TLS: secure},
		Admit: func(ctx context.Context, card []byte) ([]byte, error) {
			card, err := believed(ctx, card, keys)
			if err != nil || cards == nil {
				return card, err
			}
			return cards.Admit(ctx, a.Name, card, a.Review)
		},
	}
}

// believed returns what of a card may be believed: what is signed, where keys
// are configured, and else all that it says.
func believed(ctx context.Context, card []byte, keys *a2asign.KeySet) ([]byte, error) {
	if keys != nil {
		return keys.Verify(ctx, card)
	}
	if plain, err := a2asign.Payload(card); err == nil {
		return plain, nil // so that another order of its members is no change
	}
	return card, nil
}

// peer is a connected agent that is called in the name of each user.
type peer struct{ *a2aclient.Client }

var _ bridge.Personal = peer{}

func (p peer) For(user string) bridge.Peer { return peer{p.Client.For(user)} }

// dial connects to agents, and says what their cards ask for in vain.
func dial(cfg *config, log *slog.Logger, says vouch, cards *bridge.Cards) func(context.Context, bridge.Agent) (bridge.Peer, error) {
	dialers, configs := map[string]*a2aclient.Dialer{}, map[string]agentConfig{}
	for _, a := range cfg.Agents {
		dialers[a.Name], configs[a.Name] = a.dialer(log, says, cards), a
	}
	return func(ctx context.Context, a bridge.Agent) (bridge.Peer, error) {
		client, err := dialers[a.Name].Dial(ctx, a.URL)
		if err != nil {
			return nil, err
		}
		for _, way := range a2aauth.Unmet(client.Card(), configs[a.Name].Credentials.means()) {
			log.WarnContext(ctx, "the agent asks for credentials that are not configured", "agent", a.Name, "asks", way)
		}
		return peer{client}, nil
	}
}

// cardConfig says how to know that a card is an agent's own.
type cardConfig struct {
	Keys string `koanf:"keys"` // a JWKS: a file, or an https address
}

// keyTimeout bounds how long a key set may take to come.
const keyTimeout = 5 * time.Second

// keys returns the keys that may sign the agent's card; nil is no matter which.
// An address is read when the keys are needed, a file at once.
func (c cardConfig) keys() (*a2asign.KeySet, error) {
	if c.Keys == "" {
		return nil, nil
	}
	return a2asign.NewKeySet(c.Keys, &http.Client{
		Timeout:       keyTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	})
}
