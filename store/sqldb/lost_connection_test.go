package sqldb

import (
	"database/sql"
	"testing"

	"rialto/oauth/oauthtest"
)

// TestIdleConnectionsThatAreLostAreFound ends the connections of a pool just after they were used, as
// PostgreSQL does when it restarts, and uses the pool at once. The driver pinged only connections that
// had been idle for a second, so the first statement on each of the others failed.
func TestIdleConnectionsThatAreLostAreFound(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	db := open(t, dsn)
	for range 5 {
		useAll(t, db)
		useAll(t, db)                                                   // the driver pings a connection before its second use
		if got := oauthtest.EndConnections(t, dsn); got < connections { // and that of the link
			t.Errorf("ended %d connections, want at least %d", got, connections)
		}
		useAll(t, db)
	}
}

// useAll runs a statement on each connection that db may have, and returns them to the pool.
func useAll(t *testing.T, db *DB) {
	t.Helper()
	var conns []*sql.Conn
	for range connections {
		c, err := db.Read.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
		if _, err := c.ExecContext(t.Context(), `SELECT 1`); err != nil {
			t.Error("a statement on a connection of the pool:", err)
		}
	}
	for _, c := range conns {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
