package store_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"slices"
	"strings"
	"testing"
	"time"

	"modernc.org/sqlite"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/store"
	"rialto/store/ledgerdb"
	"rialto/store/oauthdb"
	"rialto/store/recordsdb"
	"rialto/store/sqldb"
)

// TestListsUseAnIndex asks SQLite how it would read each list with pages and filters. None
// may read all rows of a table, or sort more than the tasks that run, those of one
// conversation or millisecond, and those that wait for the index.
func TestListsUseAnIndex(t *testing.T) {
	path := t.TempDir() + "/rialto.db"
	open(t, path)
	seen := &queries{dsn: path}
	db := explaining(t, seen)
	ctx, now, mark := t.Context(), time.Now(), operator.Mark{At: time.Now(), ID: "x", Term: "y"}
	for name, list := range map[string]func() error{
		"clients": func() error {
			_, err := db.OAuthLists.ListClients(ctx, operator.ClientFilter{}, operator.Rows{Limit: 51, Now: now})
			return err
		},
		"clients by a text": func() error {
			_, err := db.OAuthLists.ListClients(ctx, operator.ClientFilter{Text: "a"}, operator.Rows{Limit: 51, Now: now})
			return err
		},
		"clients after": func() error {
			_, err := db.OAuthLists.ListClients(ctx, operator.ClientFilter{}, operator.Rows{After: mark, Limit: 51})
			return err
		},
		"clients by a text, after": func() error {
			_, err := db.OAuthLists.ListClients(ctx, operator.ClientFilter{Text: "a"}, operator.Rows{After: mark, Limit: 51})
			return err
		},
		"accounts after": func() error {
			_, err := db.OAuthLists.ListAccounts(ctx, operator.AccountFilter{}, operator.Rows{After: mark, Limit: 51})
			return err
		},
		"accounts by a text": func() error {
			_, err := db.OAuthLists.ListAccounts(ctx, operator.AccountFilter{Text: "a"}, operator.Rows{Limit: 51})
			return err
		},
		"grants": func() error {
			_, err := db.OAuthLists.ListGrants(ctx, operator.GrantFilter{}, operator.Rows{Limit: 51})
			return err
		},
		"live grants": func() error {
			_, err := db.OAuthLists.ListGrants(ctx, operator.GrantFilter{Live: true}, operator.Rows{Limit: 51})
			return err
		},
		"grants of an account": func() error {
			_, err := db.OAuthLists.ListGrants(ctx, operator.GrantFilter{AccountID: "a"}, operator.Rows{Limit: 51})
			return err
		},
		"grants of a client": func() error {
			_, err := db.OAuthLists.ListGrants(ctx, operator.GrantFilter{ClientID: "c"}, operator.Rows{Limit: 51})
			return err
		},
		"tasks": func() error {
			_, err := db.Ledger.ListTasks(ctx, operator.TaskFilter{}, operator.Rows{Limit: 51})
			return err
		},
		"failed tasks": func() error {
			_, err := db.Ledger.ListTasks(ctx, operator.TaskFilter{State: a2a.Failed}, operator.Rows{Limit: 51})
			return err
		},
		"working tasks": func() error {
			_, err := db.Ledger.ListTasks(ctx, operator.TaskFilter{State: a2a.Working}, operator.Rows{Limit: 51})
			return err
		},
		"tasks of an agent": func() error {
			_, err := db.Ledger.ListTasks(ctx, operator.TaskFilter{Agent: "a"}, operator.Rows{Limit: 51})
			return err
		},
		"own tasks": func() error { _, err := db.Ledger.Summaries(ctx, "o", ledger.Filter{Limit: 51}); return err },
		"own failed tasks": func() error {
			_, err := db.Ledger.Summaries(ctx, "o", ledger.Filter{State: a2a.Failed, Limit: 51})
			return err
		},
		"own working tasks": func() error {
			_, err := db.Ledger.Summaries(ctx, "o", ledger.Filter{State: a2a.Working, Limit: 51})
			return err
		},
		"own tasks of an agent": func() error {
			_, err := db.Ledger.Summaries(ctx, "o", ledger.Filter{Agent: "a", Limit: 51})
			return err
		},
		"own tasks as a page of A2A": func() error { _, err := db.Ledger.Page(ctx, "o", ledger.PageQuery{Limit: 50}); return err },
		"own tasks of an agent and a state, as a page of A2A": func() error {
			_, err := db.Ledger.Page(ctx, "o", ledger.PageQuery{Agent: "a", State: a2a.Completed, Since: now, Limit: 50})
			return err
		},
		"whether a conversation is one's own": func() error { _, err := db.Ledger.HasContext(ctx, "o", "a", "c"); return err },
		"whether a conversation is called so": func() error { _, err := db.Ledger.ContextNamed(ctx, "o", "a", "c"); return err },
		"tasks that an agent keeps no more":   func() error { _, err := db.Ledger.DropTasks(ctx, now, "a", nil, 10); return err },
		"agents that have tasks":              func() error { _, err := db.Ledger.DropTasks(ctx, now, "", nil, 10); return err },
		"tasks that have no words":            func() error { _, err := db.Ledger.IndexTasks(ctx, 10); return err },
		"own tasks of a conversation": func() error {
			_, err := db.Ledger.Page(ctx, "o", ledger.PageQuery{Agent: "a", ContextID: "c", State: a2a.Completed, Since: now, After: ledger.Mark{Created: now, Handle: "h"}, Limit: 50})
			return err
		},
		"events": func() error { _, err := db.Records.Events(ctx, audit.Filter{Limit: 51}); return err },
		"events of a kind": func() error {
			_, err := db.Records.Events(ctx, audit.Filter{Kind: audit.SignIn, Limit: 51})
			return err
		},
		"events of an actor": func() error { _, err := db.Records.Events(ctx, audit.Filter{Actor: "a", Limit: 51}); return err },
		"one's events of a kind": func() error {
			_, err := db.Records.Events(ctx, audit.Filter{Actor: "a", Kind: audit.SignIn, Limit: 51})
			return err
		},
		"events that were denied": func() error {
			_, err := db.Records.Events(ctx, audit.Filter{Outcome: audit.Denied, Limit: 51})
			return err
		},
		"sign-ins that failed": func() error {
			_, err := db.Records.Events(ctx, audit.Filter{Kind: audit.SignIn, Outcome: audit.Failed, Limit: 51})
			return err
		},
		"shares": func() error { _, err := db.Ledger.Shares().Shares(ctx, "o", now, ledger.Mark{}, 51); return err },
	} {
		seen.plans = nil
		if err := list(); err != nil || len(seen.plans) == 0 {
			t.Errorf("%s: got %d queries, %v", name, len(seen.plans), err)
		}
		few := slices.ContainsFunc([]string{"working", "conversation", "no words"}, func(part string) bool { return strings.Contains(name, part) })
		for _, step := range seen.plans {
			sorted := strings.Contains(step, "TEMP B-TREE") && !strings.Contains(step, "LAST TERM") && !few
			bounded := step == "SCAN counted" || step == "SCAN CONSTANT ROW" || strings.Contains(step, "tasks_running") || strings.Contains(step, "VIRTUAL TABLE INDEX 0:M") // those with a word
			if strings.HasPrefix(step, "SCAN") && !bounded || sorted {
				t.Errorf("%s: %s", name, step)
			}
			all := strings.HasPrefix(step, "SEARCH t") && !strings.Contains(step, "handle=?") && !strings.Contains(step, "context_") && !strings.Contains(step, "id=?")
			if strings.Contains(step, "SEARCH tasks") && strings.Contains(name, "keeps no more") && !strings.Contains(step, "agent=? AND created<?") {
				t.Errorf("%s: %s, want by agent and age", name, step)
			}
			if strings.Contains(name, "conversation") && all {
				t.Errorf("%s: %s, want by the conversation", name, step)
			}
		}
	}
}

