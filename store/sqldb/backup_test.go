package sqldb

import (
	"path/filepath"
	"slices"
	"testing"

	"rialto/oauth/oauthtest"
)

// TestEveryTableIsCopied compares the tables that are copied with those of PostgreSQL.
func TestEveryTableIsCopied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rialto.db")
	open(t, path)
	file, err := openCopy(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	tables, err := copiedTables(t.Context(), file)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{"goose_db_version", "task_words"} // the version of the tables, and the search index
	for _, table := range tables {
		got = append(got, table.name)
	}
	rows, err := open(t, oauthtest.PostgresSchema(t)).Read.QueryContext(t.Context(),
		`SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema()`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var want []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		want = append(want, name)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
