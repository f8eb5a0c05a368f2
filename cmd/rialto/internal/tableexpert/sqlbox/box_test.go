package sqlbox_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox/sqlboxtest"
)

const schema = `
CREATE TABLE claims (id INTEGER PRIMARY KEY, city TEXT NOT NULL, amount INTEGER);
INSERT INTO claims VALUES (1, 'Bremen', 100), (2, 'Köln', 250), (3, 'Essen', NULL);
CREATE TABLE secret (word TEXT);
INSERT INTO secret VALUES ('swordfish');
CREATE VIEW bremen AS SELECT * FROM claims WHERE city = 'Bremen';
`

// image returns the bytes of a database made by script.
func image(t testing.TB, script string) []byte {
	t.Helper()
	db, err := sql.Open("sqlite", ":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	var b []byte
	err = conn.Raw(func(c any) error {
		var err error
		b, err = c.(interface{ Serialize() ([]byte, error) }).Serialize()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func box(t testing.TB) *sqlbox.Box {
	t.Helper()
	return &sqlbox.Box{Image: image(t, schema), Tables: map[string]bool{"claims": true, "bremen": true}}
}

func code(err error) sqlbox.Code {
	var e *sqlbox.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

func TestStatementsThatRead(t *testing.T) {
	b := box(t)
	for _, c := range []struct{ name, sql, want string }{
		{"a select", "SELECT id, city FROM claims ORDER BY id LIMIT 2", "1 Bremen|2 Köln"},
		{"a trailing semicolon and comments", "-- the sum\nSELECT sum(amount) /* of ; all */ FROM claims;  ; -- done", "350"},
		{"a semicolon in a string", "SELECT ';' || char(59) || \"city\" FROM claims WHERE id=1", ";;Bremen"},
		{"a common table expression", "WITH c AS (SELECT 1 AS a UNION SELECT 2) SELECT sum(a) FROM c", "3"},
		{"a recursion that ends", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c WHERE x<1000) SELECT count(*) FROM c", "1000"},
		{"values", "VALUES (1,'a'),(2,'b')", "1 a|2 b"},
		{"a null", "SELECT amount FROM claims WHERE id=3", "<nil>"},
		{"the function replace", "SELECT replace(city,'B','b') FROM claims WHERE id=1", "bremen"},
		{"a view", "SELECT count(*) FROM bremen", "1"},
		{"the schema", "SELECT count(*) FROM sqlite_master WHERE name='claims'", "1"},
		{"json", `SELECT value FROM json_each('[1,2]')`, "1|2"},
		{"a window", "SELECT row_number() OVER (ORDER BY id DESC) FROM claims", "1|2|3"},
		{"dates and like", "SELECT date('2026-01-01','+1 day') WHERE 'Abc' LIKE 'a%'", "2026-01-02"},
		{"a name in brackets with a quote", "SELECT 1 AS [it's]", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := b.Query(t.Context(), c.sql, 10)
			if err != nil {
				t.Fatal(err)
			}
			if got := spell(res); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	res, err := b.Query(t.Context(), "EXPLAIN QUERY PLAN SELECT * FROM claims", 10)
	if err != nil || !strings.Contains(spell(res), "SCAN claims") {
		t.Errorf("explain query plan: got %v, %v", res, err)
	}
}

func spell(res *sqlbox.Result) string {
	var rows []string
	for _, row := range res.Rows {
		var cells []string
		for _, v := range row {
			cells = append(cells, strings.TrimSpace(toString(v)))
		}
		rows = append(rows, strings.Join(cells, " "))
	}
	return strings.Join(rows, "|")
}

func toString(v any) string {
	switch v := v.(type) {
	case nil:
		return "<nil>"
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case string:
		return v
	case []byte:
		return "blob " + strconv.Itoa(len(v))
	}
	return "?"
}

func TestAttacksFailWithAMessage(t *testing.T) {
	b := box(t)
	before := dump(t, b)
	for _, c := range sqlboxtest.Attacks() {
		t.Run(c.Name, func(t *testing.T) {
			b.Timeout = time.Minute // on a busy machine, too, what is too large is not too slow
			if c.Want == sqlbox.TooSlow {
				b.Timeout = 500 * time.Millisecond
			}
			start := time.Now()
			res, err := b.Query(t.Context(), c.SQL, 10)
			if got := code(err); got != c.Want {
				t.Errorf("got %q (%v, %v), want %q", got, res, err, c.Want)
			}
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("took %v", took)
			}
			if rss := resident(); rss > 500<<20 {
				t.Errorf("the process has grown to %d MiB", rss>>20)
			}
		})
	}
	b.Timeout = time.Minute // for the slots that slow attacks still hold
	if after := dump(t, b); after != before {
		t.Errorf("got %q, want %q as before", after, before)
	}
}

// dump spells all that the image holds.
func dump(t testing.TB, b *sqlbox.Box) string {
	t.Helper()
	var all []string
	for _, sql := range []string{"SELECT * FROM sqlite_schema", "SELECT * FROM claims", "SELECT * FROM secret", "SELECT * FROM sqlite_temp_schema", "SELECT name FROM pragma_database_list"} {
		res, err := b.QueryTrusted(context.Background(), 1000, sql)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, spell(res))
	}
	return strings.Join(all, "\n")
}

// What gets around the lexer and the authorizer still cannot write.
func TestTheGuardsStandAlone(t *testing.T) {
	b := box(t)
	before := dump(t, b)
	for _, c := range sqlboxtest.Attacks() {
		if c.Want != sqlbox.NotRead {
			continue
		}
		if _, err := b.QueryTrusted(t.Context(), 1, c.SQL); err == nil && !strings.HasPrefix(c.SQL, "PRAGMA") && !harmless[c.Name] {
			t.Errorf("%s: got no error without the authorizer either", c.Name)
		}
	}
	if after := dump(t, b); after != before {
		t.Errorf("got %q, want %q as before", after, before)
	}
}

func TestQueriesRunSideBySide(t *testing.T) {
	b := box(t)
	b.Parallel = 4
	errs := make(chan error)
	for i := range 40 {
		go func() {
			res, err := b.Query(t.Context(), "SELECT "+strconv.Itoa(i)+"+count(*) FROM claims a, claims b, claims c ORDER BY a.city", 10)
			if err == nil && spell(res) != strconv.Itoa(i+27) {
				err = errors.New("got " + spell(res))
			}
			errs <- err
		}()
	}
	for range 40 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

func TestACallerWhoLeavesStopsTheQuery(t *testing.T) {
	b := box(t)
	b.Parallel = 1
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan error)
	go func() {
		_, err := b.Query(ctx, "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c", 1)
		answered <- err
	}()
	cancel()
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the caller's own error", err)
	}
	if _, err := b.Query(t.Context(), "SELECT 1", 1); err != nil {
		t.Errorf("the slot was not given back: %v", err)
	}
}

// harmless are commands that change nothing on a connection of their own.
var harmless = map[string]bool{
	"savepoint": true, "reindex": true, "explain of a write": true, "explain of bytecode": true,
}

// resident returns the resident memory of the process, 0 where unknown.
func resident() int {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.Atoi(string(bytes.Fields(b)[1]))
	return pages * os.Getpagesize()
}
