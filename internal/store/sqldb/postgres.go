package sqldb

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
)

// connections is how many connections each replica uses at most.
const connections = 16

const (
	connectFor = 10 * time.Second // to dial and to log in
	lockFor    = 10 * time.Second // that a statement waits for a lock
)

// silence detects within half a minute that the machine of the database is gone.
var silence = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// openPostgres opens a database that several replicas may share.
func openPostgres(dsn string) (*DB, error) {
	config, err := postgresConfig(dsn)
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(setLimits))
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections) // to dial again would cost more than the statements
	db.SetConnMaxIdleTime(5 * time.Minute)
	both := &Pool{DB: db, texts: true}
	return &DB{Read: both, Write: both}, nil
}

// postgresConfig reads dsn. Without a connect_timeout, the driver would wait forever for a
// server that accepts connections and does not answer.
func postgresConfig(dsn string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectFor
	}
	config.DialFunc = (&net.Dialer{KeepAliveConfig: silence}).DialContext
	return config, nil
}

// setLimits bounds how long a statement waits for a lock, and how long an idle transaction
// keeps its locks, for its machine may be gone. Limits of the operator, in dsn, for the
// role or the database, are kept.
func setLimits(ctx context.Context, c *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, connectFor)
	defer cancel()
	_, err := c.Exec(ctx, `SELECT set_config(name, value, false)
		FROM (VALUES ('lock_timeout', $1), ('idle_in_transaction_session_timeout', $2)) AS ours (name, value)
		WHERE current_setting(name, true) = '0'`, pgx.QueryExecModeExec, InMillis(lockFor), InMillis(longest)) // not to be prepared: it is run once
	if err != nil {
		c.Close(ctx)
		return fmt.Errorf("setting the limits of a connection: %w", err)
	}
	return nil
}

// InMillis returns a duration as a setting of PostgreSQL.
func InMillis(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// deadlocked reports whether PostgreSQL ended a transaction to resolve a deadlock
// (deadlock_detected).
func deadlocked(err error) bool {
	return RefusedAs(err, "40P01")
}

// RefusedAs reports whether an error has a code of PostgreSQL (its Appendix A).
func RefusedAs(err error, code string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == code
}
