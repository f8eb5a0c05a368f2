package ledgerdb

import (
	"context"
	"database/sql"
	"errors"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"

	"rialto/internal/store/sqldb"
)

var _ operator.TaskStore = (*Store)(nil)

// ListTasks implements operator.TaskStore.
func (db *Store) ListTasks(ctx context.Context, f operator.TaskFilter, page operator.Rows) ([]operator.Task, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	l := &sqldb.Listing{}
	l.Given("t.owner = ?", f.OwnerID)
	created := listTasks(l, page.After, f.Agent, f.State)
	if !f.Since.IsZero() {
		l.And("t.created >= ?", sqldb.Millis(f.Since))
	}
	if !f.Until.IsZero() {
		l.And("t.created < ?", sqldb.Millis(f.Until))
	}
	rows, err := l.Query(ctx, db.sql, `SELECT t.handle, t.owner, COALESCE(a.name, ''), t.client, t.agent, t.state, t.summary, t.created, t.updated
		FROM tasks t LEFT JOIN accounts a ON a.id = t.owner`, created+` DESC, t.handle DESC`, page.Limit)
	return sqldb.Collect(rows, err, func(r *sql.Rows) (t operator.Task, err error) {
		var created, updated int64
		err = r.Scan(&t.ID, &t.OwnerID, &t.Owner, &t.Client, &t.Agent, &t.State, &t.Message, &created, &updated)
		t.Created, t.Updated = sqldb.Time(created), sqldb.Time(updated)
		return t, err
	})
}

// tasks adds which tasks are listed, and returns the column that sorts them. What
// the conditions on the state say besides it names the partial index that fits.
// The tasks that run are few: adding 0 keeps SQLite from looking for them in the
// order of time, among all the others.
func listTasks(l *sqldb.Listing, after operator.Mark, agent string, state a2a.State) (created string) {
	running := state == a2a.Submitted || state == a2a.Working
	created = "t.created"
	if running {
		created = "t.created + 0"
	}
	l.After(created+", t.handle", after.At, after.ID)
	l.Given("t.agent = ?", agent)
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

// AnyTask implements operator.TaskStore.
func (db *Store) AnyTask(ctx context.Context, handle string) (*ledger.Record, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	e, err := scanEntry(db.sql.Read.QueryRowContext(ctx, `SELECT `+entryColumns+` FROM tasks WHERE handle = $1`, handle))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ledger.ErrNoTask
	}
	return e, err
}
