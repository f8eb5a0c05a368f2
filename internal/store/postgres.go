package store

import (
	"database/sql"
	"errors"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// connections is how many of the database's each replica takes at most.
const connections = 16

// openPostgres opens a database that several replicas may share.
func openPostgres(dsn string) (*DB, error) {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections) // to dial anew would cost more than the statements
	db.SetConnMaxIdleTime(5 * time.Minute)
	both := &pool{DB: db, texts: true}
	return &DB{read: both, write: both}, nil
}

// deadlocked tells whether PostgreSQL gave up a transaction so that another,
// which waited for it, can go on (deadlock_detected).
func deadlocked(err error) bool {
	e, ok := errors.AsType[*pgconn.PgError](err)
	return ok && e.Code == "40P01"
}
