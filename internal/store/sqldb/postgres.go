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

// connections is how many of the database's each replica takes at most.
const connections = 16

const (
	connectFor = 10 * time.Second // to dial, and to be let in
	lockFor    = 10 * time.Second // that a statement waits for what others hold
)

// silence finds out within half a minute that the machine of the database is gone.
var silence = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// openPostgres opens a database that several replicas may share.
func openPostgres(dsn string) (*DB, error) {
	config, err := postgresConfig(dsn)
	if err != nil {
		return nil, err
	}
	db := stdlib.OpenDB(*config, stdlib.OptionAfterConnect(setLimits))
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections) // to dial anew would cost more than the statements
	db.SetConnMaxIdleTime(5 * time.Minute)
	both := &Pool{DB: db, texts: true}
	return &DB{Read: both, Write: both}, nil
}

// postgresConfig reads dsn. The driver would wait for ever to be let in by a server
// that takes connections and says nothing, unless dsn has a connect_timeout.
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

// setLimits bounds what PostgreSQL does for one connection: how long it waits for a
// lock, and how long it keeps those of a transaction whose replica says nothing more,
// because its machine is gone. Limits that the operator has set, in dsn, for the role
// or the database, stay as they are.
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

// deadlocked tells whether PostgreSQL gave up a transaction so that another,
// which waited for it, can go on (deadlock_detected).
func deadlocked(err error) bool {
	return RefusedAs(err, "40P01")
}

// RefusedAs tells whether PostgreSQL gave a code as the reason (its Appendix A).
func RefusedAs(err error, code string) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == code
}
