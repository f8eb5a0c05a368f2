package config

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"

	"rialto/store"
)

// engine is a kind of database.
type engine int

const (
	sqlite   engine = iota // a file of this machine
	postgres               // a server that replicas may share
	memory                 // the server's own process; everything is lost at its exit
)

var (
	anyScheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)
	drive     = regexp.MustCompile(`^[A-Za-z]:[\\/]`)
	keyValue  = regexp.MustCompile(`^\s*\w+\s*=`)
)

// engineOf returns the kind of database of an address. An address that is neither PostgreSQL nor
// clearly a path is an error. Errors do not repeat the address, because it may hold a password.
func engineOf(dsn string) (engine, error) {
	path, named := strings.CutPrefix(dsn, "sqlite:")
	switch {
	case strings.HasPrefix(dsn, "postgres://"), strings.HasPrefix(dsn, "postgresql://"):
		if _, err := url.Parse(dsn); err != nil {
			return 0, errors.New(
				"this is not an address such as postgres://USER:PASSWORD@HOST/NAME: write other characters than letters and digits as %XX in user and password",
			)
		}
		return postgres, nil
	case dsn == store.Memory:
		return memory, nil
	case strings.TrimSpace(path) == "":
		return 0, errors.New("name a SQLite file, or postgres://USER@HOST/NAME")
	case path == ":memory:":
		return 0, errors.New(
			"a database in memory forgets every account and task when the server stops: name a SQLite file, or write memory if that is what you want",
		)
	case keyValue.MatchString(path):
		return 0, errors.New(
			"settings as KEY=VALUE are not understood: write postgres://USER@HOST/NAME, or the path of a SQLite file (with ./ before it if its name has a = in it)",
		)
	case !named && anyScheme.MatchString(dsn) && !drive.MatchString(dsn):
		return 0, fmt.Errorf(
			"%q is not a kind of database that Rialto knows: write postgres://USER@HOST/NAME, or the path of a SQLite file",
			anyScheme.FindString(dsn),
		)
	}

	return sqlite, nil
}

// ErrInMemory is returned by commands that need the store of a server.
var ErrInMemory = errors.New(
	"database: what a server keeps in memory can only be changed through that server; name a SQLite file, or postgres://USER@HOST/NAME",
)

func (c *Config) checkDatabase() error {
	if _, err := engineOf(c.Storage.Database); err != nil {
		return fmt.Errorf("database: %w", err)
	}
	if c.Storage.Migrate != migrateAuto && c.Storage.Migrate != migrateCheck {
		return fmt.Errorf("migrate: %q is neither auto nor check", c.Storage.Migrate)
	}
	if c.Storage.Connections < minConnections {
		return fmt.Errorf("database_connections: set it to at least %d", minConnections)
	}

	return nil
}

// minConnections is how many are needed for statements to run beside a slow one: three for tasks and
// three for all else, and two that tasks always use.
const minConnections = 8

// The values of the setting migrate.
const (
	migrateAuto  = "auto"
	migrateCheck = "check"
)

// OpenStore opens the database, and brings its tables up to date if the settings say so.
func (c *Config) OpenStore(ctx context.Context) (*store.DB, error) {
	open := store.Open
	if c.Storage.Migrate == migrateCheck {
		open = store.OpenMigrated
	}

	db, err := open(ctx, c.Storage.Database)
	if err == nil {
		others := c.Storage.Connections * 2 / 5
		db.SetConnections(c.Storage.Connections-others, others)
	}

	return db, err
}

// sqlitePath returns the file of a SQLite database.
func sqlitePath(dsn string) string { return strings.TrimPrefix(dsn, "sqlite:") }

// DatabaseFile returns the file of a SQLite database; "" for others.
func (c *Config) DatabaseFile() string {
	if kind, err := engineOf(c.Storage.Database); err != nil || kind != sqlite {
		return ""
	}
	return sqlitePath(c.Storage.Database)
}

// Redacted returns a database address without passwords. PostgreSQL also accepts them
// as parameters.
func Redacted(dsn string) string {
	if kind, _ := engineOf(dsn); kind != postgres {
		return dsn
	}

	u, err := url.Parse(dsn)
	if err != nil {
		return "postgres://…"
	}

	query := u.Query()
	for key := range query {
		if strings.Contains(strings.ToLower(key), "password") {
			query.Set(key, "xxxxx")
		}
	}

	u.RawQuery = query.Encode()
	return u.Redacted()
}
