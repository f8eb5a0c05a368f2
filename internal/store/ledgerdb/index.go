package ledgerdb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"rialto/bridge/ledger"

	"rialto/internal/store/sqldb"
)

var _ ledger.Index = (*Store)(nil)

// The index of what tasks hold is the one thing that the engines do each in
// their own way: SQLite with FTS5, PostgreSQL with tsvector. In both, each word
// begins with whose it is, so that a search walks through the owner's tasks
// only, however common its words are.

// indexBytes bounds what is indexed at a time, for the ledger waits meanwhile, but
// for a task that is larger by itself.
const indexBytes = 256 << 10

// IndexTasks implements ledger.Index. What settled here is at hand; the ledger is
// asked for what is left over.
func (db *Store) IndexTasks(ctx context.Context, most int) (more bool, err error) {
	tasks, more := db.queue.take(most)
	now := time.Now()
	if until, look := db.queue.leftOver(now); look && !more {
		var left []indexed
		if left, more, err = db.unindexed(ctx, until, most); err != nil {
			return false, err
		}
		db.queue.looked(now, more)
		tasks = append(left, tasks...)
	}
	if len(tasks) == 0 {
		return false, nil
	}
	return more, db.sql.InTx(ctx, func(t *sqldb.Tx) error { return db.index(ctx, t, tasks) })
}

// indexed is a task for the index.
type indexed struct {
	handle, words string
	updated       time.Time
}

// toIndex returns what the index is to have of a task.
func toIndex(e *ledger.Record) indexed {
	prefix := ownPrefix(e.Owner)
	words := ownWords(prefix, e.Words())
	if id := e.ContextID(); id != "" {
		words = append(words, contextWord(prefix, id))
	}
	return indexed{e.Handle, strings.Join(words, " "), e.Updated}
}

