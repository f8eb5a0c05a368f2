package ledgerdb

import (
	"context"
	"database/sql"
	"errors"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/store/sqldb"
)

var _ operator.TaskStore = (*Store)(nil)

const summaryColumns = `t.handle, t.agent, t.context_id, t.state, t.asked, t.summary,
	t.created, t.updated, t.failure`

// Summaries implements ledger.Lists. The row values compare as the index sorts, so that a
// page deep in a long list costs no more than the first.
func (db *Store) Summaries(
	ctx context.Context, owner string, f ledger.Filter,
) ([]ledger.Summary, error) {
	done, err := db.reading(ctx, owner)
	if err != nil {
		return nil, err
	}
	defer done()
	l := &sqldb.Listing{}
	l.And("t.owner = ?", owner)
	order := l.After(filterTasks(l, f.Agent, f.State), "t.handle", f.After.Created, f.After.Handle)
	l.AndIfSet("t.created >= ?", f.Since)
	query := l.Text(`SELECT `+summaryColumns+` FROM tasks t`, order, f.Limit)
	return sqldb.Select(ctx, db.sql.Read, scanSummary, query, l.Args...)
}

func scanSummary(r sqldb.Row) (t ledger.Summary, err error) {
	var failure sql.NullString
	err = r.Scan(
		&t.TaskID,
		&t.Agent,
		&t.ContextID,
		&t.State,
		&t.Asked,
		&t.Message,
		&t.Created,
		&t.Updated,
		&failure,
	)
	_ = decodeJSON(failure, &t.Failure) // the summary of a damaged row says enough
	return t, err
}

// filterTasks adds the conditions of a list of tasks, and returns the column that sorts
// them. The conditions on the state also name the partial index that fits. Few tasks
// run: adding 0 keeps SQLite from looking for them by time among all others.
func filterTasks(l *sqldb.Listing, agent string, state a2a.State) (created string) {
	running := state == a2a.Submitted || state == a2a.Working
	created = "t.created"
	if running {
		created = "t.created + 0"
	}

	l.AndIfSet("t.agent = ?", agent)
	switch {
	case running:
		l.And("t.settled = 0 AND t.state = ?", string(state))
	case state == a2a.Completed:
		l.And("t.settled = 1 AND t.state = 'completed'")
	case state == a2a.Unknown:
		l.And("t.state = 'unknown'")
	case state != "":
		l.And("t.settled = 1 AND t.state <> 'completed' AND t.state = ?", string(state))
	}

	return created
}

// ListTasks implements operator.TaskStore.
func (db *Store) ListTasks(
	ctx context.Context, f operator.TaskFilter, page operator.Rows,
) ([]operator.Task, error) {
	done, err := db.reading(ctx, f.OwnerID)
	if err != nil {
		return nil, err
	}
	defer done()
	l := &sqldb.Listing{Reverse: page.Reverse}
	created := filterOperatorTasks(l, f)
	order := l.After(created, "t.handle", page.After.At, page.After.ID)
	return sqldb.SelectListing(ctx, db.sql, l, scanOperatorTask, `
		SELECT t.handle, t.owner, COALESCE(a.name, ''), t.client, t.agent, t.state, t.asked,
			t.summary, t.created, t.updated, t.failure
		FROM tasks t LEFT JOIN accounts a ON a.id = t.owner`,
		order, page.Limit)
}

func scanOperatorTask(r sqldb.Row) (t operator.Task, err error) {
	var failure sql.NullString
	err = r.Scan(
		&t.ID,
		&t.OwnerID,
		&t.Owner,
		&t.Client,
		&t.Agent,
		&t.State,
		&t.Asked,
		&t.Message,
		&t.Created,
		&t.Updated,
		&failure,
	)
	_ = decodeJSON(failure, &t.Failure) // the summary of a damaged row says enough
	return t, err
}

// CountTasks implements operator.TaskStore.
func (db *Store) CountTasks(ctx context.Context, f operator.TaskFilter, most int) (int, error) {
	done, err := db.reading(ctx, f.OwnerID)
	if err != nil {
		return 0, err
	}
	defer done()
	l := &sqldb.Listing{}
	filterOperatorTasks(l, f)
	return l.Count(ctx, db.sql, "tasks t", most)
}

