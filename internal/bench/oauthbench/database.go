package oauthbench

import (
	"crypto/rand"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
	_ "modernc.org/sqlite"             // the driver "sqlite"
)

// engine is a kind of database; each server gets a new one of it.
type engine struct {
	name string
	open func() (dsn string, drop func() error, err error)
}

func temporaryFile() (string, func() error, error) {
	dir, err := os.MkdirTemp("", "rialto-bench-*")
	return filepath.Join(dir, "bench.db"), func() error { return os.RemoveAll(dir) }, err
}

func temporarySchema(dsn string) (string, func() error, error) {
	u, err := url.Parse(dsn)
	if err != nil {
		return "", nil, err
	}
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		return "", nil, err
	}
	name := "rialto_bench_" + strings.ToLower(rand.Text())
	if _, err := db.Exec("CREATE SCHEMA " + name); err != nil {
		db.Close()
		return "", nil, err
	}
	query := u.Query()
	query.Set("search_path", name)
	u.RawQuery = query.Encode()
	return u.String(), func() error {
		defer db.Close()
		_, err := db.Exec("DROP SCHEMA " + name + " CASCADE")
		return err
	}, nil
}
