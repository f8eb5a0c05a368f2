package server

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
)

// TestALockedTableTakesNoReplicaOut locks the table of tasks while forty calls want to read
// it. They once took all connections: probes and logins failed.
func TestALockedTableTakesNoReplicaOut(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	agent, _ := scriptedAgent(t)
	r := newRigWith(t, func(c *config.Config) { c.Agents, c.Storage.Database = []config.Agent{agent}, dsn })
	token := r.token("alice", oauth.ScopeTools)
	release := lockTables(t, dsn, "tasks")
	var calls sync.WaitGroup
	for i := range 40 {
		calls.Go(func() {
			r.do("POST", "/mcp/tools/call", token, fmt.Sprintf(`{"name":"get_task","arguments":{"task_id":"t%d"}}`, i))
		})
	}
	const shareOfOneUser = 4
	poll(t, time.Millisecond, func() bool { return r.waitingForLocks(dsn) >= shareOfOneUser })
	begun := time.Now()
	for _, path := range []string{"/livez", "/readyz", "/healthz", "/mcp/health"} {
		if got := r.do("GET", path, "", ""); got.status != http.StatusOK {
			t.Errorf("%s: got %d %s", path, got.status, got.body)
		}
	}
	r.browser("bob") // signs in
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("probes and a login took %s", took)
	}
	release()
	calls.Wait()
}

// TestReadinessSaysWhichCheckFails deletes the database file of a running server.
func TestReadinessSaysWhichCheckFails(t *testing.T) {
	agent, _ := scriptedAgent(t)
	path := t.TempDir() + "/rialto.db"
	r := newRigWith(t, func(c *config.Config) { c.Agents, c.Storage.Database = []config.Agent{agent}, path })
	if err := os.Rename(path, path+".away"); err != nil {
		t.Fatal(err)
	}
	got := r.do("GET", "/readyz", "", "")
	var found readiness
	got.decode(t, &found)
	if got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" || found.Checks["database"] == "ok" || found.Checks["draining"] != "ok" || strings.Contains(got.body, path) {
		t.Errorf("got %d %s", got.status, got.body)
	}
	for _, path := range []string{"/healthz", "/mcp/health"} {
		if got := r.do("GET", path, "", ""); got.status != http.StatusServiceUnavailable || got.header.Get("Retry-After") == "" {
			t.Errorf("%s: got %d, Retry-After %q", path, got.status, got.header.Get("Retry-After"))
		}
	}
	if got := r.do("GET", "/livez", "", ""); got.status != http.StatusOK {
		t.Errorf("/livez: got %d", got.status)
	}
	if err := os.Rename(path+".away", path); err != nil {
		t.Fatal(err)
	}
}