// filterOperatorTasks adds the conditions of a filter, and returns the column that sorts. There is no index of
// the words of everybody's requests: the latest operator.MostSearched are read.
func filterOperatorTasks(l *sqldb.Listing, f operator.TaskFilter) (created string) {
	from := len(l.Where)
	l.AndIfSet("t.owner = ?", f.OwnerID)
	created = filterTasks(l, f.Agent, f.State)
	l.AndIfSet("t.created >= ?", f.Since)
	l.AndIfSet("t.created < ?", f.Until)
	if !f.Changed.IsZero() {
		created = "t.created + 0" // few tasks have changed, so their time finds them faster than the order
		l.And("t.updated >= ?", f.Changed)
	}
	if f.Text == "" {
		return created
	}

	latest := sqldb.Listing{Where: l.Where[from:], Args: l.Args}
	text := latest.Text(`
		SELECT t.handle, t.asked FROM tasks t`,
		created+` DESC`, operator.MostSearched)
	l.Args = latest.Args
	l.Where = l.Where[:from]
	l.And(`t.handle IN (
		SELECT handle FROM (` + text + `) AS latest
		WHERE lower(asked) LIKE ` + l.Arg(sqldb.Containing(f.Text)) + ` ESCAPE '\'
		OR handle = ` + l.Arg(f.Text) + `)`)
	return created
}

// AnyTask implements operator.TaskStore.
func (db *Store) AnyTask(ctx context.Context, handle string) (*ledger.Record, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	return orNoTask(scanRecord(db.sql.Read.QueryRowContext(ctx, `
		SELECT `+recordColumns+` FROM tasks WHERE handle = $1`,
		handle)))
}

// HasContext implements ledger.Lists. On SQLite an index of conversations would cost each
// task a page, because their IDs have no order. So conversations are words of the search
// writeIndex there, and tasks that it does not have yet are found by a small index.
func (db *Store) HasContext(
	ctx context.Context,
	owner, agent, contextID string,
) (has bool, err error) {
	done, err := db.reading(ctx, owner)
	if err != nil {
		return false, err
	}
	defer done()
	return db.hasContext(ctx, owner, agent, contextID)
}

func (db *Store) hasContext(
	ctx context.Context,
	owner, agent, contextID string,
) (has bool, err error) {
	query := `
		SELECT EXISTS (
			SELECT 1 FROM tasks
			WHERE owner = $1 AND agent = $2 AND context_id = $3 AND context_id <> '')`
	args := []any{owner, agent, contextID}
	if !db.sql.Postgres {
		query = `
		SELECT $3 <> '' AND (
			EXISTS (
				SELECT 1 FROM tasks
				WHERE ` + notIndexed + ` AND owner = $1 AND agent = $2 AND context_id = $3)
			OR EXISTS (
				SELECT 1 FROM task_words
					JOIN task_texts i ON i.id = task_words.rowid
					JOIN tasks t ON t.handle = i.handle
				WHERE task_words MATCH $4 AND t.owner = $1 AND t.agent = $2 AND t.context_id = $3))`
		args = append(args, `"`+contextWord(ownPrefix(owner), contextID)+`"`)
	}

	return has, db.sql.Read.QueryRowContext(ctx, query, args...).Scan(&has)
}

// notIndexed selects the tasks that the search index of SQLite does not have yet. It
// names all columns of tasks_index_queue that come before the owner.
const notIndexed = `indexed = 0 AND settled IN (0, 1)`

// ContextNamed implements ledger.Lists.
func (db *Store) ContextNamed(
	ctx context.Context,
	owner, agent, name string,
) (id string, err error) {
	done, err := db.reading(ctx, owner)
	if err != nil {
		return "", err
	}
	defer done()
	err = db.sql.Read.QueryRowContext(ctx, `
		SELECT context_id FROM tasks
		WHERE owner = $1 AND agent = $2 AND context_name = $3 AND context_name <> '' AND context_id <> ''
		ORDER BY created DESC, handle DESC LIMIT 1`,
		owner, agent, name).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	if has, err := db.hasContext(ctx, owner, agent, name); err != nil || !has {
		return "", err
	}

	return name, nil
}

