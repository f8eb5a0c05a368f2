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

// How many connections each replica uses at most, unless SetConnections says otherwise: for all but
// tasks, and for tasks. One more is for probes.
const (
	connections     = 8
	taskConnections = 12
)

// taskReaders is how many of the connections for tasks read for users. Two are for heartbeats and for
// what replicas tell each other.
func taskReaders(connections int) int { return (connections - 2) * 4 / 5 }

// SetConnections sets how many connections to PostgreSQL db uses at most. Call it before db is used.
func (db *DB) SetConnections(n int) {
	if !db.Postgres {
		return
	}
	db.Read.SetMaxOpenConns(n)
	db.Read.SetMaxIdleConns(n)
	if db.Queue != nil {
		db.Queue = &FairQueue{size: taskReaders(n)}
	}
}

const (
	connectTimeout = 10 * time.Second // to dial and to log in
	lockTimeout    = 10 * time.Second // that a statement waits for a lock
)

// keepAlive detects within half a minute that the machine of the database is gone.
var keepAlive = net.KeepAliveConfig{
	Enable:   true,
	Idle:     15 * time.Second,
	Interval: 5 * time.Second,
	Count:    3,
}

// openPostgres opens a database that several replicas may share.
func openPostgres(dsn string) (*DB, error) {
	l, err := newLink(dsn)
	if err != nil {
		return nil, err
	}
	both, err := postgresPool(dsn, connections, l)
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	return &DB{Read: both, Write: both, link: l}, nil
}

// postgresPool returns a pool whose connections belong to l, which may be nil.
func postgresPool(dsn string, size int, l *link) (*Pool, error) {
	config, err := postgresConfig(dsn)
	if err != nil {
		return nil, err
	}

	config.DialFunc = l.dial
	db := stdlib.OpenDB(
		*config, stdlib.OptionAfterConnect(setLimits), stdlib.OptionShouldPing(shouldPing),
	)
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size) // to dial again would cost more than the statements
	db.SetConnMaxIdleTime(5 * time.Minute)
	return &Pool{DB: db, texts: true}, nil
}

// pingAfter is how long a connection is idle before it is pinged: its machine may be gone.
const pingAfter = time.Second

// shouldPing reports whether the driver pings an idle connection before it is used, and dials again if
// there is no answer. PostgreSQL says nothing on an idle connection, except that it ends the connection
// or that a setting has changed. To look for that costs no round trip.
func shouldPing(_ context.Context, idle stdlib.ShouldPingParams) bool {
	return idle.IdleDuration > pingAfter || readable(idle.Conn.PgConn().Conn())
}

// postgresConfig reads dsn. Without a connect_timeout, the driver would wait forever for a
// server that accepts connections and does not answer.
func postgresConfig(dsn string) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout
	}
	return config, nil
}

// setLimits bounds how long a statement waits for a lock, and how long an idle transaction
// keeps its locks, for its machine may be gone. Limits of the operator, in dsn, for the
// role or the database, are kept.
func setLimits(ctx context.Context, c *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	// The statement is not to be prepared: it is run once.
	_, err := c.Exec(ctx, `
		SELECT set_config(name, value, false)
		FROM (VALUES
			('lock_timeout', $1), ('idle_in_transaction_session_timeout', $2)
		) AS ours (name, value)
		WHERE current_setting(name, true) = '0'`,
		pgx.QueryExecModeExec, millisText(lockTimeout), millisText(transactionTimeout))
	if err != nil {
		c.Close(ctx)
		return fmt.Errorf("setting the limits of a connection: %w", err)
	}

	return nil
}

// Clock returns the time by the one clock of all replicas: that of PostgreSQL or, as SQLite is in
// this process, now.
func (db *DB) Clock(ctx context.Context, now time.Time) (time.Time, error) {
	if !db.Postgres {
		return now, nil
	}
	var millis int64
	err := db.Write.QueryRowContext(ctx, `
		SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)`).Scan(&millis)
	return Time(millis), err
}

// millisText returns a duration as a setting of PostgreSQL.
func millisText(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }

// deadlocked reports whether PostgreSQL ended a transaction to resolve a deadlock
// (deadlock_detected).
func deadlocked(err error) bool {
	return HasCode(err, "40P01")
}

// HasCode reports whether an error has a code of PostgreSQL (its Appendix A).
func HasCode(err error, code string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == code
}
