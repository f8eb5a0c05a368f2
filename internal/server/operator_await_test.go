package server

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"rialto/bridge/operator"
	"rialto/internal/config"
	"rialto/oauth/oauthtest"
)

// TestAChangedListIsInForceWhenTheCommandEnds changes the list beside a server, as commands do, while
// the rows of a dead server and of one that is stuck are there.
func TestAChangedListIsInForceWhenTheCommandEnds(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	agent, _ := scriptedAgent(t)
	r := newRigWith(t, func(c *config.Config) { c.Agents, c.Database = []config.Agent{agent}, dsn })
	var log strings.Builder
	commands, done, err := OpenOperator(t.Context(), r.cfg.Load(), slog.New(slog.NewTextHandler(&log, nil)), r.store)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, enable := range []bool{false, true} {
		change := commands.DisableAgent
		if enable {
			change = commands.EnableAgent
		}
		if _, err := change(t.Context(), operator.CommandLine, agent.Name); err != nil {
			t.Fatal(err)
		}
		if a, _ := r.bridge.Directory.Agent(agent.Name); a.Disabled == enable {
			t.Errorf("the server has %+v, want enabled %t", a, enable)
		}
	}
	if log.Len() > 0 {
		t.Errorf("got %s, want nothing to complain of", &log)
	}

	beat := func(ctx context.Context, replica string) {
		for n := int64(1); ctx.Err() == nil; n++ {
			if _, err := r.store.Ledger.Heartbeat(ctx, replica, n); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := r.store.Ledger.Heartbeat(t.Context(), "dead", 1); err != nil {
		t.Fatal(err)
	}
	if err := awaitServers(ctx, r.store); err != nil {
		t.Errorf("beside a dead server: %v", err)
	}
	ctx, cancel = context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	go beat(ctx, "stuck")
	for behind := 0; behind < 2; { // until it is there
		all, err := r.store.Records.ReplicasBehind(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		behind = len(all)
	}
	if err := awaitServers(ctx, r.store); err == nil || !strings.Contains(err.Error(), "1 running server") {
		t.Errorf("beside a stuck server: got %v", err)
	}
}
