package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"rialto/bridge"

	"github.com/pressly/goose/v3"
)

var _ bridge.Index = (*DB)(nil)

// The index of what tasks hold is the one thing that the engines do each in
// their own way: SQLite with FTS5, PostgreSQL with tsvector. In both, each word
// begins with whose it is, so that a search walks through the owner's tasks
// only, however common its words are.

// indexMigration makes the index.
func indexMigration(dialect goose.Dialect) *goose.Migration {
	statements := []string{
		`ALTER TABLE tasks ADD COLUMN indexed BIGINT NOT NULL DEFAULT 0`,
		`CREATE INDEX tasks_unindexed ON tasks (updated) WHERE settled = 1 AND indexed = 0`,
	}
	if dialect == goose.DialectPostgres {
		statements = append(statements,
			`CREATE TABLE task_words (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, handle TEXT NOT NULL UNIQUE, words TSVECTOR NOT NULL)`,
			`CREATE INDEX task_words_words ON task_words USING gin (words)`)
	} else {
		statements = append(statements,
			`CREATE TABLE task_texts (id INTEGER PRIMARY KEY, handle TEXT NOT NULL UNIQUE)`,
			`CREATE VIRTUAL TABLE task_words USING fts5 (words, content = '', contentless_delete = 1, detail = none, tokenize = "ascii tokenchars '_'")`)
	}
	return goose.NewGoMigration(12, &goose.GoFunc{RunTx: func(ctx context.Context, t *sql.Tx) error {
		for _, s := range statements {
			if _, err := t.ExecContext(ctx, s); err != nil {
				return err
			}
		}
		return nil
	}}, nil)
}

// indexBytes bounds what is indexed at a time, for the ledger waits meanwhile, but
// for a task that is larger by itself.
const indexBytes = 256 << 10

// IndexTasks implements bridge.Index.
func (db *DB) IndexTasks(ctx context.Context, most int) (more bool, err error) {
	tasks, more, err := db.unindexed(ctx, most)
	if err != nil || len(tasks) == 0 {
		return false, err
	}
	return more, db.inTx(ctx, func(t *tx) error { return db.index(ctx, t, tasks) })
}

// indexed is a task for the index.
type indexed struct {
	handle, words string
	updated       time.Time
}

// toIndex returns what the index is to have of a task.
func toIndex(e *bridge.Entry) indexed {
	return indexed{e.Handle, strings.Join(ownWords(e.Owner, e.Words()), " "), e.Updated}
}

// unindexed returns tasks for the index, the first that settled first, and whether
// there may be more of them.
func (db *DB) unindexed(ctx context.Context, most int) (tasks []indexed, more bool, err error) {
	rows, err := db.read.QueryContext(ctx, `SELECT `+entryColumns+` FROM tasks WHERE settled = 1 AND indexed = 0 ORDER BY updated LIMIT $1`, most)
	if err != nil {
		return nil, false, err
	}
	defer rows.Close()
	left := indexBytes
	for left > 0 && rows.Next() {
		e, size, err := scanSized(rows)
		if err != nil {
			return nil, false, err
		}
		tasks = append(tasks, toIndex(e))
		left -= size
	}
	return tasks, left <= 0 || len(tasks) == most, rows.Err()
}

// index writes tasks into the index, except those that have changed since they
// were read. All the words come last: a statement that SQLite might have to undo
// makes FTS5 write out what it holds, and that costs more than the words do.
func (db *DB) index(ctx context.Context, t *tx, tasks []indexed) error {
	places := make([]place, len(tasks))
	for i, task := range tasks {
		n, err := changed(ctx, t, `UPDATE tasks SET indexed = 1 WHERE handle = $1 AND settled = 1 AND updated = $2`, task.handle, task.updated.UnixMilli())
		if err == nil && n > 0 && !db.postgres {
			places[i], err = placeOf(ctx, t, task.handle)
		}
		places[i].skip = n == 0
		if err != nil {
			return fmt.Errorf("task %s: %w", task.handle, err)
		}
	}
	for i, task := range tasks {
		if places[i].skip {
			continue
		}
		query, args := places[i].write, []any{places[i].id, task.words}
		if db.postgres {
			query, args = `
			INSERT INTO task_words (handle, words) VALUES ($1, array_to_tsvector(string_to_array($2, ' ')))
			ON CONFLICT (handle) DO UPDATE SET words = excluded.words`, []any{task.handle, task.words}
		}
		if _, err := t.ExecContext(ctx, query, args...); err != nil {
			return fmt.Errorf("task %s: %w", task.handle, err)
		}
	}
	return nil
}

