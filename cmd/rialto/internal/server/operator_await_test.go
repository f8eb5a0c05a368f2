package server

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"rialto/bridge/operator"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth/oauthtest"
)

// TestAChangedListIsInForceWhenTheCommandEnds changes the list beside a server, as commands do, while
// the rows of a dead server and of one that is stuck are there.
func TestAChangedListIsInForceWhenTheCommandEnds(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	agent, _ := scriptedAgent(t)
	r := newRigWith(t, func(c *config.Config) { c.Agents, c.Storage.Database = []config.Agent{agent}, dsn })
	var log strings.Builder
	commands, done, err := OpenOperator(t.Context(), r.cfg.Load(), slog.New(slog.NewTextHandler(&log, nil)), r.store)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, enable := range []bool{false, true} {
		change := commands.Agents.Disable
		if enable {
			change = commands.Agents.Enable
		}
		if _, err := change(t.Context(), operator.CommandLine, agent.Name); err != nil {
			t.Fatal(err)
		}
		if a := r.bridge.Directory.Lookup(agent.Name); a.Disabled == enable {
			t.Errorf("the server has %+v, want enabled %t", a, enable)
		}
	}
	if log.Len() > 0 {
		t.Errorf("got %s, want nothing to complain of", &log)
	}

	join := func(replica string) {
		if _, err := r.store.Ledger.Heartbeat(t.Context(), replica, 1); err != nil {
			t.Fatal(err)
		}
	}
	await := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		return awaitServers(ctx, r.store)
	}
	join("dead")
	if err := await(); err != nil {
		t.Errorf("beside a dead server: %v", err)
	}
	join("stuck")
	go func() {
		again := time.NewTicker(100 * time.Millisecond)
		defer again.Stop()
		for n := int64(2); t.Context().Err() == nil; n++ {
			<-again.C
			if _, err := r.store.Ledger.Heartbeat(t.Context(), "stuck", n); err != nil && t.Context().Err() == nil {
				t.Error(err)
			}
		}
	}()
	if err := await(); err == nil || !strings.Contains(err.Error(), "list of agents: 1") {
		t.Errorf("beside a stuck server: got %v", err)
	}
}
