package server

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aauth"
	"rialto/a2a/a2aclient"
	"rialto/bridge/directory"
	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/i18n"
	"rialto/internal/neterr"
	"rialto/store/recordsdb"
)

// probeTimeout limits how long reading all cards may take.
const probeTimeout = 10 * time.Second

// ProbeAgents reads the cards of all agents, and returns what is wrong with each of them, such as
// credentials that it requires and the configuration lacks, or "".
func ProbeAgents(ctx context.Context, c *config.Config) []string {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	problems := make([]string, len(c.Agents))
	var all sync.WaitGroup
	for i, a := range c.Agents {
		all.Go(func() { problems[i] = probeAgent(ctx, a) })
	}
	all.Wait()
	return problems
}

// nobody is the assertion of a probe: it is for no user.
func nobody(context.Context, string, string) (string, error) { return "", errors.New("no user") }

// probeInterval is the time between two probes of an agent.
const probeInterval = 30 * time.Second

// probeAgents finds out again and again until ctx ends which agents answer, whether they are called or not.
func (s *Server) probeAgents(ctx context.Context) {
	tick := time.NewTicker(probeInterval)
	defer tick.Stop()
	for {
		var all sync.WaitGroup
		for _, e := range s.bridge.Directory.All() {
			if a, ok := s.connections.agents.find(e.Name); ok {
				all.Go(func() { s.probe(ctx, a) })
			}
		}
		all.Wait()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// probe finds out whether an agent answers, and notes it. When ctx ends, which says nothing of the agent,
// nothing is stored.
func (s *Server) probe(ctx context.Context, a config.Agent) {
	cause := ""
	err := askForCard(ctx, a)
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		cause = sanitize.Short(neterr.Explain(err).Error(), 300)
	}

	s.health.agents.Store(a.Name, err == nil)
	probes := recordsdb.Probes{Store: s.store.Records}
	err = probes.Add(ctx, s.bridge.Runner.Replica, a.Name, a.URL, cause, time.Now())
	if err != nil && ctx.Err() == nil {
		s.log.WarnContext(ctx, "noting whether an agent answers", "agent", a.Name, "err", err)
	}
}

// askForCard returns why an agent does not answer when it is asked for its card. One whose protocol is
// configured needs none. No token is bought for it: an agent whose tokens are bought or its users' has
// answered when it refuses to.
func askForCard(ctx context.Context, a config.Agent) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	answers := map[a2a.Code]bool{a2a.InvalidAgentResponse: a.Protocol != ""}
	a.Protocol = "" // with it, an agent that is away would be believed to have no card
	switch a.Credentials.Type {
	case config.TypeClientCredentials, config.TypeTokenExchange, config.TypeUser:
		a.Credentials.Type = ""
		answers[a2a.Unauthenticated] = true
		answers[a2a.Forbidden] = true
	}
	_, _, err := visit(ctx, a, slog.New(slog.DiscardHandler), nobody, nil)
	refusal, ok := errors.AsType[*a2a.Error](err)
	if ok && answers[refusal.Code] {
		return nil
	}
	return err
}

// probeAgent returns what is wrong with an agent, or "".
func probeAgent(ctx context.Context, a config.Agent) string {
	_, missing, err := visit(ctx, a, slog.New(slog.DiscardHandler), nobody, nil)
	if err != nil {
		return err.Error()
	}
	if len(missing) == 0 {
		return ""
	}

	words := make([]string, len(missing))
	for i, m := range missing {
		words[i] = m.Error()
	}

	return "its card asks for credentials that are not configured: " + strings.Join(words, "; or ")
}

// visit reads the card of an agent with its settings. It returns what the card requires and the settings
// lack. An error quotes no answer: who may add agents could read the answers of services inside the network.
func visit(
	ctx context.Context,
	a config.Agent,
	log *slog.Logger,
	assert assertion,
	cards *directory.Cards,
) (*a2aclient.Client, []*i18n.Message, error) {
	dialer, err := newDialer(a, log, assert, nil, cards)
	if err != nil {
		return nil, nil, err
	}

	defer dialer.CloseIdleConnections() // the next visit has another dialer
	dialer.Discreet = true
	client, err := dialer.Dial(ctx, a.URL)
	if err != nil {
		return nil, nil, err
	}

	return client, a2aauth.Unmet(
		client.Card(), config.Credentials(a.Credentials).CredentialKinds(),
	), nil
}
