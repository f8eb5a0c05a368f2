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
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/i18n"
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
				all.Go(func() { s.health.agents.Store(a.Name, answers(ctx, a)) })
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

// answers reports whether an agent answers when it is asked for its card. One whose protocol is configured
// needs none.
func answers(ctx context.Context, a config.Agent) bool {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	spoken := a.Protocol
	a.Protocol = "" // with it, an agent that is away would be believed to have no card
	_, _, err := visit(ctx, a, slog.New(slog.DiscardHandler), nobody, nil)
	if spoken != "" && a2a.Is(err, a2a.InvalidAgentResponse) {
		return true
	}
	return err == nil
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

	dialer.Discreet = true
	client, err := dialer.Dial(ctx, a.URL)
	if err != nil {
		return nil, nil, err
	}

	return client, a2aauth.Unmet(
		client.Card(), config.Credentials(a.Credentials).CredentialKinds(),
	), nil
}