// unindexed returns tasks for the index that settled until then, and whether there
// may be more of them, of which the next pass looks again.
func (db *Store) unindexed(ctx context.Context, until time.Time, most int) (tasks []indexed, more bool, err error) {
	rows, err := db.sql.Read.QueryContext(ctx, `SELECT `+presentColumns+` FROM tasks WHERE handle IN (
		SELECT handle FROM tasks WHERE indexed = 0 AND settled = 1 AND updated <= $1 ORDER BY updated LIMIT $2) ORDER BY updated`, until.UnixMilli(), most)
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
// were read, all of them with one statement for each step.
func (db *Store) index(ctx context.Context, t *sqldb.Tx, tasks []indexed) error {
	marked, err := db.mark(ctx, t, tasks)
	if err != nil || len(marked) == 0 {
		return err
	}
	if !db.sql.Postgres {
		return indexFTS(ctx, t, marked)
	}
	handles, words := make([]string, len(marked)), make([]string, len(marked))
	for i, task := range marked {
		handles[i], words[i] = task.handle, task.words
	}
	_, err = t.ExecContext(ctx, `
		INSERT INTO task_words (handle, words)
		SELECT handle, array_to_tsvector(string_to_array(words, ' ')) FROM unnest($1::text[], $2::text[]) AS new (handle, words)
		ON CONFLICT (handle) DO UPDATE SET words = excluded.words`, handles, words)
	return err
}

// mark notes of tasks that they are in the index, and returns those of which it
// was not noted before and that are as they were read, the first that settled first.
func (db *Store) mark(ctx context.Context, t *sqldb.Tx, tasks []indexed) (marked []indexed, err error) {
	type version struct {
		handle  string
		updated int64
	}
	waiting := map[version]indexed{}
	var list [][2]any
	var handles []string
	var times []int64
	for _, task := range tasks {
		v := version{task.handle, task.updated.UnixMilli()}
		waiting[v] = task
		list, handles, times = append(list, [2]any{v.handle, v.updated}), append(handles, v.handle), append(times, v.updated)
	}
	from, args := `unnest($1::text[], $2::bigint[]) AS read (handle, updated)`, []any{handles, times}
	// Replicas that wait for each other's rows come to a deadlock.
	free := ` AND tasks.handle = ANY (ARRAY(SELECT handle FROM tasks WHERE handle = ANY ($1) AND settled = 1 FOR UPDATE SKIP LOCKED))`
	if !db.sql.Postgres {
		free = ``
		text, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		from, args = `(SELECT value ->> 0 AS handle, value ->> 1 AS updated FROM json_each($1)) AS read`, []any{string(text)}
	}
	rows, err := t.QueryContext(ctx, `
		UPDATE tasks SET indexed = 1 FROM `+from+`
		WHERE tasks.handle = read.handle AND tasks.updated = read.updated AND tasks.settled = 1 AND tasks.indexed + 0 = 0`+free+`
		RETURNING tasks.handle, tasks.updated`, args...)
	noted, err := sqldb.Collect(rows, err, func(r *sql.Rows) (v version, err error) { return v, r.Scan(&v.handle, &v.updated) })
	for _, v := range noted {
		marked = append(marked, waiting[v])
	}
	slices.SortStableFunc(marked, func(a, b indexed) int { return a.updated.Compare(b.updated) })
	return marked, err
}

// indexFTS writes tasks into the index of SQLite. There is no need to look for the
// words of a new task; its place in the index is after all others.
func indexFTS(ctx context.Context, t *sqldb.Tx, tasks []indexed) error {
	handles := make([]string, len(tasks))
	for i, task := range tasks {
		handles[i] = task.handle
	}
	list, err := json.Marshal(handles)
	if err != nil {
		return err
	}
	var before int64
	if err := t.QueryRowContext(ctx, `SELECT COALESCE(max(id), 0) FROM task_texts`).Scan(&before); err != nil {
		return err
	}
	if _, err := t.ExecContext(ctx, `INSERT INTO task_texts (handle) SELECT value FROM json_each($1) WHERE true ON CONFLICT (handle) DO NOTHING`, string(list)); err != nil {
		return err
	}
	rows, err := t.QueryContext(ctx, `SELECT id, handle FROM task_texts WHERE handle IN (SELECT value FROM json_each($1))`, string(list))
	type place struct {
		id     int64
		handle string
	}
	places, err := sqldb.Collect(rows, err, func(r *sql.Rows) (p place, err error) { return p, r.Scan(&p.id, &p.handle) })
	if err != nil {
		return err
	}
	id := map[string]int64{}
	for _, p := range places {
		id[p.handle] = p.id
	}
	var added, replaced [][2]any
	for _, task := range tasks {
		into := &added
		if id[task.handle] <= before {
			into = &replaced
		}
		*into = append(*into, [2]any{id[task.handle], task.words})
	}
	for how, list := range map[string][][2]any{"INSERT": added, "INSERT OR REPLACE": replaced} {
		if err := addWords(ctx, t, how, list); err != nil {
			return err
		}
	}
	return nil
}

func addWords(ctx context.Context, t *sqldb.Tx, how string, list [][2]any) error {
	if len(list) == 0 {
		return nil
	}
	rows, err := json.Marshal(list)
	if err != nil {
		return err
	}
	_, err = t.ExecContext(ctx, how+` INTO task_words (rowid, words) SELECT value ->> 0, value ->> 1 FROM json_each($1)`, string(rows))
	return err
}

// ownPrefix is what each word of an owner's tasks begins with, shortened: where two
// owners are the same by that, the rows tell them apart.
func ownPrefix(owner string) string {
	sum := sha256.Sum256([]byte(owner))
	return hex.EncodeToString(sum[:5]) + "_"
}

func ownWords(prefix string, words []string) []string {
	own := make([]string, len(words), len(words)+1)
	for i, w := range words {
		own[i] = prefix + w
	}
	return own
}

// contextWord is the word of a conversation. It begins as no other word does:
// those are letters and digits.
func contextWord(prefix, id string) string {
	sum := sha256.Sum256([]byte(id))
	return prefix + "_" + hex.EncodeToString(sum[:10])
}

// forget takes the tasks that old selects out of the index, and ends what is
// shared of them.
func (db *Store) forget(ctx context.Context, t *sqldb.Tx, old string, args []any) error {
	statements := []string{`DELETE FROM task_words WHERE handle IN ` + old}
	if !db.sql.Postgres {
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