// TestPeriodicStatementsUseAnIndex asks SQLite how it would run each statement that runs
// every few seconds, or each hour while writers wait. Statements about all tasks that run,
// or all notices, use an index of only those.
func TestPeriodicStatementsUseAnIndex(t *testing.T) {
	path := t.TempDir() + "/rialto.db"
	addEnded(t, open(t, path).Ledger)
	seen := &queries{dsn: path}
	db := explaining(t, seen)
	ctx, now := t.Context(), time.Now()
	for name, do := range map[string]func() error{
		"a replica lives":          func() error { _, err := db.Ledger.Heartbeat(ctx, "r", 1); return err },
		"a replica is removed":     func() error { return db.Ledger.RemoveReplicas(ctx, map[string]int64{"r": 1}) },
		"tasks are taken up":       func() error { _, err := db.Ledger.ClaimTasks(ctx, "r", nil, 10); return err },
		"tasks that wait are due":  func() error { _, err := db.Ledger.DueTasks(ctx, now, 10); return err },
		"tasks are indexed":        func() error { _, err := db.Ledger.IndexTasks(ctx, 10); return err },
		"tasks are forgotten":      func() error { _, err := db.Ledger.DropTasks(ctx, now.Add(time.Hour), "", nil, 10); return err },
		"notices are claimed":      func() error { _, err := db.Ledger.Outbox().ClaimNotices(ctx, "r", now, now, 10, nil); return err },
		"the next notice is found": func() error { _, err := db.Ledger.Outbox().NextNotice(ctx); return err },
		"notices are released":     func() error { return db.Ledger.Outbox().ReleaseNotices(ctx, "r", now) },
		"dead notices are dropped": func() error { return db.Ledger.Outbox().DropDeadNotices(ctx, now) },
		"shares are dropped":       func() error { _, err := db.Ledger.Shares().DropShares(ctx, now, 10); return err },
		"events are dropped":       func() error { _, err := db.Records.DropEvents(ctx, now, 10); return err },
		"calls are dropped":        func() error { _, err := db.Records.DropCalls(ctx, now, 10); return err },
	} {
		seen.plans = nil
		if err := do(); err != nil || len(seen.plans) == 0 {
			t.Errorf("%s: got %d steps, %v", name, len(seen.plans), err)
		}
		for _, step := range seen.plans {
			few := slices.ContainsFunc([]string{"tasks_running", "notices_due", "VIRTUAL TABLE INDEX 0:=", "json_each", "shares", "replicas"}, func(part string) bool { return strings.Contains(step, part) })
			if strings.HasPrefix(step, "SCAN") && !few {
				t.Errorf("%s: %s", name, step)
			}
		}
	}
}

