package oauthtest

import (
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"testing"
)

// PostgresSchema creates a schema for one test in the database that RIALTO_TEST_POSTGRES names, and
// returns a URL that leads into it. The schema goes away with the test, which is skipped if there
// is no such database. The test's program must hold the driver "pgx".
func PostgresSchema(t testing.TB) string {
	t.Helper()
	dsn := os.Getenv("RIALTO_TEST_POSTGRES")
	if dsn == "" {
		t.Skip("RIALTO_TEST_POSTGRES is not set: no PostgreSQL to test against")
	}
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	admin, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	name := "rialto_" + strings.ToLower(rand.Text())
	if _, err := admin.Exec(`CREATE SCHEMA ` + name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := admin.Exec(`DROP SCHEMA ` + name + ` CASCADE`); err != nil {
			t.Error(err)
		}
		admin.Close()
	})
	q := u.Query()
	q.Set("search_path", name)
	q.Set("synchronous_commit", "off") // no test ends PostgreSQL
	u.RawQuery = q.Encode()
	return u.String()
}
