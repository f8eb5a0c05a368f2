package sqldb

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// TestConnectionsToPostgreSQLHaveLimits reads the limits, and those that the
// operator has set.
func TestConnectionsToPostgreSQLHaveLimits(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	for own, want := range map[string]string{"": "10s", "&lock_timeout=50": "50ms"} {
		var lock, idle string
		err := open(t, dsn+own).Read.QueryRowContext(t.Context(),
			`SELECT current_setting('lock_timeout'), current_setting('idle_in_transaction_session_timeout')`).Scan(&lock, &idle)
		if err != nil || lock != want || idle != "30s" {
			t.Errorf("%q: got %s and %s, %v, want %s and 30s", own, lock, idle, err, want)
		}
	}
}

// TestAWriteDoesNotWaitForALockForever locks the table that is written to.
func TestAWriteDoesNotWaitForALockForever(t *testing.T) {
	dsn := oauthtest.PostgresSchema(t)
	other, db := open(t, dsn), open(t, dsn+"&lock_timeout=50")
	insert := func(db *DB) error {
		_, err := db.Write.ExecContext(t.Context(), `INSERT INTO setup_code (id, hash, expires) VALUES (1, 'hash', 1)`)
		return err
	}
	err := other.InTx(t.Context(), func(tx *Tx) error {
		_, err := tx.ExecContext(t.Context(), `LOCK TABLE setup_code`)
		if err == nil {
			if err := insert(db); !HasCode(err, "55P03") {
				t.Errorf("got %v, want that it waited too long for a lock", err)
			}
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOpenTimesOut opens an address that accepts connections and never answers.
func TestOpenTimesOut(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() // the system accepts connections
	dsn := "postgres://user@" + l.Addr().String() + "/test?sslmode=disable"
	config, err := postgresConfig(dsn)
	if err != nil || config.ConnectTimeout != connectTimeout {
		t.Errorf("got %v, %v", config.ConnectTimeout, err)
	}
	if _, err = Open(t.Context(), dsn+"&connect_timeout=1"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestSetConnections begins more transactions than there may be connections.
func TestSetConnections(t *testing.T) {
	db := open(t, oauthtest.PostgresSchema(t))
	tasks, err := db.NewPool()
	if err != nil {
		t.Fatal(err)
	}
	for _, db := range []*DB{db, tasks} {
		db.SetConnections(1)
		tx, err := db.Write.BeginTx(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		defer tx.Rollback()
		ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
		defer cancel()
		if _, err := db.Write.BeginTx(ctx, nil); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a second transaction: got %v, want that it waits", err)
		}
	}
}