// place is where the words of a task go in the index of SQLite.
type place struct {
	id    int64
	write string // the statement: there is no need to look for words of a new task
	skip  bool   // the task has changed
}

func placeOf(ctx context.Context, t *tx, handle string) (p place, err error) {
	done, err := t.ExecContext(ctx, `INSERT INTO task_texts (handle) VALUES ($1) ON CONFLICT (handle) DO NOTHING`, handle)
	if err != nil {
		return p, err
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		p.write = `INSERT OR REPLACE INTO task_words (rowid, words) VALUES ($1, $2)`
		return p, errors.Join(err, t.QueryRowContext(ctx, `SELECT id FROM task_texts WHERE handle = $1`, handle).Scan(&p.id))
	}
	p.write = `INSERT INTO task_words (rowid, words) VALUES ($1, $2)`
	p.id, err = done.LastInsertId()
	return p, err
}

// ownWords puts the owner before each word, shortened: where two owners are
// the same by that, the rows tell them apart.
func ownWords(owner string, words []string) []string {
	sum := sha256.Sum256([]byte(owner))
	prefix := hex.EncodeToString(sum[:5]) + "_"
	own := make([]string, len(words))
	for i, w := range words {
		own[i] = prefix + w
	}
	return own
}

// FindTasks implements bridge.Index. The ids rise with time, so both engines
// can stop at the limit.
func (db *DB) FindTasks(ctx context.Context, owner string, words []string, limit int) (found []bridge.TaskSummary, err error) {
	terms := ownWords(owner, words)
	query := `
		SELECT t.handle, t.agent, t.context_id, t.state, t.summary, t.created, t.updated
		FROM task_words JOIN task_texts i ON i.id = task_words.rowid JOIN tasks t ON t.handle = i.handle
		WHERE task_words MATCH $1 AND t.owner = $2 ORDER BY task_words.rowid DESC LIMIT $3`
	form, and, last := `"%s"`, " AND ", `"%s"*`
	if db.postgres {
		query = `
		SELECT t.handle, t.agent, t.context_id, t.state, t.summary, t.created, t.updated
		FROM task_words w JOIN tasks t ON t.handle = w.handle
		WHERE w.words @@ $1::tsquery AND t.owner = $2 ORDER BY w.id DESC LIMIT $3`
		form, and, last = `'%s'`, " & ", `'%s':*`
	}
	rows, err := db.read.QueryContext(ctx, query, match(terms, form, and, last), owner, limit)
	if err != nil {
		return nil, err
	}
	return scanSummaries(rows)
}

// match writes a query for all of the terms; the last may be the beginning of
// one. They have letters and digits only, so nothing has to be escaped.
func match(terms []string, form, and, last string) string {
	for i, w := range terms {
		if i == len(terms)-1 {
			form = last
		}
		terms[i] = fmt.Sprintf(form, w)
	}
	return strings.Join(terms, and)
}

// forget takes the tasks that old selects out of the index, and ends what is
// shared of them, before they are dropped.
func (db *DB) forget(ctx context.Context, t *tx, old string, args []any) error {
	statements := []string{`DELETE FROM task_words WHERE handle IN ` + old}
	if !db.postgres {
		statements = []string{
			`DELETE FROM task_words WHERE rowid IN (SELECT id FROM task_texts WHERE handle IN ` + old + `)`,
			`DELETE FROM task_texts WHERE handle IN ` + old,
		}
	}
	for _, s := range append(statements, `DELETE FROM shares WHERE handle IN `+old) {
		if _, err := t.ExecContext(ctx, s, args...); err != nil {
			return err
		}
	}
	return nil
}
