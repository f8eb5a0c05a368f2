package server

import (
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
)

// TestACutOffReplicaRefusesSoon calls a replica whose database does not answer any more, as behind a
// partition of the network: one call hung for 40 seconds. When the database is back, it answers again.
func TestACutOffReplicaRefusesSoon(t *testing.T) {
	dsn, cable := throughCable(t, oauthtest.PostgresSchema(t))
	agent, _ := scriptedAgent(t)
	r := newRigLogging(t, slog.New(slog.DiscardHandler), func(c *config.Config) {
		c.Agents, c.Storage.Database = []config.Agent{agent}, dsn
	})
	token := r.token("alice", oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish)
	call := func() reply { return r.do("GET", "/api/v1/tasks", token, "") }
	if got := call(); got.status != http.StatusOK {
		t.Fatalf("before: got %s", got.said())
	}
	cable.frozen.Lock()
	thaw := sync.OnceFunc(cable.frozen.Unlock)
	t.Cleanup(thaw)
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			begun := time.Now()
			got := call()
			if took := time.Since(begun); got.status != http.StatusServiceUnavailable || took > 10*time.Second {
				t.Errorf("got %s after %s, want 503 within seconds", got.said(), took)
			}
		})
	}
	calls.Wait()
	thaw()
	poll(t, 100*time.Millisecond, func() bool { return call().status == http.StatusOK })
}
