package store_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
	"rialto/store"
	"rialto/store/storetest"
)

var now = time.UnixMilli(1_800_000_000_000)

func TestOperatorLists(t *testing.T) {
	for engine, dsn := range engines {
		t.Run(engine, func(t *testing.T) {
			testLists(t, func(t *testing.T) *store.DB { return open(t, dsn(t)) })
		})
	}
}

// engines returns an empty database of each engine.
var engines = map[string]func(*testing.T) string{
	"SQLite":     func(t *testing.T) string { return storetest.File(t, store.Open) },
	"memory":     func(*testing.T) string { return store.Memory },
	"PostgreSQL": func(t *testing.T) string { return oauthtest.PostgresSchema(t) },
}

func open(t *testing.T, dsn string) *store.DB {
	t.Helper()
	db, err := store.Open(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// testLists tests the contract of operator.Store.
func testLists(t *testing.T, open func(*testing.T) *store.DB) {
	for name, test := range map[string]func(*rig){
		"clients of both kinds are one list, the latest first":             (*rig).clients,
		"a text finds clients by the words of name and ID":                 (*rig).clientTexts,
		"a client is found, with its last use and how many grants live":    (*rig).clientUse,
		"grants are listed in pages, the latest first":                     (*rig).grants,
		"grants are listed by account, by client, and as far as they live": (*rig).grantFilters,
		"accounts are listed in pages, in the order of their names":        (*rig).accounts,
		"everybody's tasks are listed in pages, the latest first":          (*rig).tasks,
		"tasks are listed by owner, agent, state and time":                 (*rig).taskFilters,
		"a task is read whosever it is":                                    (*rig).anyTask,
	} {
		t.Run(name, func(t *testing.T) { test(&rig{T: t, s: open(t)}) })
	}
}

type rig struct {
	*testing.T
	s *store.DB
}

func (r *rig) must(err error) {
	r.Helper()
	if err != nil {
		r.Fatal(err)
	}
}

func (r *rig) client(id, name string, age time.Duration) {
	r.Helper()
	r.must(r.s.OAuth.Clients.AddClient(r.Context(), &oauth.Client{
		ID: id, Name: name, RedirectURIs: []string{"https://a.example/cb"}, AuthMethod: "none", Registered: now.Add(-age),
	}, 1000))
}

func (r *rig) document(id string, age time.Duration) {
	r.Helper()
	r.must(r.s.OAuth.Documents.KeepDocument(r.Context(), &oauth.Document{ID: id, Body: `{"client_name":"Kept"}`, Fetched: now.Add(-age), Fresh: now, Expires: now.Add(time.Hour)}, 1000))
}

func (r *rig) account(name string) *oauth.Account {
	r.Helper()
	a := &oauth.Account{ID: "id of " + name, Name: name, Password: "hash", Created: now}
	r.must(r.s.OAuth.Accounts.AddAccount(r.Context(), a))
	return a
}

func (r *rig) grant(id string, a *oauth.Account, client string, age time.Duration) *oauth.Grant {
	r.Helper()
	g := &oauth.Grant{ID: id, AccountID: a.ID, ClientID: client, Scope: oauth.ScopeSet{"mcp:tools"}, Resource: "r", Created: now.Add(-age), Expires: now.Add(time.Hour)}
	r.must(r.s.OAuth.Grants.AddGrant(r.Context(), g))
	return g
}

func (r *rig) task(handle, owner, agent string, state a2a.State, age time.Duration) {
	r.Helper()
	e := &ledger.Record{Handle: handle, Owner: owner, Client: "c", Agent: agent, MessageID: "m", Asked: "asked", Created: now.Add(-age), Updated: now}
	r.must(r.s.Ledger.AddTask(r.Context(), e, "r", 100))
	e.Task = &a2a.Task{ID: "up", Status: a2a.Status{State: state, Message: &a2a.Message{Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("said")}}}}
	e.Idle = state.Idle()
	r.must(r.s.Ledger.SaveTask(r.Context(), e, "r"))
}

// walk reads a list to its end, two rows at a time, and from its end, where the order is the reverse.
func walk[T any](r *rig, list func(operator.Rows) ([]T, error), mark func(T) operator.Mark) []string {
	r.Helper()
	ids := stroll(r, list, mark, false)
	back := stroll(r, list, mark, true)
	slices.Reverse(back)
	r.equal(back, ids)
	return ids
}

func stroll[T any](r *rig, list func(operator.Rows) ([]T, error), mark func(T) operator.Mark, reverse bool) (ids []string) {
	r.Helper()
	var after operator.Mark
	for range 20 {
		rows, err := list(operator.Rows{After: after, Limit: 2, Now: now, Reverse: reverse})
		r.must(err)
		for _, row := range rows {
			after = mark(row)
			ids = append(ids, after.ID)
		}
		if len(rows) < 2 {
			return ids
		}
	}
	r.Fatalf("the list has no end: %v", ids)
	return nil
}

func (r *rig) equal(got, want []string) {
	r.Helper()
	if !slices.Equal(got, want) {
		r.Errorf("got %q, want %q", got, want)
	}
}

// counted fails unless a list has as many rows as were counted.
func (r *rig) counted(ids []string, n int, err error) []string {
	r.Helper()
	if r.must(err); n != len(ids) {
		r.Errorf("got a count of %d for %q", n, ids)
	}
	return ids
}

func clientMark(c operator.ClientRow) operator.Mark {
	return operator.Mark{At: c.Since, Term: c.Term, ID: c.ID()}
}

func (r *rig) listClients(kind operator.Kind, text string) []string {
	r.Helper()
	f := operator.ClientFilter{Kind: kind, Text: text}
	ids := walk(r, func(rows operator.Rows) ([]operator.ClientRow, error) {
		return r.s.OAuthLists.ListClients(r.Context(), f, rows)
	}, clientMark)
	n, err := r.s.OAuthLists.CountClients(r.Context(), f, 20)
	return r.counted(ids, n, err)
}

func (r *rig) clients() {
	r.client("one", "One", 5*time.Hour)
	r.document("https://two.example/c", 4*time.Hour)
	r.client("three", "Three", 3*time.Hour)
	r.client("three too", "Three", 3*time.Hour)
	r.document("https://four.example/c", 2*time.Hour)
	r.equal(r.listClients("", ""), []string{"https://four.example/c", "three too", "three", "https://two.example/c", "one"})
	r.equal(r.listClients(operator.Registered, ""), []string{"three too", "three", "one"})
	r.equal(r.listClients(operator.Document, ""), []string{"https://four.example/c", "https://two.example/c"})
}

func (r *rig) clientTexts() {
	r.client("a", "Chat 100% App", 2*time.Hour)
	r.client("b", "Chat 1000 App", time.Hour)
	r.document("https://two.example/c", 3*time.Hour)
	r.client("3f-Zq", "Chatter by Chat", 0)
	r.equal(r.listClients("", "chat"), []string{"3f-Zq", "a", "b"}) // chat, chat 100%…, chat 1000…
	r.equal(r.listClients("", "CHAT  100"), []string{"a", "b"})
	r.equal(r.listClients("", "100%"), []string{"a"})
	r.equal(r.listClients("", "3F-z"), []string{"3f-Zq"})
	r.equal(r.listClients("", "app"), []string{"a", "b"})
	r.equal(r.listClients(operator.Document, "app"), nil)
	for _, text := range []string{"two.exa", "https://two.", "example", "kept"} {
		r.equal(r.listClients("", text), []string{"https://two.example/c"})
	}
	r.equal(r.listClients("", "1_00"), nil)
	r.must(r.s.OAuth.Clients.UpdateClient(r.Context(), &oauth.Client{ID: "a", Name: "Renamed", RedirectURIs: []string{"https://a.example/cb"}, AuthMethod: "none"}, ""))
	r.must(r.s.OAuth.Clients.RemoveClient(r.Context(), "b", now))
	r.equal(r.listClients("", "app"), nil)
	r.equal(r.listClients("", "renamed"), []string{"a"})
	r.must(r.s.OAuth.Documents.KeepDocument(r.Context(), &oauth.Document{ID: "https://two.example/c", Body: `{"client_name":"Another"}`, Fetched: now, Fresh: now, Expires: now.Add(time.Hour)}, 1000))
	r.equal(r.listClients("", "kept"), nil)
	r.equal(r.listClients("", "another"), []string{"https://two.example/c"})
}

func (r *rig) clientUse() {
	r.client("c", "C", 0)
	a := r.account("alice")
	first, second := r.grant("g1", a, "c", time.Hour), r.grant("g2", a, "c", 0)
	r.must(r.s.OAuth.Grants.NoteUses(r.Context(), map[string]time.Time{first.ID: now.Add(-time.Minute), second.ID: now}))
	r.must(r.s.OAuth.Grants.NoteUses(r.Context(), map[string]time.Time{second.ID: now.Add(-time.Hour), "nobody's": now}))
	r.must(r.s.OAuth.Grants.RevokeGrant(r.Context(), first.ID, now))
	row, err := r.s.OAuthLists.ClientRow(r.Context(), "c", now)
	r.must(err)
	if row.Client.Name != "C" || !row.Used.Equal(now) || row.Grants != 1 || !row.Since.Equal(now) {
		r.Errorf("got %+v", row)
	}
	used, live, err := r.s.OAuthLists.UseOf(r.Context(), "c", now)
	r.must(err)
	if !used.Equal(now) || live != 1 {
		r.Errorf("got %v, %d", used, live)
	}
	if used, live, err := r.s.OAuthLists.UseOf(r.Context(), "nobody", now); !used.IsZero() || live != 0 || err != nil {
		r.Errorf("got %v, %d, %v for a client without grants", used, live, err)
	}
	if _, err := r.s.OAuthLists.ClientRow(r.Context(), "nobody", now); !errors.Is(err, oauth.ErrNotFound) {
		r.Errorf("got %v, want ErrNotFound", err)
	}
	r.document("https://two.example/c", 0)
	if row, err := r.s.OAuthLists.ClientRow(r.Context(), "https://two.example/c", now); err != nil || row.Document == nil || !row.Used.IsZero() {
		r.Errorf("got %+v, %v for a document", row, err)
	}
}

func (r *rig) listGrants(f operator.GrantFilter) []string {
	r.Helper()
	ids := walk(r, func(rows operator.Rows) ([]operator.Grant, error) {
		return r.s.OAuthLists.ListGrants(r.Context(), f, rows)
	}, func(g operator.Grant) operator.Mark { return operator.Mark{At: g.Created, ID: g.ID} })
	n, err := r.s.OAuthLists.CountGrants(r.Context(), f, now, 20)
	return r.counted(ids, n, err)
}

func (r *rig) grants() {
	a := r.account("alice")
	r.client("c", "Chat", 0)
	for i := range 5 {
		r.grant(fmt.Sprint("g", i), a, "c", time.Duration(i/2)*time.Hour)
	}
	r.equal(r.listGrants(operator.GrantFilter{}), []string{"g1", "g0", "g3", "g2", "g4"})
	r.must(r.s.OAuth.Grants.NoteUses(r.Context(), map[string]time.Time{"g1": now}))
	rows, err := r.s.OAuthLists.ListGrants(r.Context(), operator.GrantFilter{}, operator.Rows{Limit: 1, Now: now})
	r.must(err)
	g := rows[0]
	if g.ClientName != "Chat" || g.Account != "alice" || !slices.Equal(g.Scope, []string{"mcp:tools"}) || !g.Used.Equal(now) || !g.Expires.Equal(now.Add(time.Hour)) {
		r.Errorf("got %+v", g)
	}
}

func (r *rig) grantFilters() {
	a, b := r.account("alice"), r.account("bob")
	r.grant("a1", a, "c1", 4*time.Hour)
	r.grant("a2", a, "c2", 3*time.Hour)
	r.grant("b1", b, "c1", 2*time.Hour)
	child := &oauth.Grant{ID: "child", AccountID: a.ID, ClientID: "c3", Parent: "a2", Resource: "r", Created: now, Expires: now.Add(time.Hour)}
	r.must(r.s.OAuth.Grants.AddGrant(r.Context(), child))
	r.equal(r.listGrants(operator.GrantFilter{AccountID: a.ID}), []string{"child", "a2", "a1"})
	r.equal(r.listGrants(operator.GrantFilter{ClientID: "c1"}), []string{"b1", "a1"})
	r.equal(r.listGrants(operator.GrantFilter{ClientID: "c1", AccountID: b.ID}), []string{"b1"})
	r.equal(r.listGrants(operator.GrantFilter{ClientIDs: []string{"c1", "c3"}}), []string{"child", "b1", "a1"})
	r.equal(r.listGrants(operator.GrantFilter{Live: true}), []string{"child", "b1", "a2", "a1"})
	r.must(r.s.OAuth.Grants.RevokeGrant(r.Context(), "a2", now))
	r.equal(r.listGrants(operator.GrantFilter{Live: true}), []string{"b1", "a1"})
	r.must(r.s.OAuth.Accounts.SetDisabled(r.Context(), b.ID, true))
	r.equal(r.listGrants(operator.GrantFilter{Live: true}), []string{"a1"})
}

func (r *rig) accounts() {
	for _, name := range []string{"carol", "alice", "bob_1", "dave"} {
		r.account(name)
	}
	list := func(f operator.AccountFilter) []string {
		names := walk(r, func(rows operator.Rows) ([]operator.Account, error) {
			return r.s.OAuthLists.ListAccounts(r.Context(), f, rows)
		}, func(a operator.Account) operator.Mark { return operator.Mark{ID: a.Name} })
		n, err := r.s.OAuthLists.CountAccounts(r.Context(), f, 20)
		return r.counted(names, n, err)
	}
	find := func(text string) []string {
		return walk(r, func(rows operator.Rows) ([]operator.Account, error) {
			return r.s.OAuthLists.ListAccounts(r.Context(), operator.AccountFilter{Text: text}, rows)
		}, func(a operator.Account) operator.Mark { return operator.Mark{Term: a.Term, ID: a.ID} })
	}
	r.equal(list(operator.AccountFilter{}), []string{"alice", "bob_1", "carol", "dave"})
	r.equal(find("BOB_"), []string{"id of bob_1"})
	r.equal(find("1"), []string{"id of bob_1"})
	r.equal(find("ob"), nil)
	r.equal(find("@bob"), []string{"id of bob_1"})
	r.equal(find("(@"), nil)
	r.account("alice.dee")
	r.account("dee@alice.example")
	r.equal(find("@alice"), []string{"id of alice", "id of alice.dee", "id of dee@alice.example"})
	r.equal(find("alice"), []string{"id of alice", "id of alice.dee", "id of dee@alice.example"})
	r.must(r.s.OAuth.Accounts.RemoveAccount(r.Context(), "alice.dee"))
	r.must(r.s.OAuth.Accounts.RemoveAccount(r.Context(), "dee@alice.example"))
	r.equal(find("dee"), nil)
	r.must(r.s.OAuth.Accounts.SetAdmin(r.Context(), "id of carol", true))
	r.must(r.s.OAuth.Accounts.SetDisabled(r.Context(), "id of dave", true))
	r.equal(list(operator.AccountFilter{Admin: true}), []string{"carol"})
	r.equal(list(operator.AccountFilter{Disabled: true}), []string{"dave"})
	r.grant("g", &oauth.Account{ID: "id of alice"}, "c", 0)
	rows, err := r.s.OAuthLists.ListAccounts(r.Context(), operator.AccountFilter{}, operator.Rows{Limit: 1, Now: now})
	r.must(err)
	if a := rows[0]; a.ID != "id of alice" || a.Grants != 1 || a.Admin || a.Disabled || !a.Created.Equal(now) {
		r.Errorf("got %+v", a)
	}
}

func (r *rig) listTasks(f operator.TaskFilter) []string {
	r.Helper()
	ids := walk(r, func(rows operator.Rows) ([]operator.Task, error) {
		return r.s.Ledger.ListTasks(r.Context(), f, rows)
	}, func(t operator.Task) operator.Mark { return operator.Mark{At: t.Created, ID: t.ID} })
	n, err := r.s.Ledger.CountTasks(r.Context(), f, 20)
	return r.counted(ids, n, err)
}

func (r *rig) tasks() {
	a := r.account("alice")
	for i := range 5 {
		r.task(fmt.Sprint("t", i), a.ID, "one", a2a.Completed, time.Duration(i/2)*time.Hour)
	}
	r.task("of nobody", "gone", "one", a2a.Working, 10*time.Hour)
	r.equal(r.listTasks(operator.TaskFilter{}), []string{"t1", "t0", "t3", "t2", "t4", "of nobody"})
	r.equal(r.listTasks(operator.TaskFilter{Text: "ASK"}), []string{"t1", "t0", "t3", "t2", "t4", "of nobody"})
	r.equal(r.listTasks(operator.TaskFilter{Text: "of nobody"}), []string{"of nobody"})
	r.equal(r.listTasks(operator.TaskFilter{Text: "a_k"}), nil)
	rows, err := r.s.Ledger.ListTasks(r.Context(), operator.TaskFilter{}, operator.Rows{Limit: 1})
	r.must(err)
	if t := rows[0]; t.Owner != "alice" || t.OwnerID != a.ID || t.Agent != "one" || t.Client != "c" || t.State != a2a.Completed || t.Asked != "asked" || t.Message != "said" {
		r.Errorf("got %+v", t)
	}
}

func (r *rig) taskFilters() {
	r.task("done", "a", "one", a2a.Completed, 4*time.Hour)
	r.task("asks", "a", "two", a2a.InputRequired, 3*time.Hour)
	r.task("runs", "b", "one", a2a.Working, 2*time.Hour)
	r.task("failed", "b", "two", a2a.Failed, time.Hour)
	for _, c := range []struct {
		want string
		f    operator.TaskFilter
	}{
		{"[asks done]", operator.TaskFilter{OwnerID: "a"}},
		{"[runs done]", operator.TaskFilter{Agent: "one"}},
		{"[done]", operator.TaskFilter{State: a2a.Completed}},
		{"[asks]", operator.TaskFilter{State: a2a.InputRequired}},
		{"[runs]", operator.TaskFilter{State: a2a.Working}},
		{"[failed]", operator.TaskFilter{State: a2a.Failed, Agent: "two"}},
		{"[]", operator.TaskFilter{State: a2a.Unknown}},
		{"[failed runs]", operator.TaskFilter{Since: now.Add(-2 * time.Hour)}},
		{"[failed]", operator.TaskFilter{State: a2a.Failed, Changed: now}},
		{"[]", operator.TaskFilter{State: a2a.Failed, Changed: now.Add(time.Hour)}},
		{"[asks]", operator.TaskFilter{Since: now.Add(-3 * time.Hour), Until: now.Add(-2 * time.Hour)}},
	} {
		if got := fmt.Sprint(r.listTasks(c.f)); got != c.want {
			r.Errorf("%+v: got %s, want %s", c.f, got, c.want)
		}
	}
}

func (r *rig) anyTask() {
	r.task("t", "somebody", "one", a2a.Completed, 0)
	e, err := r.s.Ledger.AnyTask(r.Context(), "t")
	r.must(err)
	if e.Owner != "somebody" || e.Task == nil || e.State() != a2a.Completed {
		r.Errorf("got %+v", e)
	}
	if _, err := r.s.Ledger.AnyTask(r.Context(), "none"); !errors.Is(err, ledger.ErrNoTask) {
		r.Errorf("got %v, want ErrNoTask", err)
	}
}
