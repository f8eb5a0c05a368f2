package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"rialto/a2a/a2aauth"
	"rialto/internal/config"
)

// probeTimeout limits how long reading all cards may take.
const probeTimeout = 10 * time.Second

// ProbeAgents reads the cards of all agents and writes what is wrong with them, and
// credentials that they require and the configuration lacks.
func ProbeAgents(ctx context.Context, c *config.Config, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	lines := make([]string, len(c.Agents))
	var all sync.WaitGroup
	for i, a := range c.Agents {
		all.Go(func() { lines[i] = probeAgent(ctx, a) })
	}
	all.Wait()
	var faults int
	for i, a := range c.Agents {
		if lines[i] != "" {
			faults++
			fmt.Fprintf(out, "agent %s: %s\n", a.Name, lines[i])
		}
	}
	if faults > 0 {
		return fmt.Errorf("%d of %d agents cannot be used like this", faults, len(c.Agents))
	}
	return nil
}

// probeAgent returns what is wrong with an agent, or "".
func probeAgent(ctx context.Context, a config.Agent) string {
	says := func(context.Context, string, string) (string, error) {
		return "", errors.New("no user")
	}
	dialer, err := newDialer(a, slog.New(slog.DiscardHandler), says, nil, nil)
	if err != nil {
		return err.Error()
	}
	client, err := dialer.Dial(ctx, a.URL)
	if err != nil {
		return err.Error()
	}
	ways := a2aauth.Unmet(client.Card(), config.Credentials(a.Credentials).Means())
	if len(ways) == 0 {
		return ""
	}
	words := make([]string, len(ways))
	for i, way := range ways {
		words[i] = way.Error()
	}
	return "its card asks for credentials that are not configured: " + strings.Join(words, "; or ")
}
