package console

import (
	"database/sql"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/internal/usage"
	"rialto/oauth/oauthtest"
)

// manyRows is the length of each list in the benchmark.
const manyRows = 100_000

// BenchmarkPages renders pages of long lists: the first page, one in the middle, and
// with filters that match many rows and few. Half of the rows belong to alice, and half
// of the grants to one app.
func BenchmarkPages(b *testing.B) {
	b.Run("SQLite", func(b *testing.B) { benchmarkPages(b, b.TempDir()+"/rialto.db?_pragma=busy_timeout(60000)", "sqlite") })
	b.Run("PostgreSQL", func(b *testing.B) { benchmarkPages(b, oauthtest.PostgresSchema(b), "pgx") })
}

func benchmarkPages(b *testing.B, dsn, driver string) {
	path, _, _ := strings.Cut(dsn, "?_pragma")
	r := newRigAt(b, path)
	r.fill(dsn, driver)
	r.calls(manyRows)
	if driver == "pgx" { // which counts its rows in the background
		r.must(execute(dsn, driver, `ANALYZE`))
	}
	const root = "root"
	alice := r.ids["alice"]
	for _, list := range []struct {
		who, path string
		deep      string // the column and the value of a row in the middle, if the list has pages
		filters   []url.Values
	}{
		{root, "/admin", "", nil},
		{root, "/admin/agents", "", nil},
		{root, "/admin/clients", "c50000", filters("text=chat", "text=c77777", "text=nothing", "kind=registered", "kind=document", "kind=configured", "kind=document&text=app")},
		{root, "/admin/grants", "g50000", filters("live=yes", "client=popular", "client=c77777", "account="+alice, "account="+alice+"&client=c7777", "live=yes&client=popular")},
		{root, "/admin/accounts", "", filters("text=person", "text=p77777", "text=nothing", "only=admin", "only=disabled", "only=disabled&text=person")},
		{root, "/admin/accounts/one?name=alice", "", nil},
		{root, "/admin/clients/one?id=popular", "", nil},
		{root, "/admin/tasks", "t50000", filters("order=reverse", "text=premium", "text=t50000", "owner=alice&days=1", "state=completed", "state=failed", "state=working", "state=rejected", "agent=expert", "agent=rare", "owner="+alice, "owner="+alice+"&agent=rare", "owner="+alice+"&state=failed", "agent=rare&state=failed", "state=failed&changed=1")},
		{root, "/admin/usage", "", filters("days=1", "by=user", "days=90", "days=90&by=user", "days=90&by=client", "days=90&agent=rare", "user="+alice, "days=90&outcome=errors", "days=90&outcome=ok", "days=90&agent=expert&user="+alice)},
		{root, "/admin/audit", "e50000", filters("order=reverse", "text=p77", "kind=sign_in", "kind=key.rotated", "outcome=denied", "outcome=ok", "outcome=failed", "actor=alice", "actor=p77777", "target=t77777", "days=1", "kind=sign_in&outcome=denied", "actor=alice&outcome=denied", "actor=alice&kind=key.rotated")},
		{root, "/admin/keys", "", nil},
		{root, "/admin/settings", "", nil},
		{"alice", "/account", "g50000", nil},
		{"alice", "/account/tasks", "t50000", filters("state=completed", "state=failed", "state=working", "state=rejected", "agent=expert", "agent=rare", "agent=rare&state=failed")},
		{"alice", "/account/agents", "", nil},
		{"alice", "/account/links", "s50", nil},
	} {
		show := r.shower(b, list.who)
		show(list.path, list.path)
		if list.deep != "" {
			show(list.path+" middle", list.path+"?after="+r.middle(list.path, list.deep))
		}
		for _, f := range list.filters {
			show(list.path+" "+strings.ReplaceAll(f.Encode(), alice, "alice"), list.path+"?"+f.Encode())
		}
	}
}

