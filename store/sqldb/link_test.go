package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// TestABusyPostgresKeepsItsConnections has the question of the link wait, as behind a pooler with too much
// to do, while PostgreSQL answers on another connection. Then that falls silent, too.
func TestABusyPostgresKeepsItsConnections(t *testing.T) {
	stuck, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer stuck.Close() // it accepts connections and says nothing
	l, err := newLink("postgres://x@" + stuck.Addr().String() + "/x?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	defer l.close()
	pool, err := postgresPool(oauthtest.PostgresSchema(t), 1, l)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	conn, err := pool.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()

	for begun := time.Now(); time.Since(begun) < watchInterval+watchTimeout+time.Second; {
		if _, err := conn.ExecContext(t.Context(), `SELECT pg_sleep(0.1)`); err != nil {
			t.Fatalf("a connection that works was closed after %s: %v", time.Since(begun), err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if _, err := conn.ExecContext(ctx, `SELECT pg_sleep(60)`); err == nil || errors.Is(err, sql.ErrNoRows) || ctx.Err() != nil {
		t.Errorf("got %v, want that a silent connection is closed", err)
	}
}
