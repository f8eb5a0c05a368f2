package ledgerdb

import (
	"context"
	"strings"
	"unicode"

	"rialto/bridge/ledger"
	"rialto/store/sqldb"
)

// FindTasks implements ledger.Index. Its cost depends on the limit, not on the number of tasks.
func (db *Store) FindTasks(
	ctx context.Context,
	owner string,
	words []string,
	limit int,
) ([]ledger.Summary, error) {
	if len(words) == 0 {
		return nil, nil
	}

	done, err := db.reading(ctx, owner)
	if err != nil {
		return nil, err
	}
	defer done()
	terms := ownWords(ownPrefix(owner), words)
	if db.sql.Postgres {
		return findVector(ctx, db.sql, owner, terms, limit)
	}

	return findFTS(ctx, db.sql, owner, terms, limit)
}

// How SQLite finds tasks by the beginning of a word. For one word, or one of several, it
// goes through the tasks from the latest on and stops at the limit. For a beginning it
// first has to put all their tasks together. So the query lists the words themselves: all
// of a few, or the first of many. In a short ledger none is left out.
const (
	maxCompletions = 64
	shortLedger    = 10_000 // tasks
)

// findFTS searches the index of SQLite. The ids rise with time. Each word of the index is
// found by seeking the one after the one before: all characters of words come after "!".
func findFTS(
	ctx context.Context,
	db *sqldb.DB,
	owner string,
	terms []string,
	limit int,
) ([]ledger.Summary, error) {
	last := len(terms) - 1
	var all strings.Builder
	for _, term := range terms[:last] {
		all.WriteString(`"` + term + `" AND `)
	}

	return sqldb.Select(ctx, db.Read, scanSummary, findWords,
		terms[last], terms[last]+string(unicode.MaxRune), maxCompletions, owner, shortLedger,
		all.String(), limit)
}

const findWords = `
	WITH RECURSIVE completion (term) AS (
		SELECT (SELECT term FROM task_vocabulary WHERE term >= $1 AND term < $2 LIMIT 1)
		UNION ALL
		SELECT (
			SELECT term FROM task_vocabulary
			WHERE term >= completion.term || '!' AND term < $2 LIMIT 1)
		FROM completion WHERE completion.term IS NOT NULL LIMIT $3
	)
	SELECT ` + summaryColumns + `
	FROM task_words
		JOIN task_texts i ON i.id = task_words.rowid
		JOIN tasks t ON t.handle = i.handle
	WHERE task_words MATCH (
		SELECT CASE
			WHEN count(*) = $3
				AND (SELECT count(*) FROM (SELECT 1 FROM tasks WHERE owner = $4 LIMIT $5)) < $5
			THEN $6 || '"' || $1 || '"*'
			ELSE $6 || coalesce(
				'(' || group_concat('"' || term || '"', ' OR ') || ')', '"' || $1 || '"')
		END
		FROM completion WHERE term IS NOT NULL
	) AND t.owner = $4 ORDER BY task_words.rowid DESC LIMIT $7`

// maxLatest is how many of an owner's tasks PostgreSQL looks at one by one.
const maxLatest = 5000

// findVector searches the index of PostgreSQL, which returns all tasks that have the words
// in no order. That is quick if they are few. If they are many, enough of them are among
// the latest tasks, which are looked at first, one by one.
func findVector(
	ctx context.Context,
	db *sqldb.DB,
	owner string,
	terms []string,
	limit int,
) ([]ledger.Summary, error) {
	query := "'" + strings.Join(terms, "' & '") + "':*"
	found, err := sqldb.Select(ctx, db.Read, scanSummary, `
		SELECT `+summaryColumns+`
		FROM (SELECT * FROM tasks WHERE owner = $2 ORDER BY created DESC, handle DESC LIMIT $4) t
		CROSS JOIN LATERAL (
			SELECT 1 FROM task_words w
			WHERE w.handle = t.handle AND w.words @@ $1::tsquery OFFSET 0) w
		ORDER BY t.created DESC, t.handle DESC LIMIT $3`,
		query, owner, limit, maxLatest)
	if err != nil || len(found) == limit {
		return found, err
	}
	return sqldb.Select(ctx, db.Read, scanSummary, `
		WITH found AS MATERIALIZED (SELECT id, handle FROM task_words WHERE words @@ $1::tsquery)
		SELECT `+summaryColumns+`
		FROM (SELECT * FROM found ORDER BY id DESC LIMIT $3) w JOIN tasks t ON t.handle = w.handle
		WHERE t.owner = $2 ORDER BY w.id DESC`,
		query, owner, limit)
}