func filters(all ...string) (parsed []url.Values) {
	for _, f := range all {
		v, err := url.ParseQuery(f)
		if err != nil {
			panic(err)
		}
		parsed = append(parsed, v)
	}
	return parsed
}

// shower returns what times a page, without the network.
func (r *rig) shower(b *testing.B, who string) func(name, address string) {
	cookies := r.as(who).Cookies(r.url)
	return func(name, address string) {
		b.Run(strings.TrimPrefix(name, "/"), func(b *testing.B) {
			req := httptest.NewRequestWithContext(b.Context(), http.MethodGet, r.url+address, nil)
			for _, c := range cookies {
				req.AddCookie(c)
			}
			for b.Loop() {
				w := httptest.NewRecorder()
				if r.handler.ServeHTTP(w, req); w.Code != http.StatusOK {
					b.Fatalf("got %d", w.Code)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N), "ms/page")
		})
	}
}

// middle returns the cursor of a row in the middle of a list.
func (r *rig) middle(path, id string) string {
	if path == "/account/tasks" || path == "/account/links" {
		return ledger.Mark{Created: moment(manyRows / 2), Handle: id}.String()
	}
	return base64.RawURLEncoding.EncodeToString(fmt.Appendf(nil, "%d %s", moment(manyRows/2).UnixMilli(), id))
}

var began = time.Now()

// moment is when the i-th row was made: one every minute, the last now.
func moment(i int) time.Time { return began.Add(time.Duration(i-manyRows) * time.Minute) }

// fill inserts rows into each table in the quickest way.
func (r *rig) fill(dsn, driver string) {
	r.t.Helper()
	db, err := sql.Open(driver, dsn)
	r.must(err)
	defer db.Close()
	alice := r.ids["alice"]
	half := func(i int, one, other string) string {
		if i%2 == 0 {
			return one
		}
		return other
	}
	mixed := func(i int, most, few, rare string) string {
		switch i % 5000 {
		case 7, 8:
			return few
		case 9, 10:
			return rare
		}
		return most
	}
	ms := func(i int) int64 { return moment(i).UnixMilli() }
	insert := func(rows int, into string, row func(i int) []any) {
		r.t.Helper()
		r.must(insertMany(db, rows, into, row))
	}
	insert(manyRows, `accounts (id, name, password, disabled, created)`, func(i int) []any {
		return []any{fmt.Sprint("id", i), fmt.Sprintf("p%d.person", i), "x", i % 2, ms(i)}
	})
	insert(manyRows, `clients (id, name, uri, redirect_uris, auth_method, secret_hash, grant_types, registered)`, func(i int) []any {
		return []any{fmt.Sprint("c", i), "Chat App", "", "https://chat.example/cb", "none", "", "authorization_code", ms(i)}
	})
	for _, term := range []string{"p%d.person", "person"} {
		insert(manyRows, `account_terms (id, term)`, func(i int) []any {
			return []any{fmt.Sprint("id", i), strings.ReplaceAll(term, "%d", fmt.Sprint(i))}
		})
	}
	for _, term := range []string{"c%d", "chat app", "app"} {
		insert(manyRows, `client_terms (id, term)`, func(i int) []any {
			return []any{fmt.Sprint("c", i), strings.ReplaceAll(term, "%d", fmt.Sprint(i))}
		})
	}
	insert(manyRows/10, `client_documents (id, body, fetched, fresh, expires)`, func(i int) []any {
		id := fmt.Sprintf("https://chat%d.example/app", i)
		return []any{id, fmt.Sprintf(`{"client_id":%q,"client_name":"Document App","redirect_uris":["https://chat.example/cb"],"token_endpoint_auth_method":"none"}`, id), ms(i), ms(i), ms(2 * manyRows)}
	})
	for _, term := range []string{"document app", "app"} {
		insert(manyRows/10, `document_terms (id, term)`, func(i int) []any { return []any{fmt.Sprintf("https://chat%d.example/app", i), term} })
	}
	insert(manyRows, `grants (id, account_id, client_id, scope, resource, auth_time, created, expires)`, func(i int) []any {
		return []any{fmt.Sprint("g", i), half(i, alice, fmt.Sprint("id", i)), half(i/2, "popular", fmt.Sprint("c", i)), "mcp:tools", "r", 0, ms(i), ms(2 * manyRows)}
	})
	insert(1, `clients (id, name, uri, redirect_uris, auth_method, secret_hash, grant_types, registered)`, func(int) []any {
		return []any{"popular", "Popular App", "", "https://chat.example/cb", "none", "", "authorization_code", ms(0)}
	})
	insert(manyRows, `tasks (handle, owner, client, agent, message_id, state, summary, task, settled, indexed, holder, due, created, updated, asked)`, func(i int) []any {
		state, settled := mixed(i, "completed", "failed", "working"), 1
		if state == "working" {
			settled = 0
		}
		return []any{fmt.Sprint("t", i), half(i, alice, fmt.Sprint("id", i)), "c", mixed(i+2, "expert", "rare", "expert"), "m", state, "said", "{}", settled, 1, "r", ms(2 * manyRows), ms(i), ms(i), "Compare the premiums of last year, by line of business"}
	})
	insert(manyRows, `audit (at, id, kind, outcome, actor_id, actor, address, target, detail, seq, hash)`, func(i int) []any {
		return []any{ms(i), fmt.Sprint("e", i), mixed(i, "sign_in", "key.rotated", "sign_in"), mixed(i+4, "ok", "failed", "denied"), half(i, alice, fmt.Sprint("id", i)), half(i, "alice", fmt.Sprint("p", i)), "192.0.2.1", fmt.Sprint("t", i), "", i + 1, ""}
	})
	insert(documents.MostShares, `shares (hash, id, owner, document, title, handle, created, expires)`, func(i int) []any {
		return []any{fmt.Sprint("h", i), fmt.Sprint("s", i), alice, fmt.Sprint("task:t", i), "Title", fmt.Sprint("t", i), ms(i), ms(2 * manyRows)}
	})
}

