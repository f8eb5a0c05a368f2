package server

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"

	"rialto/bridge/documents"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/dberr"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
)

// syncBuffer is a log that several goroutines write.
type syncBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// lockTables locks tables of a database until the test ends, or release is called.
func lockTables(t *testing.T, dsn string, tables ...string) (release func()) {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	tx, err := db.BeginTx(context.Background(), nil)
	if err == nil {
		_, err = tx.Exec(`LOCK TABLE ` + strings.Join(tables, ", "))
	}
	if err != nil {
		t.Fatal(err)
	}
	release = sync.OnceFunc(func() { tx.Rollback(); db.Close() })
	t.Cleanup(release)
	return release
}

// TestEveryDoorAsksToTryAgain calls each door while no statement can read the tables that it
// needs. Callers got 500 and "internal error", and the log had a line for each.
func TestEveryDoorAsksToTryAgain(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	agent, _ := scriptedAgent(t)
	log := &syncBuffer{}
	r := newRigLogging(t, slog.New(slog.NewTextHandler(log, nil)), func(c *config.Config) {
		c.Agents, c.Storage.Database, c.Apps.ClientDocuments = []config.Agent{agent}, dsn+"&lock_timeout=50", false
	})
	token, browser := r.token("alice", oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish), r.browser("alice")
	const jsonrpc = `{"jsonrpc":"2.0","id":1,"method":"%s","params":{%s}}`
	call := fmt.Sprintf(jsonrpc, "tools/call", `"name":"get_task","arguments":{"task_id":"t"}`)
	calls := func() map[string]reply {
		return map[string]reply{
			"REST":         r.do("GET", "/api/v1/tasks/t", token, ""),
			"REST list":    r.do("GET", "/api/v1/tasks", token, ""),
			"A2A JSON-RPC": r.do("POST", "/", token, fmt.Sprintf(jsonrpc, "GetTask", `"id":"t"`), "A2A-Version: 1.0"),
			"A2A REST":     r.do("GET", "/tasks/t", token, "", "A2A-Version: 1.0"),
			"MCP tool":     r.do("POST", "/mcp", token, call, "MCP-Protocol-Version: 2025-06-18", "Accept: application/json, text/event-stream"),
			"MCP resource": r.do("POST", "/mcp", token, fmt.Sprintf(jsonrpc, "resources/read", `"uri":"rialto://tasks/t"`), "MCP-Protocol-Version: 2025-06-18", "Accept: application/json, text/event-stream"),
		}
	}
	var client struct {
		ID string `json:"client_id"`
	}
	r.do("POST", "/register", "", `{"client_name":"App","redirect_uris":["http://127.0.0.1:1/callback"]}`).decode(t, &client)
	calls() // the guard knows the token from then on
	lockTables(t, dsn, "tasks", "clients", "refresh_tokens", "codes")
	got := calls()
	got["OAuth token"] = r.form("/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {"x"}, "client_id": {client.ID}})
	got["OAuth page"] = r.do("GET", "/authorize?response_type=code&client_id="+client.ID, "", "")
	for _, path := range []string{documents.TaskPath + "t", documents.DocumentPath + "task:t", "/account/tasks"} {
		page, err := browser.Get(r.cfg.Load().URL + path)
		if err != nil {
			t.Fatal(err)
		}
		page.Body.Close()
		got[path] = reply{page.StatusCode, page.Header, ""}
	}
	for door, is := range got {
		switch door {
		case "A2A JSON-RPC", "MCP tool", "MCP resource":
			if !strings.Contains(is.body, "Try again in a moment") || strings.Contains(strings.ToLower(is.body), "internal error") {
				t.Errorf("%s: got %d %s", door, is.status, is.body)
			}
			var v any
			is.decode(t, &v)
		default:
			if is.status != http.StatusServiceUnavailable || is.header.Get("Retry-After") != dberr.RetryAfterHeader {
				t.Errorf("%s: got %d, Retry-After %q, %s", door, is.status, is.header.Get("Retry-After"), is.body)
			}
		}
		if strings.Contains(is.body, "55P03") || strings.Contains(is.body, "lock timeout") {
			t.Errorf("%s shows what the database said: %s", door, is.body)
		}
	}
	if lines := strings.Count(log.String(), "55P03"); lines != 1 {
		t.Errorf("got %d lines in the log, want 1:\n%s", lines, log.String())
	}
}

// form posts a form.
func (r *rig) form(path string, values url.Values) reply {
	return r.do("POST", path, "", values.Encode(), "Content-Type: application/x-www-form-urlencoded")
}

// waitingForLocks returns how many connections of a database wait for a lock.
func (r *rig) waitingForLocks(dsn string) (n int) {
	r.t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		r.t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(`SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = 'tasks'::regclass`).Scan(&n); err != nil {
		r.t.Fatal(err)
	}
	return n
}
