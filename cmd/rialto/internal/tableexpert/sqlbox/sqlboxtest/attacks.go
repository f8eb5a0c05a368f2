// Package sqlboxtest holds statements that a stranger must not get through,
// for the tests of package sqlbox and of whatever stands before it.
package sqlboxtest

import (
	"slices"
	"strconv"
	"strings"

	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// Attack is a statement, and the code that a box refuses it with when it has
// a table claims (id, city, amount) that may be read, and a table secret
// (word) that may not. On other tables the code may be another, but it fails
// all the same.
type Attack struct {
	Name string
	SQL  string
	Want sqlbox.Code
}

// Attacks returns the statements.
func Attacks() []Attack { return slices.Concat(writes, reads()) }

// writes change something, or are not one statement.
var writes = []Attack{
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
}

// reads reach for what is not theirs, or for too much.
func reads() []Attack {
	return []Attack{
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
		{"many big values at once", "SELECT " + strings.Repeat("zeroblob(250000)||1,", 20) + "1", sqlbox.TooLarge},
		{"big values in a function", "SELECT length(json_array(" + strings.Repeat("hex(zeroblob(100000)),", 5) + "1))", sqlbox.TooLarge},
	}
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