// calls adds calls, in the way of the server.
func (r *rig) calls(n int) {
	r.t.Helper()
	alice := r.ids["alice"]
	calls := make([]usage.Record, n)
	for i := range calls {
		c := usage.Record{ID: fmt.Sprint("u", i), At: moment(i), UserID: alice, Client: "popular", Door: "mcp", Tool: "send_task", Agent: "expert", Millis: 5, Outcome: usage.OK}
		if i%2 == 0 {
			c.Client = fmt.Sprint("c", i)
		}
		if i%4 < 2 {
			c.UserID = fmt.Sprint("id", i)
		}
		if i%5000 == 7 {
			c.Agent = "rare"
		}
		calls[i] = c
	}
	for batch := range slices.Chunk(calls, 5000) {
		r.must(r.db.Records.AddCalls(r.t.Context(), batch))
	}
}

func execute(dsn, driver, statement string) error {
	db, err := sql.Open(driver, dsn)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(statement)
	return err
}

// insertMany inserts rows into a table, many with each statement.
func insertMany(db *sql.DB, rows int, into string, row func(i int) []any) error {
	t, err := db.Begin()
	if err != nil {
		return err
	}
	defer t.Rollback()
	const chunk = 100
	for from := 0; from < rows; from += chunk {
		var values []string
		var args []any
		for i := from; i < min(from+chunk, rows); i++ {
			places := []string{}
			for _, v := range row(i) {
				args = append(args, v)
				places = append(places, fmt.Sprint("$", len(args)))
			}
			values = append(values, "("+strings.Join(places, ", ")+")")
		}
		if _, err := t.Exec(`INSERT INTO `+into+` VALUES `+strings.Join(values, ", ")+` ON CONFLICT DO NOTHING`, args...); err != nil {
			return fmt.Errorf("%s: %w", into, err)
		}
	}
	return t.Commit()
}
