package server

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"rialto/a2a/a2aauth"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2asign"
	"rialto/a2a/a2avault"
	"rialto/bridge/directory"
	"rialto/bridge/runner"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/telemetry"
	"rialto/internal/quota"
)

// assertion returns a JWT that tells audience who user is.
type assertion func(ctx context.Context, user, audience string) (string, error)

// credentialsOf returns the credentials for an agent; nil is none.
func credentialsOf(a config.Agent, assert assertion, vault *a2avault.Vault) a2aclient.Credentials {
	if a.Credentials.Type != config.TypeUser {
		return ownCredentials(config.Credentials(a.Credentials), assert)
	}
	if vault == nil {
		return nil
	}
	return a2avault.Credentials{Vault: vault, App: appOf(a)}
}

// ownCredentials returns credentials that the server itself has for an agent; nil is none.
func ownCredentials(c config.Credentials, assert assertion) a2aclient.Credentials {
	if c.Type != config.TypeClientCredentials && c.Type != config.TypeTokenExchange {
		if s := c.Fixed(); s != nil {
			return *s
		}
		return nil
	}
	var secret string
	if c.HasSecret() {
		secret, _ = c.ReadSecret() // newDialer has just read it
	}
	t := &a2aauth.Tokens{
		TokenURL:     c.TokenURL,
		ClientID:     c.ClientID,
		ClientSecret: secret,
		InBody:       c.ClientAuth == "post",
		Scopes:       c.Scopes,
		Audience:     c.Audience,
		Resource:     c.Resource,
		Now:          time.Now,
	}
	if c.Type == config.TypeTokenExchange {
		t.Subject = func(ctx context.Context, user string) (string, error) { return assert(ctx, user, c.TokenURL) }
	}
	return t
}

// newDialer returns the dialer of an agent. It fails if a file of the configuration is
// missing now: without it a card would be accepted unsigned, or another server trusted.
func newDialer(
	a config.Agent,
	log *slog.Logger,
	assert assertion,
	vault *a2avault.Vault,
	cards *directory.Cards,
) (*a2aclient.Dialer, error) {
	log = log.With("agent", a.Name)
	c := config.Credentials(a.Credentials)
	header, noHeader := c.Headers()
	secure, noTLS := c.TLSConfig()
	keys, noKeys := config.KeySet(a.Card)
	if err := errors.Join(c.Readable(), noHeader, noTLS, noKeys); err != nil {
		return nil, fmt.Errorf("reading the credentials and keys of the agent %s: %w", a.Name, err)
	}

	userAgent := "rialto/" + Version()
	calls := &a2agrpc.Transport{TLS: secure, UserAgent: userAgent}
	d := &a2aclient.Dialer{
		UserAgent: userAgent, Header: header, Credentials: credentialsOf(a, assert, vault), TLS: secure,
		Protocol: a.Protocol, Binding: a.Binding, Log: log,
		GRPC: calls, Cards: cardPolicy{agent: a, keys: keys, cards: cards},
	}
	// An agent that is set up anew gets another dialer, while tasks may still use
	// this one. Over HTTP its connections end when they are idle.
	runtime.AddCleanup(d, func(t *a2agrpc.Transport) { _ = t.Close() }, calls)
	return d, nil
}

// cardPolicy decides about the cards of an agent.
type cardPolicy struct {
	agent config.Agent
	keys  *a2asign.KeySet  // nil: cards need no signature
	cards *directory.Cards // nil: changes need no review
}

// Admit implements a2aclient.CardPolicy.
func (p cardPolicy) Admit(ctx context.Context, card []byte) ([]byte, error) {
	card, err := p.AdmitExtended(ctx, card)
	if err != nil || p.cards == nil || p.agent.Local {
		return card, err
	}
	return p.cards.Record(ctx, p.agent.Name, p.agent.URL, card, p.agent.Review)
}

// AdmitExtended returns the signed part of a card if keys are configured, and otherwise
// the whole card.
func (p cardPolicy) AdmitExtended(ctx context.Context, card []byte) ([]byte, error) {
	if p.keys != nil {
		return p.keys.Verify(ctx, card)
	}
	if plain, err := a2asign.Payload(card); err == nil {
		return plain, nil // so that another order of its members is no change
	}
	return card, nil
}

// peer is an agent that is called in the name of each user.
type peer struct{ *a2aclient.Client }

var _ directory.PersonalConn = peer{}

func (p peer) For(user string) directory.Conn { return peer{p.Client.For(user)} }

// answerMemory counts the answers that agents are sending with the tasks that run.
type answerMemory struct{ runner *runner.Runner }

// Reserve implements a2aclient.MemoryQuota.
func (m answerMemory) Reserve(user string, from, to int) error {
	return runner.Reserve(m.runner, user, from, to)
}

// dialers connect to agents, and log credentials that a card requires and the settings lack.
type dialers struct {
	cfg       *atomic.Pointer[config.Config]
	telemetry *telemetry.Telemetry
	agents    agentSettings
	log       *slog.Logger
	assert    assertion
	vault     *a2avault.Vault // nil: agents that users connect themselves get no credentials
	cards     *directory.Cards
	memory    a2aclient.MemoryQuota

	polls quota.Queue

	mu   sync.Mutex
	made map[string]dialer // by the agent's name
}

// dialer is the dialer of an agent with its current settings.
type dialer struct {
	*a2aclient.Dialer
	revision string
	kinds    a2aauth.CredentialKinds
}

func (d *dialers) of(a directory.AgentConfig) (*dialer, error) {
	settings, ok := d.agents.find(a.Name)
	d.mu.Lock()
	defer d.mu.Unlock()
	made, known := d.made[a.Name]
	switch {
	case !ok:
		delete(d.made, a.Name)
		return nil, fmt.Errorf("the agent %s is gone", a.Name)
	case !known || made.revision != a.Revision:
		to, err := newDialer(settings, d.log, d.assert, d.vault, d.cards)
		if err != nil {
			return nil, err
		}
		most := d.cfg.Load().Limits
		to.MaxConns = most.ConnectionsPerAgent
		to.MaxBody = int64(base64.StdEncoding.EncodedLen(int(most.TaskSize))) // files in JSON
		to.Polls = &d.polls
		to.Memory = d.memory
		if d.telemetry != nil {
			to.Observer = d.telemetry.Agent(a.Name)
		}
		made = dialer{to, a.Revision, config.Credentials(settings.Credentials).CredentialKinds()}
		if d.made == nil {
			d.made = map[string]dialer{}
		}
		d.made[a.Name] = made
	}

	return &made, nil
}

// Dial implements directory.Dialer.
func (d *dialers) Dial(ctx context.Context, a directory.AgentConfig) (directory.Conn, error) {
	to, err := d.of(a)
	if err != nil {
		return nil, err
	}

	client, err := to.Dial(ctx, a.URL)
	if err != nil {
		return nil, err
	}

	for _, way := range a2aauth.Unmet(client.Card(), to.kinds) {
		d.log.WarnContext(
			ctx, "the agent asks for credentials that are not configured",
			"agent", a.Name,
			"asks", way,
		)
	}

	return peer{client}, nil
}
