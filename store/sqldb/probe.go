package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// probeTimeout is how long a probe waits for the database, and probeInterval how long its answer
// is good: probes need no token, and each costs a write to the disk.
const (
	probeTimeout  = 2 * time.Second
	probeInterval = time.Second
)

// probe is a connection that nothing else uses, so that statements that wait or take long do
// not keep it from an answer.
type probe struct {
	mu                   sync.Mutex
	db                   *sql.DB
	at                   time.Time
	database, migrations error
}

func (p *probe) close() error {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.db == nil {
		return nil
	}
	return p.db.Close()
}

// Probe reports whether the database can be read and written, and whether its tables are at
// least as new as this program knows them. It touches no table that statements lock, and
// takes at most probeTimeout. A locked SQLite file counts as one that can be written: a
// process is writing it.
func (db *DB) Probe(ctx context.Context) (database, migrations error) {
	p := db.probe
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.at) < probeInterval {
		return p.database, p.migrations
	}

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeTimeout)
	defer cancel()
	p.database = db.openProbe()
	p.migrations = nil
	if p.database == nil {
		p.database = db.usable(ctx)
	}
	if p.database == nil {
		p.migrations = db.migrated(ctx)
	}

	p.at = time.Now()
	return p.database, p.migrations
}

// openProbe opens the connection. It uses the only connection of a database in memory.
func (db *DB) openProbe() error {
	p := db.probe
	if p.db != nil || db.holder != nil {
		return nil
	}
	if db.Postgres {
		pool, err := postgresPool(db.dsn, 1, nil)
		if err != nil {
			return err
		}
		p.db = pool.DB
		return nil
	}
	// The driver does not end the wait for a lock with ctx.
	opened, err := openExisting(db.Path, 500*time.Millisecond)
	p.db = opened
	return err
}

func (db *DB) probeDB() *sql.DB {
	if db.probe.db == nil {
		return db.Read.DB
	}
	return db.probe.db
}

// usable reports whether the database can be read and written.
func (db *DB) usable(ctx context.Context) error {
	if db.Postgres {
		return postgresUsable(ctx, db.probeDB())
	}
	if err := db.file.check(); err != nil {
		return err
	}
	// It changes nothing that anyone reads, and yet is written to the disk.
	_, err := db.probeDB().ExecContext(ctx, `PRAGMA user_version = 0`)
	if isBusy(err) {
		err = nil
	}
	if err == nil && db.Path != "" {
		err = hasRoom(filepath.Dir(db.Path))
	}

	return err
}

// postgresUsable writes a temporary file of some hundred KiB on the server's disk: a result larger
// than work_mem. A table would wait for locks, and find room within its file for a while on a full disk.
func postgresUsable(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if _, err := tx.ExecContext(ctx, `SET LOCAL work_mem = '64kB'`); err != nil {
		return err
	}

	var readOnly string
	err = tx.QueryRowContext(ctx, `
		SELECT current_setting('transaction_read_only')
		FROM generate_series(1, 20000) HAVING count(*) > 0`).Scan(&readOnly)
	if err == nil && readOnly == "on" {
		err = errors.New("the database is read-only: it may be a standby")
	}

	return err
}

// minFree is what the disk must have room for. SQLite may find room within its files for a
// while on a full disk.
const minFree = 64 << 10

func hasRoom(dir string) error {
	f, err := os.CreateTemp(dir, ".rialto-probe-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, minFree))
	return errors.Join(err, f.Close())
}

// migrated reports whether the tables are at least as new as this program knows them. Newer
// ones are those of a replica that is being upgraded.
func (db *DB) migrated(ctx context.Context) error {
	version, err := schemaVersion(ctx, db.probeDB())
	if err == nil && version < db.version {
		err = fmt.Errorf(
			"the tables are of version %d, and this program needs %d", version, db.version,
		)
	}
	return err
}