// TaskNamed implements ledger.Lists.
func (db *Store) TaskNamed(
	ctx context.Context,
	owner, agent, name string,
) (handle string, err error) {
	done, err := db.reading(ctx, owner)
	if err != nil {
		return "", err
	}
	defer done()
	if name == "" {
		return "", ledger.ErrNoTask
	}

	err = db.sql.Read.QueryRowContext(ctx, `
		SELECT handle FROM tasks WHERE owner = $1 AND agent = $2 AND name = $3 AND name <> ''
		ORDER BY created DESC, handle DESC LIMIT 1`,
		owner, agent, name).Scan(&handle)
	return handle, sqldb.NoRow(err, ledger.ErrNoTask)
}

// pageConditions returns the conditions of all pages of a list; ofAgent is that on the agent.
func pageConditions(db *sqldb.DB, owner string, f ledger.PageQuery, ofAgent string) *sqldb.Listing {
	l := &sqldb.Listing{}
	ofOwner := "owner = ?"
	if f.ContextID != "" {
		ofOwner = "owner || '' = ?"
		ofAgent = "agent || '' = ?" // so that they are found by the conversation alone
		inConversation(db, l, owner, f.Agent, f.ContextID)
	}

	l.And(ofOwner, owner)
	l.AndIfSet(ofAgent, f.Agent)
	l.AndIfSet("state = ?", string(f.State))
	l.AndIfSet("updated >= ?", f.Since)
	return l
}

// inConversation adds the condition that tasks belong to a conversation, by the ID of the
// agent or the name of the owner. A condition with both would use neither's index.
func inConversation(db *sqldb.DB, l *sqldb.Listing, owner, agent, id string) {
	mine := `owner = ` + l.Arg(owner)
	called := l.Arg(id)
	if agent != "" {
		mine += ` AND agent = ` + l.Arg(agent)
	}

	named := `SELECT handle FROM tasks
		WHERE ` + mine + ` AND context_name = ` + called + ` AND context_name <> ''`
	if db.Postgres {
		l.And(`handle = ANY (ARRAY(
			SELECT handle FROM tasks WHERE ` + mine + ` AND context_id = ` + called + ` AND context_id <> ''
			UNION ` + named + `))`)
		return
	}

	word := l.Arg(`"` + contextWord(ownPrefix(owner), id) + `"`) // see HasContext
	l.And(`handle IN (
		SELECT handle FROM tasks WHERE ` + notIndexed + ` AND ` + mine + ` AND context_id = ` + called + `
		UNION SELECT i.handle FROM task_words JOIN task_texts i ON i.id = task_words.rowid
			WHERE task_words MATCH ` + word + `
		UNION ` + named + `)`)
	l.And(called + ` IN (context_id, context_name)`) // a word is a shortened hash of the ID
}

// Page implements ledger.Lists. One index has all columns that are counted, and sorts what
// is listed, so that tasks of other pages are not read.
func (db *Store) Page(ctx context.Context, owner string, f ledger.PageQuery) (*ledger.Page, error) {
	done, err := db.reading(ctx, owner)
	if err != nil {
		return nil, err
	}
	defer done()
	ofAgent := "agent = ?"
	count := pageConditions(db.sql, owner, f, ofAgent)
	if !db.sql.Postgres { // SQLite would use the index of agents and sort all its rows
		ofAgent = "agent || '' = ?"
	}

	l := pageConditions(db.sql, owner, f, ofAgent)
	p := &ledger.Page{}
	err = db.sql.Read.QueryRowContext(ctx, `
		SELECT count(*) FROM tasks`+count.Conditions(),
		count.Args...).Scan(&p.Total)
	if err != nil {
		return nil, err
	}

	order := l.After("updated", "handle", f.After.Created, f.After.Handle)
	query := l.Text(`SELECT `+presentColumns+` FROM tasks`, order, f.Limit+1)
	rows, err := db.sql.Read.QueryContext(ctx, query, l.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for bytes := 0; rows.Next(); {
		p.More = len(p.Records) == f.Limit
		if p.More {
			break
		}
		e, size, err := scanSized(rows)
		if err != nil {
			return nil, err
		}
		bytes += size
		p.More = bytes > f.MaxBytes && len(p.Records) > 0
		if p.More {
			break
		}
		p.Records = append(p.Records, e)
	}

	return p, sqldb.Classify(rows.Err())
}
