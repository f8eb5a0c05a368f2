package sqldb

import (
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// TestAProbeFindsWhatIsWrong deletes the file, and drops what says which tables there are.
func TestAProbeFindsWhatIsWrong(t *testing.T) {
	each(t, func(t *testing.T, again func() *DB) {
		db := again()
		ask := func() (database, migrations error) {
			db.probe.at = time.Time{}
			return db.Probe(t.Context())
		}
		if database, migrations := ask(); database != nil || migrations != nil {
			t.Errorf("got %v, %v", database, migrations)
		}
		if _, err := db.Write.ExecContext(t.Context(), `UPDATE goose_db_version SET version_id = 1 WHERE version_id > 1`); err != nil {
			t.Fatal(err)
		}
		if database, migrations := ask(); database != nil || migrations == nil {
			t.Errorf("older tables: got %v, %v", database, migrations)
		}
		if db.Postgres {
			return
		}
		if err := os.Remove(db.Path); err != nil {
			t.Fatal(err)
		}
		if database, _ := ask(); database == nil {
			t.Error("a deleted file: got nothing")
		}
	})
}

// TestAProbeDoesNotWaitForTheWriter asks while a transaction is open.
func TestAProbeDoesNotWaitForTheWriter(t *testing.T) {
	db := openTemp(t)
	err := db.InTx(t.Context(), func(tx *Tx) error {
		_, err := tx.ExecContext(t.Context(), `INSERT INTO used_once (hash, expires) VALUES ('a', 1)`)
		if database, migrations := db.Probe(t.Context()); database != nil || migrations != nil {
			t.Errorf("got %v, %v", database, migrations)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestAProbeOfPostgreSQLWritesToItsDisk takes the room for temporary files away.
func TestAProbeOfPostgreSQLWritesToItsDisk(t *testing.T) {
	dsn, err := url.Parse(oauthtest.PostgresSchema(t))
	if err != nil {
		t.Fatal(err)
	}
	query := dsn.Query()
	query.Set("temp_file_limit", "0")
	dsn.RawQuery = query.Encode()
	db := open(t, dsn.String())
	if database, _ := db.Probe(t.Context()); database == nil || !strings.Contains(database.Error(), "temporary file size") {
		t.Errorf("got %v, want that nothing can be written", database)
	}
}
