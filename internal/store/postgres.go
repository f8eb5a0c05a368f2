package store

import (
	"database/sql"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// openPostgres opens a database that several replicas may share.
func openPostgres(dsn string) (*DB, error) {
	pool, err := sql.Open("pgx", dsn)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(16)
	pool.SetMaxIdleConns(4)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return &DB{read: pool, write: pool}, nil
}
