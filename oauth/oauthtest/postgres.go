package oauthtest

import (
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"strings"
	"sync"
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
	q.Set("application_name", name)    // for EndConnections
	q.Set("synchronous_commit", "off") // no test ends PostgreSQL
	u.RawQuery = q.Encode()
	return u.String()
}

// EndConnections ends all connections to a schema of PostgresSchema, as a restart of PostgreSQL does. It
// returns how many there were, after they are closed. It may be called by any goroutine of the test.
func EndConnections(t testing.TB, dsn string) (ended int) {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil {
		t.Error(err)
		return 0
	}
	admin, err := sql.Open("pgx", os.Getenv("RIALTO_TEST_POSTGRES"))
	if err != nil {
		t.Error(err)
		return 0
	}
	defer admin.Close()
	var list string
	err = admin.QueryRow(`SELECT coalesce(string_agg(pid::text, ' '), '') FROM pg_stat_activity
		WHERE application_name = $1`, u.Query().Get("application_name")).Scan(&list)
	if err != nil {
		t.Error(err)
	}
	pids := strings.Fields(list)
	var all sync.WaitGroup
	for _, pid := range pids {
		all.Go(func() {
			// With a timeout, pg_terminate_backend returns after the process has exited.
			if _, err := admin.Exec(`SELECT pg_terminate_backend(CAST($1::text AS int), 10000)`, pid); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	return len(pids)
}
