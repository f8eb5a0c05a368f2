package e2e

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// TestABackupUnderLoadIsRestoredElsewhere makes a backup while 100 calls begin per second, kills the
// server, and restores the backup into another database, also of the other engine. Every task
// that had ended before the backup is there, and the app that was connected before goes on.
func TestABackupUnderLoadIsRestoredElsewhere(t *testing.T) {
	takesLong(t)
	t.Parallel()
	engines := []struct {
		name string
		new  func(*testing.T) string
	}{
		{"SQLite", func(t *testing.T) string { return filepath.Join(t.TempDir(), "rialto.db") }},
		{"PostgreSQL", func(t *testing.T) string { return oauthtest.PostgresSchema(t) }},
	}
	for _, from := range engines {
		for _, to := range engines {
			t.Run(from.name+" to "+to.name, func(t *testing.T) { testBackup(t, from.new(t), to.new(t)) })
		}
	}
}

func testBackup(t *testing.T, from, to string) {
	agent, dir, addr := newCountingAgent(t), t.TempDir(), freeAddress(t)
	configured := func(name, database string) string {
		path := filepath.Join(dir, name)
		text := fmt.Sprintf("url: http://%s\ndatabase: %q\nsecret_file: %s\nagents:\n  - {name: agent, url: %q}\n", addr, database, filepath.Join(dir, "secret"), agent.url)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	before, after := configured("before.yaml", from), configured("after.yaml", to)
	output(t, password+"\n", "user", "add", "alice", "--password-stdin", "--config", before)
	token := output(t, "", "token", "--user", "alice", "--config", before)
	first := start(t, addr, "serve", "--config", before, "--listen", addr)
	client, refresh := connected(t, first)

	load := callsPerSecond(t, first.URL, token, 100)
	load.until(150)
	file := filepath.Join(dir, "backup")
	ended := load.handles()
	begun := time.Now()
	output(t, "", "backup", file, "--config", before)
	took := time.Since(begun)
	load.until(len(ended) + 50) // the server goes on
	load.stop()
	first.kill()

	output(t, "", "restore", file, "--config", after)
	second := start(t, addr, "serve", "--config", after, "--listen", addr)
	for _, handle := range ended {
		if got, err := attempt(t.Context(), second.URL, token, "get_task", map[string]any{"task_id": handle, "wait": 0}); err != nil || got.State != "completed" {
			t.Errorf("task %s: got %+v, %v", handle, got, err)
		}
	}
	var got issued
	decode(t, do(t, "POST", second.URL+"/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {refresh}, "client_id": {client}}.Encode(),
		"Content-Type", "application/x-www-form-urlencoded"), &got)
	if now, err := attempt(t.Context(), second.URL, got.Access, "send_task", map[string]any{"message": "after the restore"}); err != nil || now.State != "completed" {
		t.Errorf("with a refreshed token: got %+v, %v", now, err)
	}
	connected(t, second)
	t.Logf("the backup took %v with %d ended tasks", took.Round(time.Millisecond), len(ended))
}

// connected connects a new app for alice, and returns its client ID and refresh token.
func connected(t *testing.T, p *program) (client, refresh string) {
	t.Helper()
	const callback, verifier = "http://127.0.0.1:1/callback", "a-verifier-that-is-long-enough-for-rfc-7636-section-4"
	client = register(t, p, callback)
	back := oauthtest.NewBrowser(t, nil).Authorize(p.URL+"/authorize?"+url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {callback}, "state": {"s"},
		"code_challenge": {s256(verifier)}, "code_challenge_method": {"S256"}, "resource": {p.URL + "/mcp"},
	}.Encode(), "alice", password).Query()
	var got issued
	decode(t, do(t, "POST", p.URL+"/token", url.Values{
		"grant_type": {"authorization_code"}, "code": {back.Get("code")}, "client_id": {client}, "redirect_uri": {callback}, "code_verifier": {verifier},
	}.Encode(), "Content-Type", "application/x-www-form-urlencoded"), &got)
	return client, got.Refresh
}

// calling is calls at a rate.
type calling struct {
	t    *testing.T
	end  context.CancelFunc
	all  sync.WaitGroup
	done chan struct{} // a value for each call that ended

	mu    sync.Mutex
	ended []string
}

// callsPerSecond begins calls of send_task at a rate until stop is called.
func callsPerSecond(t *testing.T, base, token string, rate int) *calling {
	ctx, end := context.WithCancel(t.Context())
	c := &calling{t: t, end: end, done: make(chan struct{}, 100_000)}
	c.all.Go(func() {
		tick := time.NewTicker(time.Second / time.Duration(rate))
		defer tick.Stop()
		for n := 0; ; n++ {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			c.all.Go(func() {
				got, err := attempt(t.Context(), base, token, "send_task", map[string]any{"message": fmt.Sprint("quick ", n)})
				if err != nil || got.State != "completed" {
					t.Errorf("send_task: got %+v, %v", got, err)
					return
				}
				c.mu.Lock()
				c.ended = append(c.ended, got.ID)
				c.mu.Unlock()
				c.done <- struct{}{}
			})
		}
	})
	t.Cleanup(c.stop)
	return c
}

// handles returns the tasks that have ended.
func (c *calling) handles() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]string(nil), c.ended...)
}

// until returns when so many calls have ended.
func (c *calling) until(n int) {
	c.t.Helper()
	late := time.After(time.Minute)
	for len(c.handles()) < n {
		select {
		case <-c.done:
		case <-late:
			c.t.Fatalf("only %d calls ended in a minute, want %d", len(c.handles()), n)
		}
	}
}

func (c *calling) stop() {
	c.end()
	c.all.Wait()
}
