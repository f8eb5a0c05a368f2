package ledgerdb

import (
	"cmp"
	"context"
	"slices"
	"time"

	"rialto/internal/dberr"
	"rialto/store/sqldb"
)

// insertQueue inserts the tasks that have ended on PostgreSQL. Those that are added while a statement
// runs share the next one: to insert them one by one takes a commit and a round trip for each.
type insertQueue struct {
	waiting    sqldb.Waiters[*insertion]
	statements [insertBatch + 1]string // by their tasks; of run
}

type insertion struct {
	row  *taskRow
	done chan error
}

// insertTimeout bounds one statement.
const insertTimeout = 30 * time.Second

// add returns when the database has the task. A task whose statement has not begun when ctx ends is not
// inserted.
func (q *insertQueue) add(ctx context.Context, db *sqldb.DB, row *taskRow) error {
	in := &insertion{row: row, done: make(chan error, 1)}
	if err := q.waiting.Enter(in, func() { q.run(db) }); err != nil {
		return err
	}
	select {
	case err := <-in.done:
		return err
	case <-ctx.Done():
		q.waiting.Leave(in)
		return sqldb.Classify(ctx.Err())
	}
}

// run inserts until no insertion waits, in the order of owners: their logs of events are locked in this
// order, so that replicas do not come to a deadlock.
func (q *insertQueue) run(db *sqldb.DB) {
	for !q.waiting.Idle() {
		batch := q.waiting.Take(insertBatch)
		if len(batch) == 0 {
			continue // all have left
		}
		slices.SortStableFunc(batch, func(a, b *insertion) int {
			return cmp.Compare(a.row.Owner, b.row.Owner)
		})

		err := q.insert(db, batch)
		_, away := dberr.As(err)
		alone := !away || sqldb.HasCode(err, "40P01") // one of them is wrong, or they are in a deadlock
		if err != nil && alone && len(batch) > 1 {
			for _, in := range batch {
				in.done <- q.insert(db, []*insertion{in})
			}
			continue
		}
		for _, in := range batch {
			in.done <- err
		}
	}
}

// insert inserts a batch in one statement.
func (q *insertQueue) insert(db *sqldb.DB, batch []*insertion) error {
	n := len(batch)
	if q.statements[n] == "" {
		q.statements[n] = addIdle(db, n)
	}
	ctx, cancel := context.WithTimeout(context.Background(), insertTimeout)
	defer cancel()
	args := make([]any, 0, n*rowColumns)
	for _, in := range batch {
		args = in.row.values(args)
	}
	_, err := db.Write.ExecContext(ctx, q.statements[n], args...)
	return err
}
