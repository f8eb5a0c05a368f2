package server

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"time"

	"rialto/a2a/a2aauth"
	"rialto/internal/config"
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

// probeAgent returns what is wrong with an agent, or "".
func probeAgent(ctx context.Context, a config.Agent) string {
	assert := func(context.Context, string, string) (string, error) {
		return "", errors.New("no user")
	}
	dialer, err := newDialer(a, slog.New(slog.DiscardHandler), assert, nil, nil)
	if err != nil {
		return err.Error()
	}
	client, err := dialer.Dial(ctx, a.URL)
	if err != nil {
		return err.Error()
	}
	missing := a2aauth.Unmet(client.Card(), config.Credentials(a.Credentials).CredentialKinds())
	if len(missing) == 0 {
		return ""
	}
	words := make([]string, len(missing))
	for i, m := range missing {
		words[i] = m.Error()
	}
	return "its card asks for credentials that are not configured: " + strings.Join(words, "; or ")
}
