package ledgerdb

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"rialto/bridge/ledger"
	"rialto/store/sqldb"
)

var _ ledger.Index = (*Store)(nil)

// The engines index words differently: SQLite with FTS5, PostgreSQL with tsvector. In
// both, each word begins with its owner, so that a search only goes through the owner's
// tasks, however common its words are.

// indexBytes bounds what one transaction indexes, because writers wait meanwhile; one
// task may be larger.
const indexBytes = 256 << 10

// IndexTasks implements ledger.Index.
func (db *Store) IndexTasks(ctx context.Context, most int) (more bool, err error) {
	tasks, more := db.queue.take(most)
	now := time.Now()
	if until, look := db.queue.overdue(now); look && !more {
		var left []indexEntry
		left, more, err = unindexed(ctx, db.sql, until, most)
		if err != nil {
			return false, err
		}
		db.queue.polled(now, more)
		tasks = append(left, tasks...)
	}
	if len(tasks) == 0 {
		return false, nil
	}

	return more, db.sql.InTx(
		ctx, func(t *sqldb.Tx) error { return writeIndex(ctx, db.sql, t, tasks) },
	)
}

// indexEntry is a task for the index.
type indexEntry struct {
	handle, words string
	updated       time.Time
}

// newIndexEntry returns the words of a task as the index has them.
func newIndexEntry(e *ledger.Record) indexEntry {
	prefix := ownPrefix(e.Owner)
	words := ownWords(prefix, e.Words())
	if id := e.ContextID(); id != "" {
		words = append(words, contextWord(prefix, id))
	}
	return indexEntry{e.Handle, strings.Join(words, " "), e.Updated}
}

// unindexed returns tasks for the index that became idle until then, and whether there may be more.
func unindexed(
	ctx context.Context, db *sqldb.DB, until time.Time, most int,
) (tasks []indexEntry, more bool, err error) {
	rows, err := db.Read.QueryContext(ctx, `
		SELECT `+presentColumns+` FROM tasks WHERE handle IN (
			SELECT handle FROM tasks WHERE indexed = 0 AND settled = 1 AND updated <= $1
			ORDER BY updated LIMIT $2)
		ORDER BY updated`,
		until, most)
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
		tasks = append(tasks, newIndexEntry(e))
		left -= size
	}

	return tasks, left <= 0 || len(tasks) == most, sqldb.Classify(rows.Err())
}

// writeIndex writes tasks into the index, except those that have changed since they were read.
func writeIndex(ctx context.Context, db *sqldb.DB, t *sqldb.Tx, tasks []indexEntry) error {
	marked, err := markIndexed(ctx, db, t, tasks)
	if err != nil || len(marked) == 0 {
		return err
	}
	if !db.Postgres {
		return indexFTS(ctx, t, marked)
	}

	handles := make([]string, len(marked))
	words := make([]string, len(marked))
	for i, task := range marked {
		handles[i], words[i] = task.handle, task.words
	}

	return sqldb.Exec(ctx, t, `
		INSERT INTO task_words (handle, words)
		SELECT handle, array_to_tsvector(string_to_array(words, ' '))
		FROM unnest($1::text[], $2::text[]) AS new (handle, words)
		ON CONFLICT (handle) DO UPDATE SET words = excluded.words`,
		handles, words)
}

// markIndexed marks tasks as indexed, and returns those that were not and have not changed since
// they were read, the oldest first.
func markIndexed(
	ctx context.Context,
	db *sqldb.DB,
	t *sqldb.Tx,
	tasks []indexEntry,
) (marked []indexEntry, err error) {
	type version struct {
		handle  string
		updated int64
	}
	waiting := map[version]indexEntry{}
	var list [][2]any
	var handles []string
	var times []int64
	for _, task := range tasks {
		v := version{task.handle, task.updated.UnixMilli()}
		waiting[v] = task
		list = append(list, [2]any{v.handle, v.updated})
		handles = append(handles, v.handle)
		times = append(times, v.updated)
	}

	from := `unnest($1::text[], $2::bigint[]) AS read (handle, updated)`
	args := []any{handles, times}
	// Replicas that wait for each other's rows come to a deadlock.
	free := `
		AND tasks.handle = ANY (ARRAY(
			SELECT handle FROM tasks WHERE handle = ANY ($1) AND settled = 1
			FOR UPDATE SKIP LOCKED))`
	if !db.Postgres {
		text, err := json.Marshal(list)
		if err != nil {
			return nil, err
		}
		free = ``
		from = `(SELECT value ->> 0 AS handle, value ->> 1 AS updated FROM json_each($1)) AS read`
		args = []any{string(text)}
	}

	scan := func(r sqldb.Row) (v version, err error) {
		err = r.Scan(&v.handle, &v.updated)
		return v, err
	}
	noted, err := sqldb.Select(ctx, t, scan, `
		UPDATE tasks SET indexed = 1 FROM `+from+`
		WHERE tasks.handle = read.handle AND tasks.updated = read.updated
		AND tasks.settled = 1 AND tasks.indexed + 0 = 0`+free+`
		RETURNING tasks.handle, tasks.updated`,
		args...)
	for _, v := range noted {
		marked = append(marked, waiting[v])
	}

	slices.SortStableFunc(marked, func(a, b indexEntry) int { return a.updated.Compare(b.updated) })
	return marked, err
}

