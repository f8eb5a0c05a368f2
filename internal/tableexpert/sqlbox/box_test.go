package sqlbox_test

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"rialto/internal/tableexpert/sqlbox"

	_ "modernc.org/sqlite"
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

// attacks must each fail with a message, leave the data as it is, and leave
// the process alive and small. They are run here on the box, and through the
// agent in package tableexpert.
var attacks = []struct {
	name, sql string
	want      sqlbox.Code
}{
	{"nothing", "", sqlbox.NotOne},
	{"space", " \n\t", sqlbox.NotOne},
	{"a comment only", "-- hello", sqlbox.NotOne},
	{"semicolons only", ";;;", sqlbox.NotOne},
	{"an insert", "INSERT INTO claims VALUES (9,'x',1)", sqlbox.NotRead},
	{"an update", "UPDATE claims SET amount=0", sqlbox.NotRead},
	{"a delete", "DELETE FROM claims", sqlbox.NotRead},
	{"a replace", "REPLACE INTO claims VALUES (1,'x',1)", sqlbox.NotRead},
	{"a drop", "DROP TABLE claims", sqlbox.NotRead},
	{"a create", "CREATE TABLE t(x)", sqlbox.NotRead},
	{"a temporary table", "CREATE TEMP TABLE t AS SELECT * FROM claims", sqlbox.NotRead},
	{"an alter", "ALTER TABLE claims ADD COLUMN x", sqlbox.NotRead},
	{"a delete behind a with", "WITH c AS (SELECT 1) DELETE FROM claims WHERE id IN c", sqlbox.NotRead},
	{"an insert behind a with", "WITH c AS (SELECT 9,'x',1) INSERT INTO claims SELECT * FROM c", sqlbox.NotRead},
	{"an update with returning behind a with", "WITH c AS (SELECT 1) UPDATE claims SET amount=0 RETURNING *", sqlbox.NotRead},
	{"a delete behind comments", "/* SELECT */ -- SELECT\nDELETE FROM claims", sqlbox.NotRead},
	{"a delete in mixed case", "dElEtE fRoM claims", sqlbox.NotRead},
	{"two statements", "SELECT 1; DELETE FROM claims", sqlbox.NotOne},
	{"two statements and a comment between", "SELECT 1;/**/DROP TABLE claims;--", sqlbox.NotOne},
	{"two statements behind a nested comment", "SELECT 1 /* /* */ ; DELETE FROM claims /* */ */", sqlbox.NotOne},
	{"a second statement after a string with a quote", "SELECT 'it''s'; DELETE FROM claims", sqlbox.NotOne},
	{"a second statement after a bracket name", "SELECT 1 AS [a'b]; DELETE FROM claims --'", sqlbox.NotOne},
	{"a second statement after a carriage return in a comment", "SELECT 1 -- x\r; \n; DELETE FROM claims", sqlbox.NotOne},
	{"a pragma", "PRAGMA query_only=0", sqlbox.NotRead},
	{"a pragma that reads", "PRAGMA table_info(claims)", sqlbox.NotRead},
	{"a pragma function", "SELECT * FROM pragma_table_info('claims')", sqlbox.Forbidden},
	{"a pragma function that lists databases", "SELECT file FROM pragma_database_list", sqlbox.Forbidden},
	{"a pragma function in a with", "WITH p AS (SELECT * FROM pragma_function_list) SELECT * FROM p", sqlbox.Forbidden},
	{"attach", "ATTACH ':memory:' AS x", sqlbox.NotRead},
	{"attach to a file", "ATTACH DATABASE '/tmp/rialto-attack.db' AS x", sqlbox.NotRead},
	{"detach", "DETACH main", sqlbox.NotRead},
	{"vacuum into", "VACUUM INTO '/tmp/rialto-attack.db'", sqlbox.NotRead},
	{"begin", "BEGIN EXCLUSIVE", sqlbox.NotRead},
	{"commit", "COMMIT", sqlbox.NotRead},
	{"savepoint", "SAVEPOINT a", sqlbox.NotRead},
	{"reindex", "REINDEX", sqlbox.NotRead},
	{"analyze", "ANALYZE", sqlbox.NotRead},
	{"explain of a write", "EXPLAIN QUERY PLAN DELETE FROM claims", sqlbox.NotRead},
	{"explain of bytecode", "EXPLAIN SELECT 1", sqlbox.NotRead},
	{"load_extension", "SELECT load_extension('/tmp/x.so')", sqlbox.Forbidden},
	{"an fts function", "SELECT fts5_source_id()", sqlbox.Forbidden},
	{"the compile options", "SELECT sqlite_compileoption_get(1)", sqlbox.Forbidden},
	{"readfile", "SELECT readfile('/etc/passwd')", sqlbox.BadSQL},
	{"a table that is not offered", "SELECT * FROM secret", sqlbox.Forbidden},
	{"a table that is not offered, counted", "SELECT count(*) FROM secret", sqlbox.Forbidden},
	{"a table that is not offered, in a subquery", "SELECT (SELECT word FROM secret) FROM claims", sqlbox.Forbidden},
	{"database pages", "SELECT data FROM sqlite_dbpage", sqlbox.Forbidden},
	{"database statistics", "SELECT * FROM dbstat", sqlbox.Forbidden},
	{"the temporary schema", "SELECT * FROM sqlite_temp_master", sqlbox.Forbidden},
	{"a NUL", "SELECT 1\x00; DELETE FROM claims", sqlbox.BadSQL},
	{"invalid UTF-8", "SELECT '\xff\xfe'", sqlbox.BadSQL},
	{"a full-width semicolon", "SELECT 1； DELETE FROM claims", sqlbox.BadSQL},
	{"a full-width keyword", "ＳＥＬＥＣＴ 1", sqlbox.NotRead},
	{"a no-break space", "SELECT\u00a01", sqlbox.NotRead},
	{"a right-to-left override", "\u202eSELECT 1", sqlbox.NotRead},
	{"an open string", "SELECT 'abc", sqlbox.BadSQL},
	{"an unknown table", "SELECT * FROM claim", sqlbox.BadSQL},
	{"a misspelt column in double quotes", `SELECT "amuont" FROM claims`, sqlbox.BadSQL},
	{"an unbound parameter flood", "SELECT " + strings.Repeat("?,", 40) + "?", sqlbox.BadSQL},
	{"a long statement", "SELECT '" + strings.Repeat("x", 20000) + "'", sqlbox.TooLarge},
	{"deep parentheses", "SELECT " + strings.Repeat("(", 5000) + "1" + strings.Repeat(")", 5000), sqlbox.BadSQL},
	{"a deep expression", "SELECT 1" + strings.Repeat("+1", 3000), sqlbox.BadSQL},
	{"many columns", "SELECT 1" + strings.Repeat(",1", 3000), sqlbox.BadSQL},
	{"many selects", "SELECT 1" + strings.Repeat(" UNION ALL SELECT 1", 600), sqlbox.BadSQL},
	{"a function in a write", "SELECT * FROM claims WHERE EXISTS (DELETE FROM claims)", sqlbox.BadSQL},

	{"an endless recursion", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT count(*) FROM c", sqlbox.TooSlow},
	{"an endless recursion that collects", "WITH RECURSIVE c(x) AS (SELECT 1 UNION SELECT x+1 FROM c) SELECT max(x) FROM c", sqlbox.TooSlow},
	{"a cross join", "SELECT count(*) FROM " + strings.Repeat("claims,", 25) + "claims", sqlbox.TooSlow},
	{"a sort of big values", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT zeroblob(200000)||x FROM c ORDER BY 1", sqlbox.TooLarge},
	{"a join of 64 tables", "SELECT count(*) FROM " + strings.Repeat("claims,", 63) + "claims", sqlbox.TooSlow},
	{"a join of 65 tables", "SELECT 1 FROM " + strings.Repeat("claims,", 64) + "claims", sqlbox.BadSQL},
	{"doubling table expressions", doubling(24), sqlbox.TooLarge},
	{"doubling table expressions, wide", tenfold(7), sqlbox.TooLarge},
	{"doubling table expressions, their names quoted", strings.NewReplacer("WITH c0", "WITH 'c\"0'", " c0 ", " [c\"0] ").Replace(doubling(24)), sqlbox.TooLarge},
	{"doubling columns", nested("SELECT a+a AS a FROM (", 30), sqlbox.TooLarge},
	{"doubling columns in subqueries", nested("SELECT (SELECT a+a) AS a FROM (", 24), sqlbox.TooLarge},
	{"doubling columns after ON", nested("SELECT x.a+x.a AS a FROM (SELECT 1) y JOIN (SELECT 1) ON 1, (", 24, " x"), sqlbox.TooLarge},
	{"randomblob", "SELECT randomblob(1000000000)", sqlbox.TooLarge},
	{"zeroblob", "SELECT length(zeroblob(1000000000))", sqlbox.TooLarge},
	{"zeroblob in hex", "SELECT hex(zeroblob(1000000000))", sqlbox.TooLarge},
	{"printf with a width", "SELECT printf('%.*c', 1000000000, 'x')", sqlbox.TooLarge},
	{"printf with another width", "SELECT length(printf('%1000000000d', 1))", sqlbox.TooLarge},
	{"replace that grows", "SELECT replace(replace(replace(hex(zeroblob(1000)),'0',hex(zeroblob(1000))),'0',hex(zeroblob(1000))),'0','xx')", sqlbox.TooLarge},
	{"group_concat without an end", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT group_concat(hex(zeroblob(10000))) FROM c", sqlbox.TooSlow},
	{"json that grows", "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) SELECT json_group_array(hex(zeroblob(10000))) FROM c", sqlbox.Forbidden},
	{"json with a long indent", "SELECT length(json_pretty('[[[[1,2],3],4],5]', hex(zeroblob(100000))))", sqlbox.Forbidden},
	{"instr on two long strings", "SELECT sum(instr(a, b)) FROM (SELECT zeroblob(250000) a, zeroblob(120000)||x'01' b), json_each('[" + strings.Repeat("1,", 3000) + "1]')", sqlbox.TooSlow},
	{"many big values at once", "SELECT " + strings.Repeat("randomblob(250000),", 99) + "1", sqlbox.TooLarge},
	{"big values in a function", "SELECT length(json_array(" + strings.Repeat("hex(zeroblob(100000)),", 30) + "1))", sqlbox.TooLarge},
}

// doubling returns n table expressions each of which uses the last twice.
func doubling(n int) string {
	var b strings.Builder
	b.WriteString("WITH c0 AS (SELECT 1 AS x)")
	for i := 1; i <= n; i++ {
		p := "c" + strconv.Itoa(i-1)
		b.WriteString(", c" + strconv.Itoa(i) + " AS (SELECT a.x FROM " + p + " a, " + p + " b)")
	}
	return b.String() + " SELECT count(*) FROM c" + strconv.Itoa(n)
}

// nested returns n queries around one another, each of which opens with text.
func nested(open string, n int, alias ...string) string {
	return strings.Repeat(open, n) + "SELECT amount AS a FROM claims" + strings.Repeat(")"+strings.Join(alias, ""), n)
}

// tenfold is doubling with ten.
func tenfold(n int) string {
	var b strings.Builder
	b.WriteString("WITH c0 AS (SELECT 1 AS x)")
	for i := 1; i <= n; i++ {
		p := "c" + strconv.Itoa(i-1)
		b.WriteString(", c" + strconv.Itoa(i) + " AS (SELECT a.x FROM " + strings.Repeat(p+",", 9) + p + " a)")
	}
	return b.String() + " SELECT count(*) FROM c" + strconv.Itoa(n)
}

func TestAttacksFailWithAMessage(t *testing.T) {
	b := box(t)
	b.Timeout = 500 * time.Millisecond
	before := sha256.Sum256(b.Image)
	for _, c := range attacks {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			res, err := b.Query(t.Context(), c.sql, 10)
			if got := code(err); got != c.want {
				t.Errorf("got %q (%v, %v), want %q", got, res, err, c.want)
			}
			if took := time.Since(start); took > 5*time.Second {
				t.Errorf("took %v", took)
			}
			if rss := resident(); rss > 500<<20 {
				t.Errorf("the process has grown to %d MiB", rss>>20)
			}
		})
	}
	if sha256.Sum256(b.Image) != before {
		t.Error("the image has changed")
	}
	b.Timeout = 10 * time.Second // for the slots that slow attacks still hold
	if res, err := b.Query(t.Context(), "SELECT sum(amount) FROM claims", 10); err != nil || spell(res) != "350" {
		t.Errorf("got %v, %v, want 350 as before", res, err)
	}
}

// What gets around the lexer and the authorizer still cannot write.
func TestTheGuardsStandAlone(t *testing.T) {
	b := box(t)
	for _, c := range attacks {
		if c.want != sqlbox.NotRead {
			continue
		}
		if _, err := b.Own(t.Context(), 1, c.sql); err == nil && !strings.HasPrefix(c.sql, "PRAGMA") && !harmless[c.name] {
			t.Errorf("%s: got no error without the authorizer either", c.name)
		}
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
