package harness

import (
	"crypto/rand"
	"database/sql"
	"net/url"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver "pgx"
)

// TemporarySchema makes a schema in the database that dsn names, and returns its address and a
// function that drops it.
func TemporarySchema(dsn string) (string, func() error, error) {
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
