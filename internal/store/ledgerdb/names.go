package ledgerdb

import (
	"context"
	"database/sql"
	"errors"

	"rialto/bridge/ledger"

	"rialto/internal/store/sqldb"
)

// HasContext implements ledger.Lists. An index of conversations would cost each
// task a page of SQLite's, since their ids are of no order; so they are words of
// the index of tasks there, and those that it does not have yet have a small one.
func (db *Store) HasContext(ctx context.Context, owner, agent, contextID string) (has bool, err error) {
	if err := db.flush(ctx); err != nil {
		return false, err
	}
	query, args := `SELECT EXISTS (SELECT 1 FROM tasks WHERE owner = $1 AND agent = $2 AND context_id = $3 AND context_id <> '')`, []any{owner, agent, contextID}
	if !db.sql.Postgres {
		query = `
		SELECT $3 <> '' AND (
			EXISTS (SELECT 1 FROM tasks WHERE ` + wordless + ` AND owner = $1 AND agent = $2 AND context_id = $3)
			OR EXISTS (
				SELECT 1 FROM task_words JOIN task_texts i ON i.id = task_words.rowid JOIN tasks t ON t.handle = i.handle
				WHERE task_words MATCH $4 AND t.owner = $1 AND t.agent = $2 AND t.context_id = $3))`
		args = append(args, `"`+contextWord(ownPrefix(owner), contextID)+`"`)
	}
	return has, db.sql.Read.QueryRowContext(ctx, query, args...).Scan(&has)
}

// wordless selects the tasks that the search index of SQLite does not have yet. It names
// all columns of tasks_index_queue that come before the owner.
const wordless = `indexed = 0 AND settled IN (0, 1)`

// ContextNamed implements ledger.Lists.
func (db *Store) ContextNamed(ctx context.Context, owner, agent, name string) (id string, err error) {
	if err := db.flush(ctx); err != nil {
		return "", err
	}
	err = db.sql.Read.QueryRowContext(ctx, `
		SELECT context_id FROM tasks WHERE owner = $1 AND agent = $2 AND context_name = $3 AND context_name <> '' AND context_id <> ''
		ORDER BY created DESC, handle DESC LIMIT 1`, owner, agent, name).Scan(&id)
	if !errors.Is(err, sql.ErrNoRows) {
		return id, err
	}
	if has, err := db.HasContext(ctx, owner, agent, name); err != nil || !has {
		return "", err
	}
	return name, nil
}

// TaskNamed implements ledger.Lists.
func (db *Store) TaskNamed(ctx context.Context, owner, agent, name string) (handle string, err error) {
	if err := db.flush(ctx); err != nil {
		return "", err
	}
	if name == "" {
		return "", ledger.ErrNoTask
	}
	err = db.sql.Read.QueryRowContext(ctx, `
		SELECT handle FROM tasks WHERE owner = $1 AND agent = $2 AND name = $3 AND name <> ''
		ORDER BY created DESC, handle DESC LIMIT 1`, owner, agent, name).Scan(&handle)
	if errors.Is(err, sql.ErrNoRows) {
		return "", ledger.ErrNoTask
	}
	return handle, err
}

// ofPage chooses the tasks of a page, on whichever page they are, and by its condition
// those of an agent.
func (db *Store) ofPage(owner string, f ledger.PageQuery, ofAgent string) *sqldb.Listing {
	l := &sqldb.Listing{}
	ofOwner := "owner = ?"
	if f.ContextID != "" {
		ofOwner, ofAgent = "owner || '' = ?", "agent || '' = ?" // by the conversation alone they are found
		db.inConversation(l, owner, f.Agent, f.ContextID)
	}
	l.And(ofOwner, owner)
	l.Given(ofAgent, f.Agent)
	l.Given("state = ?", string(f.State))
	if !f.Since.IsZero() {
		l.And("updated >= ?", sqldb.Millis(f.Since))
	}
	return l
}

// inConversation adds that only tasks are listed of a conversation that the agent or the
// owner calls so. A condition with both names would find neither's index.
func (db *Store) inConversation(l *sqldb.Listing, owner, agent, id string) {
	mine, called := `owner = `+l.Arg(owner), l.Arg(id)
	if agent != "" {
		mine += ` AND agent = ` + l.Arg(agent)
	}
	named := `SELECT handle FROM tasks WHERE ` + mine + ` AND context_name = ` + called + ` AND context_name <> ''`
	if db.sql.Postgres {
		l.And(`handle = ANY (ARRAY(SELECT handle FROM tasks WHERE ` + mine + ` AND context_id = ` + called + ` AND context_id <> '' UNION ` + named + `))`)
		return
	}
	word := l.Arg(`"` + contextWord(ownPrefix(owner), id) + `"`) // see HasContext
	l.And(`handle IN (SELECT handle FROM tasks WHERE ` + wordless + ` AND ` + mine + ` AND context_id = ` + called + `
		UNION SELECT i.handle FROM task_words JOIN task_texts i ON i.id = task_words.rowid WHERE task_words MATCH ` + word + `
		UNION ` + named + `)`)
	l.And(called + ` IN (context_id, context_name)`) // a word is shorter than an id
}

// Page implements ledger.Lists. An index has all that is counted, and sorts what is
// listed, so that of tasks that are on other pages nothing else is read.
func (db *Store) Page(ctx context.Context, owner string, f ledger.PageQuery) (*ledger.Page, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	count, l := db.ofPage(owner, f, "agent = ?"), db.ofPage(owner, f, "agent = ?")
	if !db.sql.Postgres { // SQLite would take the index of agents, and sort all that one has
		l = db.ofPage(owner, f, "agent || '' = ?")
	}
	p := &ledger.Page{}
	if err := db.sql.Read.QueryRowContext(ctx, `SELECT count(*) FROM tasks`+count.Conditions(), count.Args...).Scan(&p.Total); err != nil {
		return nil, err
	}
	l.After("updated, handle", f.After.Created, f.After.Handle)
	rows, err := db.sql.Read.QueryContext(ctx, l.Text(`SELECT `+presentColumns+` FROM tasks`, `updated DESC, handle DESC`, f.Limit+1), l.Args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for bytes := 0; rows.Next(); {
		if p.More = len(p.Records) == f.Limit || bytes > f.MaxBytes; p.More {
			break
		}
		e, size, err := scanSized(rows)
		if err != nil {
			return nil, err
		}
		p.Records = append(p.Records, e)
		bytes += size
	}
	return p, rows.Err()
}