// explaining returns stores whose statements are noted.
func explaining(t *testing.T, seen *queries) *store.DB {
	t.Helper()
	pool := &sqldb.Pool{DB: sql.OpenDB(seen)}
	t.Cleanup(func() { pool.Close() })
	db := &sqldb.DB{Read: pool, Write: pool}
	ledger, err := ledgerdb.Open(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return &store.DB{OAuthLists: oauthdb.NewLists(db), Ledger: ledger, Records: recordsdb.New(db)}
}

// addEnded adds a task that has ended.
func addEnded(t *testing.T, db *ledgerdb.Store) {
	t.Helper()
	now := time.Now()
	e := &ledger.Record{Handle: "old", Owner: "o", Agent: "a", MessageID: "m", Created: now, Updated: now, Idle: true, Task: &a2a.Task{ID: "up", Status: a2a.Status{State: a2a.Completed}}}
	if err := db.AddTask(t.Context(), e, "", 10); err != nil {
		t.Fatal(err)
	}
}

// queries opens connections that note the plan of each statement.
type queries struct {
	dsn   string
	plans []string
}

func (q *queries) Driver() driver.Driver { return &sqlite.Driver{} }

func (q *queries) Connect(context.Context) (driver.Conn, error) {
	c, err := q.Driver().Open(q.dsn)
	return &explained{c, q}, err
}

// explained is a connection.
type explained struct {
	driver.Conn
	seen *queries
}

func (c *explained) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if err := c.explain(ctx, query, args); err != nil {
		return nil, err
	}
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c *explained) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	if err := c.explain(ctx, query, args); err != nil {
		return nil, err
	}
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

// explain notes the steps of a statement.
func (c *explained) explain(ctx context.Context, query string, args []driver.NamedValue) error {
	inner := c.Conn.(driver.QueryerContext)
	plan, err := inner.QueryContext(ctx, "EXPLAIN QUERY PLAN "+query, args)
	if err != nil {
		return err
	}
	for step := make([]driver.Value, len(plan.Columns())); plan.Next(step) == nil; {
		c.seen.plans = append(c.seen.plans, step[len(step)-1].(string))
	}
	return plan.Close()
}
