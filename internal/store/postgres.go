package store

import (
	"database/sql"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// openPostgres opens a database that several replicas may share.
func openPostgres(dsn string) (*DB, error) {
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(16)
	db.SetMaxIdleConns(4)
	db.SetConnMaxIdleTime(5 * time.Minute)
	both := &pool{DB: db}
	return &DB{read: both, write: both}, nil
}
