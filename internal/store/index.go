package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"strings"

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

// IndexTasks implements bridge.Index.
func (db *DB) IndexTasks(ctx context.Context, most int) (int, error) {
	rows, err := db.read.QueryContext(ctx, `SELECT `+entryColumns+` FROM tasks WHERE settled = 1 AND indexed = 0 ORDER BY updated LIMIT $1`, most)
	if err != nil {
		return 0, err
	}
	entries, err := scanEntries(rows)
	if err != nil || len(entries) == 0 {
		return 0, err
	}
	return len(entries), db.inTx(ctx, func(t *tx) error {
		for _, e := range entries {
			if err := db.index(ctx, t, e); err != nil {
				return fmt.Errorf("task %s: %w", e.Handle, err)
			}
		}
		return nil
	})
}

// index writes one task into the index, unless it has changed since it was
// read.
func (db *DB) index(ctx context.Context, t *tx, e *bridge.Entry) error {
	n, err := changed(ctx, t, `UPDATE tasks SET indexed = 1 WHERE handle = $1 AND settled = 1 AND updated = $2`, e.Handle, e.Updated.UnixMilli())
	if err != nil || n == 0 {
		return err
	}
	words := strings.Join(ownWords(e.Owner, e.Words()), " ")
	if db.postgres {
		_, err = t.ExecContext(ctx, `
			INSERT INTO task_words (handle, words) VALUES ($1, array_to_tsvector(string_to_array($2, ' ')))
			ON CONFLICT (handle) DO UPDATE SET words = excluded.words`, e.Handle, words)
		return err
	}
	var id int64
	row := t.QueryRowContext(ctx, `INSERT INTO task_texts (handle) VALUES ($1) ON CONFLICT (handle) DO UPDATE SET handle = excluded.handle RETURNING id`, e.Handle)
	if err := row.Scan(&id); err != nil {
		return err
	}
	_, err = t.ExecContext(ctx, `INSERT OR REPLACE INTO task_words (rowid, words) VALUES ($1, $2)`, id, words)
	return err
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

// forget takes the tasks that old selects out of the index, before they are
// dropped.
func (db *DB) forget(ctx context.Context, t *tx, old string, args []any) error {
	statements := []string{`DELETE FROM task_words WHERE handle IN ` + old}
	if !db.postgres {
		statements = []string{
			`DELETE FROM task_words WHERE rowid IN (SELECT id FROM task_texts WHERE handle IN ` + old + `)`,
			`DELETE FROM task_texts WHERE handle IN ` + old,
		}
	}
	for _, s := range statements {
		if _, err := t.ExecContext(ctx, s, args...); err != nil {
			return err
		}
	}
	return nil
}
