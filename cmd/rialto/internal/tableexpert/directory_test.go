package tableexpert_test

import (
	"crypto/sha256"
	dbsql "database/sql"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rialto/cmd/rialto/internal/tableexpert"
)

// directory writes files and returns where.
func directory(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// database makes a SQLite database.
func database(t testing.TB, path, script string) {
	t.Helper()
	db, err := dbsql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
}

func TestCSVFilesBecomeTables(t *testing.T) {
	for _, c := range []struct{ name, file, sql, want string }{
		{"commas", "id,city\n1,Bonn\n2,Trier\n", "SELECT id, city FROM t", `[[1,"Bonn"],[2,"Trier"]]`},
		{"semicolons and decimal commas", "a;b\n1,5;x\n2,25;y\n", "SELECT sum(a), typeof(a) FROM t", `[[3.75,"real"]]`},
		{"tabs", "a\tb\n1\t2\n", "SELECT a+b FROM t", `[[3]]`},
		{"pipes", "a|b\n1|2\n", "SELECT a+b FROM t", `[[3]]`},
		{"one column", "name\nx\ny\n", "SELECT count(name) FROM t", `[[2]]`},
		{"a byte order mark", "\ufeffid,b\n1,2\n", "SELECT id FROM t", `[[1]]`},
		{"Windows line ends", "a,b\r\n1,2\r\n", "SELECT b FROM t", `[[2]]`},
		{"no last line end", "a,b\n1,2", "SELECT b FROM t", `[[2]]`},
		{"only a header", "a,b\n", "SELECT count(*) FROM t", `[[0]]`},
		{"commas, quotes and line ends in quotes", "a,b\n\"x, \"\"y\"\"\nz\",2\n", "SELECT a FROM t", `[["x, \"y\"\nz"]]`},
		{"semicolons within quotes of a comma file", "a,b\n\"1;2;3\",4\n\"5;6;7\",8\n", "SELECT b FROM t", `[[4],[8]]`},
		{"empty fields", "a,b\n,x\n1,\n", "SELECT a, b FROM t", `[[null,"x"],[1,null]]`},
		{"codes with leading zeros", "zip\n01067\n50667\n", "SELECT zip FROM t", `[["01067"],["50667"]]`},
		{"numbers and words", "a\n1\nx\n", "SELECT typeof(a) FROM t", `[["text"],["text"]]`},
		{"integers and decimals", "a\n1\n2.5\n", "SELECT sum(a) FROM t", `[[3.5]]`},
		{"numbers too long to keep", "a\n12345678901234567890\n", "SELECT a FROM t", `[["12345678901234567890"]]`},
		{"dates", "d\n2026-11-21\n2025-01-02\n", "SELECT max(d) FROM t", `[["2026-11-21"]]`},
		{"German dates", "d\n21.11.2026\n1.2.2025\n", "SELECT d FROM t ORDER BY d", `[["2025-02-01"],["2026-11-21"]]`},
		{"days that do not exist", "d\n2026-02-30\n", "SELECT d FROM t", `[["2026-02-30"]]`},
		{"times", "d\n2026-11-21T10:00:00Z\n", "SELECT strftime('%H', d) FROM t", `[["10"]]`},
		{"infinity and not a number", "a\nInf\nNaN\n1e5\n0x10\n", "SELECT typeof(a) FROM t LIMIT 1", `[["text"]]`},
		{"headings with spaces, cases and accents", "Sum (EUR),Größe\n1,2\n", "SELECT sum_eur, größe FROM t", `[[1,2]]`},
		{"headings that repeat", "a,A,a_2,a\n1,2,3,4\n", "SELECT a, a_2, a_2_2, a_3 FROM t", `[[1,2,3,4]]`},
		{"headings that are empty", ",\n1,2\n", "SELECT column_1, column_2 FROM t", `[[1,2]]`},
		{"headings that are keywords or numbers", "order,2024,select\n1,2,3\n", "SELECT column_1_order, column_2_2024, column_3_select FROM t", `[[1,2,3]]`},
		{"headings that are SQL", "\"a); DROP TABLE t; --\"\n1\n", "SELECT a_drop_table_t FROM t", `[[1]]`},
		{"groups of digits", "a,b\n\"1,234\",\"1,234.50\"\n12,7\n", "SELECT sum(a), sum(b) FROM t", `[[1246,1241.5]]`},
		{"groups with dots", "a;b\n1.234,5;1.234.567\n1.234;3\n", "SELECT sum(a), sum(b) FROM t", `[[2468.5,1234570]]`},
		{"groups with spaces and apostrophes", "a,b\n1'234'567.5,\"1\u202f234\"\n", "SELECT a, b FROM t", `[[1234567.5,1234]]`},
		{"what could be a group or a fraction", "a;b;c\n1.234;1,234;1.234\n2.5;2;1,234\n", "SELECT a, b, c FROM t", `[[1.234,1234,"1.234"],[2.5,2,"1,234"]]`},
		{"amounts of money", "a,b,c\n\"$1,234.50\",5 €,EUR 7\n-$3,-6€,EUR -8\n", "SELECT a, b, c FROM t", `[[1234.5,5,7],[-3,-6,-8]]`},
		{"two currencies", "a\n$5\n€6\n", "SELECT a FROM t", `[["$5"],["€6"]]`},
		{"amounts and bare numbers", "a\n$5\n6\n", "SELECT a FROM t", `[["$5"],["6"]]`},
		{"percentages", "off,tax %,open percent\n10%,7,\"12,5 %\"\n5%,19,3%\n", "SELECT off_percent, tax_percent, open_percent FROM t", `[[10,7,12.5],[5,19,3]]`},
		{"addresses and versions", "a,b\n192.168.100.101,1.20.3\n", "SELECT a, b FROM t", `[["192.168.100.101","1.20.3"]]`},
		{"no numbers", "a,b,c,d\n\"1,23\",%,\"12,34,56\",€\n", "SELECT a, b, c, d FROM t", `[["1,23","%","12,34,56","€"]]`},
		{"ids that repeat", "id,b\n1,x\n1,y\n", "SELECT count(*) FROM t", `[[2]]`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := open(t, tableexpert.Config{Tables: directory(t, map[string]string{"t.csv": c.file})})
			if got := sql(t, e, c.sql); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

func TestFilesThatCannotBeRead(t *testing.T) {
	for _, c := range []struct{ name, file, content, want string }{
		{"an empty file", "t.csv", "", "t.csv: is empty"},
		{"a row with too many fields", "t.csv", "a,b\n1,2\n1,2,3\n", "t.csv: line 3: has another number of fields than the header, which has 2"},
		{"a row with too few fields", "t.csv", "a,b\n1,2\n\n1\n", "t.csv: line 4:"},
		{"a quotation mark that stays open", "t.csv", "a,b\n1,\"2\n3,4\n", "t.csv: line 2:"},
		{"a quotation mark in a field", "t.csv", "a,b\n1,2\"3\n", "t.csv: line 2:"},
		{"Latin-1", "t.csv", "a,b\n1,K\xf6ln\n", "t.csv: line 2: field 2 is not UTF-8"},
		{"UTF-16", "t.csv", "\xff\xfea\x00", "t.csv: is in UTF-16"},
		{"a NUL", "t.csv", "a,b\n1,x\x00y\n", "t.csv: line 2: field 2 contains a NUL"},
		{"a field without an end", "t.csv", "a,b\n1,\"" + strings.Repeat("x", 5<<20), "t.csv: line 2: extraneous or missing"},
		{"a long field", "t.csv", "a,b\n1," + strings.Repeat("x", 300<<10) + "\n", "t.csv: line 2: field 2 is longer than 200 KiB"},
		{"too many columns", "t.csv", strings.Repeat("a,", 400) + "a\n", "t.csv: line 1: 401 columns"},
		{"too large a file", "t.csv", "a\n" + strings.Repeat("1\n", 1<<20), "larger than 1 MiB together"},
		{"a database that is none", "t.db", "hello", "t.db: is not a SQLite database"},
		{"an empty database", "t.sqlite", "", "t.sqlite: is not a SQLite database"},
		{"a damaged database", "t.sqlite3", "SQLite format 3\x00" + strings.Repeat("x", 4096), "t.sqlite3: attaching t: the database cannot be read"},
		{"no table at all", "readme.txt", "hello", "holds no table"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := tableexpert.Config{Tables: directory(t, map[string]string{c.file: c.content}), Log: quiet()}
			if c.name == "too large a file" {
				cfg.MaxCSV = 1 << 20
			}
			_, err := tableexpert.Open(t.Context(), cfg)
			if err == nil {
				t.Fatal("got no error")
			}
			contains(t, err.Error(), c.want)
		})
	}
	if _, err := tableexpert.Open(t.Context(), tableexpert.Config{Tables: filepath.Join(t.TempDir(), "nope")}); err == nil {
		t.Error("got no error for a directory that does not exist")
	}
}

func TestSQLiteDatabasesAreOpenedAndLeftAlone(t *testing.T) {
	dir := directory(t, map[string]string{"regions.csv": "id,name\n1,North\n2,South\n"})
	path := filepath.Join(dir, "shop (1).db")
	database(t, path, `
		CREATE TABLE regions (id INTEGER PRIMARY KEY, manager TEXT);
		INSERT INTO regions VALUES (1, 'M-17');
		CREATE TABLE orders (id TEXT PRIMARY KEY, region_id INTEGER REFERENCES regions(id), amount REAL) WITHOUT ROWID;
		INSERT INTO orders VALUES ('A/1', 1, 10.5), ('B 2', 1, 20);
		CREATE TABLE logs (a, b, PRIMARY KEY (a, b)) WITHOUT ROWID;
		INSERT INTO logs VALUES (1, 2);
		CREATE VIEW big AS SELECT * FROM orders WHERE amount > 15;
		CREATE VIRTUAL TABLE texts USING fts5(body);
		CREATE TABLE "odd ""name" ("a b" TEXT);
		INSERT INTO "odd ""name" VALUES ('x');`)
	before := fingerprint(t, path)
	e := open(t, tableexpert.Config{Tables: dir})
	for statement, want := range map[string]string{
		"SELECT sum(amount) FROM orders": `[[30.5]]`,
		"SELECT r.name, sum(o.amount) FROM orders o JOIN regions r ON r.id=o.region_id GROUP BY 1": `[["North",30.5]]`,
		"SELECT manager FROM shop_1.regions": `[["M-17"]]`,
		"SELECT count(*) FROM big":           `[[1]]`,
		`SELECT "a b" FROM "odd ""name"`:     `[["x"]]`,
		"WITH x AS (SELECT region_id, count(*) n FROM shop_1.orders GROUP BY 1) SELECT n FROM x, regions": `[[2],[2]]`,
	} {
		if got := sql(t, e, statement); got != want {
			t.Errorf("%s: got %s, want %s", statement, got, want)
		}
	}
	schema := send(t, e, text("schema", "")).Artifacts[0].Text()
	contains(t, schema, "## regions", "## shop_1.regions", "region_id → shop_1.regions.id", "## big")
	if strings.Contains(schema, "texts") {
		t.Error("got a virtual table in the schema")
	}
	contains(t, send(t, e, text("", "INSERT INTO orders VALUES ('C',1,1)")).Status.Message.Text(), "read-only")
	contains(t, send(t, e, text("", "SELECT * FROM texts")).Status.Message.Text(), "There is no table")
	contains(t, send(t, e, text("fetch", "orders/A%2F1")).Artifacts[0].Text(), "amount: 10.5", "Related shop_1.regions:")
	contains(t, send(t, e, text("fetch", "logs/1")).Status.Message.Text(), "have no key")
	if after := fingerprint(t, path); after != before {
		t.Error("the file has changed")
	}
}

func fingerprint(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

func TestADatabaseInWALModeIsReadWhereNothingCanBeWritten(t *testing.T) {
	dir := t.TempDir()
	database(t, filepath.Join(dir, "w.db"), "PRAGMA journal_mode=WAL; CREATE TABLE t (a); INSERT INTO t VALUES (7);")
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	if got := sql(t, open(t, tableexpert.Config{Tables: dir}), "SELECT a FROM t"); got != "[[7]]" {
		t.Errorf("got %s, want [[7]]", got)
	}
}

func TestCSVTablesReferToOneAnotherByName(t *testing.T) {
	e := open(t, tableexpert.Config{Tables: directory(t, map[string]string{
		"cities.csv": "id,name\n1,Bonn\n", "shops.csv": "id,city_id\n10,1\n11,1\n",
	})})
	contains(t, send(t, e, text("fetch", "cities/1")).Artifacts[0].Text(), "name: Bonn", "Related shops:", "shops/11")
}

// The key of customers may be called customer_id, as it is in tables that refer to it.
func TestCSVTablesReferToKeysThatAreNamedAfterTheirTable(t *testing.T) {
	e := open(t, tableexpert.Config{Tables: directory(t, map[string]string{
		"customers.csv": "Customer_ID,name,country\n7,Ann,Spain\n8,Bo,Italy\n9,Cy,Spain\n",
		"orders.csv":    "order_id,customer_id,amount\n1,7,10\n2,7,5\n3,8,40\n",
		"notes.csv":     "note_id,order_id\n1,1\n1,2\n",
	})})
	contains(t, send(t, e, text("fetch", "customers/7")).Artifacts[0].Text(), "name: Ann", "Related orders:", "orders/2")
	for question, want := range map[string]string{
		"total amount by country":   `[["Italy",40],["Spain",15]]`,
		"how many notes by country": `[["Spain",2]]`,
	} {
		got, _ := json.Marshal(answer[rows](t, e, text("query_table_expert", question)).Rows)
		if string(got) != want {
			t.Errorf("%s: got %s, want %s", question, got, want)
		}
	}
}

func TestLinksOutOfTheDirectoryAreNotFollowed(t *testing.T) {
	outside := directory(t, map[string]string{"secret.csv": "word\nswordfish\n"})
	database(t, filepath.Join(outside, "secret.db"), "CREATE TABLE hidden (a)")
	dir := directory(t, map[string]string{"real.csv": "a\n1\n"})
	for link, target := range map[string]string{
		"stolen.csv": filepath.Join(outside, "secret.csv"),
		"stolen.db":  filepath.Join(outside, "secret.db"),
		"dotdot.csv": "../" + filepath.Base(outside) + "/secret.csv",
		"broken.csv": "nowhere.csv",
		"inside.csv": "real.csv",
	} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skip("no symbolic links here:", err)
		}
	}
	e := open(t, tableexpert.Config{Tables: dir})
	if got, want := sql(t, e, "SELECT group_concat(name) FROM (SELECT name FROM sqlite_schema WHERE type='table' AND name NOT LIKE 'sqlite%' ORDER BY 1)"), `[["inside,real"]]`; got != want {
		t.Errorf("got tables %s, want %s", got, want)
	}
	contains(t, send(t, e, text("", "SELECT * FROM hidden")).Status.Message.Text(), "no such table")
}

func TestTooManyDatabasesAreLeftOut(t *testing.T) {
	dir := t.TempDir()
	for i := range 11 {
		database(t, filepath.Join(dir, fmt.Sprintf("d%02d.db", i)), fmt.Sprintf("CREATE TABLE t%d (a)", i))
	}
	e, warnings := openWatched(t, tableexpert.Config{Tables: dir})
	contains(t, warnings, "d10.db: is one SQLite database too many; at most 10 are opened")
	if got := sql(t, e, "SELECT count(*) FROM t9"); got != "[[0]]" {
		t.Errorf("got %s, want the last of ten databases to be readable", got)
	}
}

// openWatched opens an expert and returns what it wrote to the log meanwhile.
func openWatched(t *testing.T, cfg tableexpert.Config) (*tableexpert.Expert, string) {
	t.Helper()
	var log strings.Builder
	cfg.Log = slog.New(slog.NewTextHandler(&log, nil))
	e, err := tableexpert.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	warnings := log.String()
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
	return e, warnings
}

func TestWhatCannotBeReadDoesNotKeepTheRestAway(t *testing.T) {
	dir := directory(t, map[string]string{
		"good.csv":    "a\n1\n",
		"ragged.csv":  "a,b\n1,2\n1,2,3\n",
		"empty.csv":   "",
		"ragged_.csv": "x\n7\n", // has the name of the table that is not made of ragged.csv
		"large.csv":   "a\n" + strings.Repeat("1\n", 1<<20),
		"none.db":     "hello",
		"damaged.db":  "SQLite format 3\x00" + strings.Repeat("x", 4096),
	})
	database(t, filepath.Join(dir, "views.db"), `CREATE TABLE kept (a); CREATE TABLE gone (b);
		CREATE VIEW broken AS SELECT * FROM gone; DROP TABLE gone;`)
	e, warnings := openWatched(t, tableexpert.Config{Tables: dir, MaxCSV: 1 << 20})
	contains(t, warnings,
		"file=ragged.csv err=\"ragged.csv: line 3: has another number of fields than the header",
		"file=empty.csv err=\"empty.csv: is empty",
		"file=large.csv err=\"large.csv: the CSV files are larger than 1 MiB together",
		"file=none.db err=\"none.db: is not a SQLite database",
		"file=damaged.db err=\"damaged.db: attaching damaged: the database cannot be read",
		"file=views.db err=\"table broken: ",
	)
	if n := strings.Count(warnings, "level=WARN"); n != 6 {
		t.Errorf("got %d warnings, want one for each of 6:\n%s", n, warnings)
	}
	contains(t, e.Card().Description, "The tables are good, ragged, kept.")
	got := answer[struct{ Tables []struct{ Name string } }](t, e, text("schema", "what tables are there"))
	if want := "[{good} {ragged} {kept}]"; fmt.Sprint(got.Tables) != want {
		t.Errorf("got the schema of %v, want %s", got.Tables, want)
	}
	if got := sql(t, e, "SELECT x FROM ragged"); got != "[[7]]" {
		t.Errorf("got %s, want what the readable file holds", got)
	}
}

func TestWhereNothingIsLeftTheErrorSaysWhy(t *testing.T) {
	dir := directory(t, map[string]string{"a.csv": "", "b.csv": "x,y\n1\n", "c.db": "hello"})
	_, err := tableexpert.Open(t.Context(), tableexpert.Config{Tables: dir, Log: quiet()})
	if err == nil {
		t.Fatal("got no error")
	}
	contains(t, err.Error(), "holds no table that can be read", "a.csv: is empty", "b.csv: line 2:", "c.db: is not a SQLite database")

	views := t.TempDir()
	database(t, filepath.Join(views, "v.db"), "CREATE TABLE gone (b); CREATE VIEW broken AS SELECT * FROM gone; DROP TABLE gone;")
	if _, err := tableexpert.Open(t.Context(), tableexpert.Config{Tables: views, Log: quiet()}); err == nil {
		t.Fatal("got no error")
	} else {
		contains(t, err.Error(), "none can be read", "table broken")
	}
}

func TestRowsWithoutAKeyAreNamedByTheirNumber(t *testing.T) {
	e := open(t, tableexpert.Config{Tables: directory(t, map[string]string{"notes.csv": "said,at\nhello,2026-01-01\nwörld,2026-01-02\n"})})
	task := send(t, e, text("search", "wörld"))
	contains(t, task.Artifacts[0].Text(), "notes/2", "said: wörld, at: 2026-01-02")
	contains(t, send(t, e, text("fetch", "notes/2")).Artifacts[0].Text(), "said: wörld")
}