// indexFTS writes tasks into the index of SQLite. The words of a new task are inserted
// without a look for older ones.
func indexFTS(ctx context.Context, t *sqldb.Tx, tasks []indexEntry) error {
	handles := make([]string, len(tasks))
	for i, task := range tasks {
		handles[i] = task.handle
	}

	list, err := json.Marshal(handles)
	if err != nil {
		return err
	}

	var before int64
	err = t.QueryRowContext(ctx, `SELECT COALESCE(max(id), 0) FROM task_texts`).Scan(&before)
	if err != nil {
		return err
	}

	n, err := sqldb.Changed(ctx, t, `
		INSERT INTO task_texts (id, handle) SELECT $2 + key, value FROM json_each($1) WHERE true
		ON CONFLICT (handle) DO NOTHING`,
		string(list), before+1)
	if err != nil {
		return err
	}

	id := func(i int) int64 { return before + 1 + int64(i) }
	if n < int64(len(tasks)) {
		id, err = indexIDs(ctx, t, string(list))
		if err != nil {
			return err
		}
	}

	var added, replaced [][2]any
	for i, task := range tasks {
		into := &added
		if id(i) <= before {
			into = &replaced
		}
		*into = append(*into, [2]any{id(i), task.words})
	}

	if err := addWords(ctx, t, "INSERT", added); err != nil {
		return err
	}

	return addWords(ctx, t, "INSERT OR REPLACE", replaced)
}

// indexIDs returns the ids of tasks in the index, by their place in a JSON list.
func indexIDs(ctx context.Context, t *sqldb.Tx, list string) (func(int) int64, error) {
	ids, err := sqldb.Select(ctx, t, sqldb.Value[int64], `
		SELECT i.id FROM json_each($1) JOIN task_texts i ON i.handle = value ORDER BY key`,
		list)
	return func(i int) int64 { return ids[i] }, err
}

func addWords(ctx context.Context, t *sqldb.Tx, how string, list [][2]any) error {
	if len(list) == 0 {
		return nil
	}

	rows, err := json.Marshal(list)
	if err != nil {
		return err
	}

	return sqldb.Exec(ctx, t, how+`
		INTO task_words (rowid, words) SELECT value ->> 0, value ->> 1 FROM json_each($1)`,
		string(rows))
}

// ownPrefix is the beginning of each word of an owner's tasks. It is a shortened hash: if
// it is the same for two owners, the rows tell them apart.
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

// contextWord is the word of a conversation. No other word begins with "_": the others
// are letters and digits.
func contextWord(prefix, id string) string {
	sum := sha256.Sum256([]byte(id))
	return prefix + "_" + hex.EncodeToString(sum[:10])
}

// dropFromIndex deletes the tasks that old selects from the index, and their shares.
func dropFromIndex(ctx context.Context, db *sqldb.DB, t *sqldb.Tx, old string, args []any) error {
	statements := []string{`DELETE FROM task_words WHERE handle IN ` + old}
	if !db.Postgres {
		statements = []string{
			`DELETE FROM task_words
			WHERE rowid IN (SELECT id FROM task_texts WHERE handle IN ` + old + `)`,
			`DELETE FROM task_texts WHERE handle IN ` + old,
		}
	}

	return sqldb.ExecAll(ctx, t, args, append(statements, `DELETE FROM shares WHERE handle IN `+old)...)
}
