package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"rialto/a2a/a2aauth"
	"rialto/bridge"
	"rialto/bridge/registry"
	"rialto/internal/store"

	"golang.org/x/net/http/httpguts"
)

// newRegistry returns the list of the agents of the configuration and of the
// database. A nil bridge is told nothing.
func newRegistry(cfg *config, log *slog.Logger, db *store.DB, secret []byte, says vouch, b *bridge.Bridge) *registry.Registry {
	r := &registry.Registry{
		Store: db, Cards: db, Key: derived(secret, "agents"), Bridge: b,
		Check: checkAdded, Now: time.Now, Log: log,
	}
	for _, a := range cfg.Agents {
		r.Configured = append(r.Configured, a.listed())
	}
	r.Visit = func(ctx context.Context, a registry.Agent) (bridge.Peer, []string, error) {
		settings, ok := cfg.agent(a.Name)
		if !ok || settings.URL != a.URL { // its secrets are for that address alone
			settings = added(a)
		}
		look := &glance{}
		dialer, err := settings.dialer(log, says, nil, &bridge.Cards{Store: look, Now: time.Now, Log: log})
		if err != nil {
			return nil, nil, err
		}
		client, err := dialer.Dial(ctx, a.URL)
		if err != nil {
			return nil, nil, err
		}
		return visited{peer{client}, look.card}, a2aauth.Unmet(client.Card(), settings.Credentials.means()), nil
	}
	return r
}

// glance is a bridge.CardStore that forgets all but the card that was shown last.
type glance struct{ card []byte }

// SeeCard implements bridge.CardStore.
func (g *glance) SeeCard(_ context.Context, c bridge.SeenCard, _ bool) error {
	g.card = c.Card
	return nil
}

// AcceptCard implements bridge.CardStore.
func (*glance) AcceptCard(context.Context, string, string, time.Time) error { return bridge.ErrNoCard }

// SeenCards implements bridge.CardStore.
func (*glance) SeenCards(context.Context, string) ([]bridge.SeenCard, error) { return nil, nil }

// visited is an agent that was looked at, with the JSON of its card.
type visited struct {
	peer
	card []byte
}

// Shows implements registry.Shower.
func (v visited) Shows() []byte { return v.card }

// agent returns the agent of the configuration with a name.
func (c *config) agent(name string) (agentConfig, bool) {
	for _, a := range c.Agents {
		if a.Name == name {
			return a, true
		}
	}
	return agentConfig{}, false
}

// listed returns an agent of the configuration as the list has it: without what
// only this machine has, its files and variables.
func (a agentConfig) listed() registry.Agent {
	c := a.Credentials
	return registry.Agent{
		Name: a.Name, URL: a.URL, Protocol: a.Protocol, Binding: a.Binding, UseCases: a.UseCases, Skills: a.Skills, SkillsAsTools: a.SkillTools,
		Retention: registry.Duration(a.Retention), Card: registry.Card{Keys: a.Card.Keys}, Review: a.Review,
		Credentials: registry.Credentials{
			Type: c.Type, Header: c.Header, Scheme: c.Scheme, User: c.User, In: c.In, Name: c.Name,
			TokenURL: c.TokenURL, ClientID: c.ClientID, ClientAuth: c.ClientAuth, Scopes: c.Scopes, Audience: c.Audience, Resource: c.Resource,
		},
	}
}

// added is the reverse of listed, for an agent of the database.
func added(a registry.Agent) agentConfig {
	c := a.Credentials
	return agentConfig{
		Name: a.Name, URL: a.URL, Protocol: a.Protocol, Binding: a.Binding, UseCases: a.UseCases, Skills: a.Skills, SkillTools: a.SkillsAsTools,
		Retention: time.Duration(a.Retention), Card: cardConfig{Keys: a.Card.Keys}, Review: a.Review,
		Credentials: credentialsConfig{
			Type: c.Type, Header: c.Header, Scheme: c.Scheme, User: c.User, In: c.In, Name: c.Name, value: c.Secret,
			TokenURL: c.TokenURL, ClientID: c.ClientID, ClientAuth: c.ClientAuth, Scopes: c.Scopes, Audience: c.Audience, Resource: c.Resource,
		},
	}
}

// checkAdded returns what is wrong with an agent that an operator adds. What is
// added over the network may not name files of this machine.
func checkAdded(a registry.Agent) error {
	if u, err := url.Parse(a.Card.Keys); a.Card.Keys != "" && (err != nil || u.Scheme != "https" || u.Host == "") {
		return fmt.Errorf("card.keys: %q is not an https address", a.Card.Keys)
	}
	secret := a.Credentials.Secret
	if len(secret) > 8<<10 || strings.TrimSpace(secret) != secret || !httpguts.ValidHeaderFieldValue(secret) {
		return errors.New("credentials: the secret has more than one line, or characters that a header cannot carry, or is too long")
	}
	if retention := time.Duration(a.Retention); retention < 0 || retention > 100*365*24*time.Hour {
		return fmt.Errorf("retention: %s is not a length of time such as 24h or 90d", a.Retention)
	}
	return added(a).check()
}
