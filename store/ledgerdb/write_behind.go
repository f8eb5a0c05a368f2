package ledgerdb

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rialto/internal/dberr"
	"rialto/store/sqldb"
	"rialto/store/writebehind"
)

// endedTask is a task that had ended when it was added, as a row and for the search index.
type endedTask struct {
	Row   *taskRow
	index indexEntry // the zero value after a restart: the index finds such a task left over
}

// StartWriteBehind writes tasks that have ended into a file beside the database first. It is for a
// server that is alone on a SQLite file (see LockServer), and does nothing on any other database.
func (db *Store) StartWriteBehind(ctx context.Context, log *slog.Logger) error {
	if db.sql.Postgres || db.sql.Path == "" || db.buffer != nil {
		return nil
	}
	if alone, err := db.sql.LockServer(ctx); err != nil ||
		!alone { // the file of another server would be in its way
		return errors.Join(err, errors.New("store: writing behind is for a server that is alone"))
	}

	err := db.attachWriteBehind(ctx, log)
	path, _ := db.writeBehindPath() // which was found before
	var damaged *writebehind.DamagedError
	switch {
	case errors.As(err, &damaged):
		kept, err := writebehind.SetAside(path)
		if err != nil {
			return err
		}
		logDamage(log, damaged, kept)
		return db.attachWriteBehind(ctx, log)
	case errors.Is(err, writebehind.ErrForeign):
		if err := writebehind.Remove(path); err != nil {
			return err
		}
		return db.attachWriteBehind(ctx, log)
	}

	return err
}

// logDamage says what was lost with a file.
func logDamage(log *slog.Logger, e *writebehind.DamagedError, kept string) {
	text := "the write-behind file is damaged"
	lost := "tasks that ended in the last moment before the crash, their number is not known"
	if errors.Is(e, writebehind.ErrForeign) {
		text = "the write-behind file belongs to another database"
	}

	switch {
	case len(e.Missing) > 0:
		lost = strings.Join(e.Missing[:min(len(e.Missing), maxNamed)], " ")
	case e.Groups > 0:
		lost = fmt.Sprintf("%d groups of 1 to 64 tasks", e.Groups)
	}

	log.Error(
		text,
		"recovered_tasks", e.Recovered,
		"lost_tasks", len(e.Missing),
		"lost", lost,
		"kept", kept,
		"err", e.Cause,
	)
}

// maxNamed bounds the handles of lost tasks in the log.
const maxNamed = 1000

func (db *Store) attachWriteBehind(ctx context.Context, log *slog.Logger) error {
	path, err := db.writeBehindPath()
	if err != nil {
		return err
	}

	id, err := db.writeBehindID(ctx)
	if err != nil {
		return err
	}

	db.buffer, err = writebehind.Open(ctx, writebehind.Config[*endedTask]{
		Path:     path,
		ID:       id,
		Database: endedTasks{db.sql},
		Busy:     sqldb.ErrBusy,
		Log:      log,
	})
	return err
}

// writeBehindPath follows links, as SQLite does: the next server may come by another.
func (db *Store) writeBehindPath() (string, error) {
	path, err := filepath.EvalSymlinks(db.sql.Path)
	return path + ".pending", err
}

// writeBehindID returns the ID that the file has in common with this database, so that
// tasks of another database are not taken for its own.
func (db *Store) writeBehindID(ctx context.Context) (id string, err error) {
	return id, db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			INSERT INTO write_behind (id) SELECT $1 WHERE NOT EXISTS (SELECT 1 FROM write_behind)`,
			rand.Text())
		if err != nil {
			return err
		}
		return t.QueryRowContext(ctx, `SELECT id FROM write_behind`).Scan(&id)
	})
}

// recoverPending writes what a killed server has left in its file into the database, unless a
// server runs that may use the file.
func (db *Store) recoverPending(ctx context.Context) error {
	if db.sql.Path == "" {
		return nil
	}

	path, err := db.writeBehindPath()
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return nil
	}

	release, ok, err := db.sql.ExcludeServers(ctx)
	if err != nil || !ok {
		return err
	}
	defer release()
	err = db.attachWriteBehind(ctx, slog.New(slog.DiscardHandler))
	if _, damaged := errors.AsType[*writebehind.DamagedError](err); damaged ||
		errors.Is(err, writebehind.ErrForeign) {
		return nil // the next server logs it
	}
	if err == nil {
		err = db.buffer.Close()
	}

	db.buffer = nil
	return err
}

// flush returns when the database has all tasks that have ended before the call. What
// asks about tasks begins with it, unless it asks for tasks that run. If it fails, the
// answer would be wrong without those tasks.
func (db *Store) flush(ctx context.Context) error {
	if db.buffer == nil {
		return nil
	}

	err := db.buffer.Flush(ctx)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if _, is := dberr.As(err); is {
		return err
	}

	return &dberr.Error{Cause: err}
}

// endedTasks are the tasks in the database that are written behind.
type endedTasks struct{ sql *sqldb.DB }

// Write writes tasks and their words, those that are not there.
func (db endedTasks) Write(ctx context.Context, tasks []*endedTask) error {
	var words []indexEntry
	for _, task := range tasks {
		if task.index.words != "" {
			words = append(words, task.index)
		}
	}

	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		var args []any
		for chunk := range slices.Chunk(tasks, insertBatch) {
			args = args[:0]
			for _, task := range chunk {
				args = append(task.Row.values(args), task.index.words != "")
			}
			query := addManyEnded
			if len(chunk) < insertBatch {
				query = addEnded(len(chunk))
			}
			if _, err := t.ExecContext(ctx, query, args...); err != nil {
				return fmt.Errorf("writing tasks that have ended: %w", err)
			}
		}
		if len(words) == 0 {
			return nil
		}
		return indexFTS(ctx, t, words)
	})
}

// Missing returns those handles that no task in the database has.
func (db endedTasks) Missing(ctx context.Context, handles []string) ([]string, error) {
	these, list, err := handleList(db.sql, handles)
	if err != nil {
		return nil, err
	}
	return sqldb.Select(ctx, db.sql.Read, sqldb.Value[string], `
		SELECT value FROM `+these+` AS listed WHERE value NOT IN (SELECT handle FROM tasks)`,
		list)
}

// insertBatch is how many tasks one statement inserts: a statement for each costs more.
const insertBatch = 16

var addManyEnded = addEnded(insertBatch)

// addEnded inserts n tasks: the columns of taskRow, and whether the index has them.
// SQLite keeps no copies of the pages that a statement changes if it ignores conflicts.
func addEnded(n int) string {
	return `INSERT OR IGNORE INTO tasks (` + rowNames + `, settled, holder, due, indexed) VALUES ` +
		sqldb.Rows(false, n, rowColumns, `, 1, '', 0, ?`)
}
