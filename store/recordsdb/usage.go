package recordsdb

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"rialto/internal/usage"
	"rialto/store/sqldb"
)

var _ usage.Store = (*Store)(nil)

// insertBatch is how many rows one statement adds: a statement for each costs three times as much.
const insertBatch = 20

const callColumns = 13

// insertCalls adds n calls, those that are not there. SQLite copies pages before ON CONFLICT
// changes them, which takes a fifth of the time, and none for INSERT OR IGNORE.
func (db *Store) insertCalls(n int) string {
	insert := "INSERT OR IGNORE"
	ignore := ""
	if db.sql.Postgres {
		insert = "INSERT"
		ignore = " ON CONFLICT DO NOTHING"
	}
	return insert + ` INTO usage_calls (
			at, id, user_id, client, usecase, door, tool, agent, millis, bytes_in, bytes_out, outcome, task
		) VALUES ` + db.sql.Rows(n, callColumns, "") + ignore
}

// errSomeStored says that a statement added some of its calls, and not which.
var errSomeStored = errors.New("some of the calls are stored already")

// AddCalls implements usage.Store. Calls of which some are stored are added one by one: RETURNING
// would tell which were added, but doubles the time of the statement in SQLite.
func (db *Store) AddCalls(ctx context.Context, calls []usage.Record) error {
	err := db.addCalls(ctx, calls, insertBatch)
	if errors.Is(err, errSomeStored) {
		return db.addCalls(ctx, calls, 1)
	}
	return err
}

func (db *Store) addCalls(ctx context.Context, calls []usage.Record, each int) error {
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		added := make([]usage.Record, 0, len(calls))
		for chunk := range slices.Chunk(calls, each) {
			n, err := sqldb.Changed(ctx, t, db.insertCalls(len(chunk)), callValues(chunk)...)
			switch {
			case err != nil:
				return err
			case n == int64(len(chunk)):
				added = append(added, chunk...)
			case n > 0:
				return errSomeStored
			}
		}
		return db.addTallies(ctx, t, added)
	})
}

func callValues(calls []usage.Record) []any {
	values := make([]any, 0, len(calls)*callColumns)
	for _, c := range calls {
		values = append(
			values,
			c.At,
			c.ID,
			c.UserID,
			c.Client,
			c.UseCase,
			c.Door,
			c.Tool,
			c.Agent,
			c.Millis,
			c.BytesIn,
			c.BytesOut,
			string(c.Outcome),
			c.Task,
		)
	}
	return values
}

// sumKey is the key of a row of sums.
type sumKey struct {
	table, dimension, key string
	at                    int64
}

func (k sumKey) compare(other sumKey) int {
	return cmp.Or(
		cmp.Compare(k.table, other.table),
		cmp.Compare(k.dimension, other.dimension),
		cmp.Compare(k.key, other.key),
		cmp.Compare(k.at, other.at),
	)
}

const (
	hourMillis = int64(time.Hour / time.Millisecond)
	dayMillis  = 24 * hourMillis

	hours = "usage_hours"
	days  = "usage_days"
)

// sum sums calls, so that many calls change few rows.
func sum(calls []usage.Record) map[sumKey]*usage.Tally {
	sums := map[sumKey]*usage.Tally{}
	for _, c := range calls {
		at := c.At.UnixMilli()
		keys := [...][2]string{
			{"", ""},
			{"agent", c.Agent},
			{"tool", c.Tool},
			{"usecase", c.UseCase},
			{"client", c.Client},
			{"user_id", c.UserID},
		}
		for _, dimension := range keys {
			for _, k := range [...]sumKey{
				{hours, dimension[0], dimension[1], at - at%hourMillis},
				{days, dimension[0], dimension[1], at - at%dayMillis},
			} {
				if sums[k] == nil {
					sums[k] = &usage.Tally{}
				}
				sums[k].Add(c)
			}
		}
	}
	return sums
}

// sumColumns are the columns that are summed.
var sumColumns = func() []string {
	columns := []string{
		"calls",
		"errors",
		"bytes_in",
		"bytes_out",
		"millis",
	}
	for i := range usage.Buckets {
		columns = append(columns, fmt.Sprint("b", i))
	}
	return columns
}()

// addSums adds n rows to those of a table.
func (db *Store) addSums(table string, n int) string {
	var set []string
	for _, c := range sumColumns {
		set = append(set, c+" = "+table+"."+c+" + excluded."+c)
	}
	return `
		INSERT INTO ` + table + ` (dimension, key, at, ` + strings.Join(sumColumns, ", ") + `)
		VALUES ` + db.sql.Rows(n, 3+len(sumColumns), "") + `
		ON CONFLICT (dimension, key, at) DO UPDATE SET ` + strings.Join(set, ", ")
}

// addTallies adds calls to the sums.
func (db *Store) addTallies(ctx context.Context, t *sqldb.Tx, calls []usage.Record) error {
	sums := sum(calls)
	keys := slices.SortedFunc(maps.Keys(sums), sumKey.compare) // replicas take the rows in one order
	for _, table := range []string{days, hours} {
		of := slices.DeleteFunc(slices.Clone(keys), func(k sumKey) bool { return k.table != table })
		for chunk := range slices.Chunk(of, insertBatch) {
			var args []any
			for _, k := range chunk {
				args = append(append(args, k.dimension, k.key, k.at), sumsOf(sums[k])...)
			}
			if _, err := t.ExecContext(ctx, db.addSums(table, len(chunk)), args...); err != nil {
				return err
			}
		}
	}

	return nil
}

// sumsOf returns where the members of a tally are that sumColumns hold, to be scanned or written.
func sumsOf(t *usage.Tally) []any {
	all := []any{&t.Calls, &t.Errors, &t.BytesIn, &t.BytesOut, &t.Millis}
	for i := range t.Counts {
		all = append(all, &t.Counts[i])
	}
	return all
}

// selectTime adds the condition of a filter's time.
func selectTime(l *sqldb.Listing, f usage.Filter) {
	l.AndIfSet(`at >= ?`, f.Since)
	l.AndIfSet(`at < ?`, f.Until)
}

// selectCalls adds the conditions of a filter of calls.
func selectCalls(l *sqldb.Listing, f usage.Filter) {
	selectTime(l, f)
	for column, values := range dimensions(f) {
		l.In(column, values)
	}

	switch f.Outcome {
	case "":
	case usage.OK:
		l.And("outcome = 'ok'")
	case usage.Errors:
		l.And("outcome <> 'ok' AND outcome <> ?", string(usage.Canceled))
	default:
		l.And(
			"outcome <> 'ok' AND outcome = ?", string(f.Outcome),
		) // the first condition selects the index of failures
	}
}

// dimensions returns the columns that a filter chooses by, with their values.
func dimensions(f usage.Filter) map[string][]string {
	all := map[string][]string{
		"agent":   {f.Agent},
		"tool":    {f.Tool},
		"usecase": {f.UseCase},
		"client":  f.Clients,
		"user_id": {f.User},
	}
	maps.DeleteFunc(
		all, func(_ string, values []string) bool { return strings.Join(values, "") == "" },
	)
	return all
}

// Calls implements usage.Store.
func (db *Store) Calls(ctx context.Context, f usage.Filter) ([]usage.Record, error) {
	l := &sqldb.Listing{}
	selectCalls(l, f)
	order := `at, u.id`
	beyond := ">"
	if f.Latest {
		order = `at DESC, u.id DESC`
		beyond = "<"
	}
	if f.After.ID != "" {
		l.And("(at, u.id) "+beyond+" (?, ?)", f.After.At, f.After.ID)
	}

	return sqldb.SelectListing(ctx, db.sql, l, scanCall, `
		SELECT at, u.id, user_id, COALESCE(a.name, ''), client, usecase, door, tool, agent,
			millis, bytes_in, bytes_out, outcome, task
		FROM usage_calls u LEFT JOIN accounts a ON a.id = user_id`,
		order, f.Limit)
}

func scanCall(r sqldb.Row) (c usage.Record, err error) {
	err = r.Scan(
		&c.At,
		&c.ID,
		&c.UserID,
		&c.User,
		&c.Client,
		&c.UseCase,
		&c.Door,
		&c.Tool,
		&c.Agent,
		&c.Millis,
		&c.BytesIn,
		&c.BytesOut,
		&c.Outcome,
		&c.Task,
	)
	c.Took = time.Duration(c.Millis) * time.Millisecond
	return c, err
}

var columnOf = map[usage.By]string{
	usage.ByAgent:   "agent",
	usage.ByTool:    "tool",
	usage.ByUseCase: "usecase",
	usage.ByClient:  "client",
	usage.ByUser:    "user_id",
	"":              "''",
}

// Tallies implements usage.Store. It reads the sums if one dimension or none is asked for, and
// sums the calls otherwise.
func (db *Store) Tallies(
	ctx context.Context,
	f usage.Filter,
	by usage.By,
	step time.Duration,
) ([]usage.Tally, error) {
	key, ok := columnOf[by]
	if !ok {
		return nil, fmt.Errorf("there are no sums by %q", by)
	}

	f.Since = f.Since.Truncate(time.Hour)
	asked := dimensions(f)
	if _, chosen := asked[key]; by != "" && !chosen {
		asked[key] = nil // all its values
	}

	l := &sqldb.Listing{}
	table := "usage_calls"
	value := callExpression
	if len(asked) <= 1 && f.Outcome == "" {
		key = selectSums(l, f, by, step, asked)
		table = sumTable(f, step)
		value = func(column string) string { return column }
	} else {
		selectCalls(l, f)
	}

	from := "0"
	groups := "1"
	order := "3 DESC, 1" // the number of calls
	if step > 0 {
		from = fmt.Sprintf("at - (at + %d) %% %d", f.Offset.Milliseconds(), step.Milliseconds())
		groups = "1, 2"
		order = "starts, 1"
	}

	selection := `SELECT ` + key + ` AS k, ` + from + ` AS starts`
	for _, c := range sumColumns {
		selection += `, CAST(SUM(` + value(c) + `) AS BIGINT)`
	}

	if len(l.Where) == 0 {
		l.And("1 = 1")
	}

	l.Where[len(l.Where)-1] += ` GROUP BY ` + groups
	return sqldb.SelectListing(ctx, db.sql, l, scanTally, selection+` FROM `+table, order, f.Limit)
}

// selectSums adds the conditions of a filter by the dimension that is asked for, and returns the
// column to group by. It sums the durations only of the keys that are returned.
func selectSums(
	l *sqldb.Listing,
	f usage.Filter,
	by usage.By,
	step time.Duration,
	asked map[string][]string,
) string {
	var dimension string
	var chosen []string
	for dimension, chosen = range asked {
	}
	l.And("dimension = ?", dimension)
	selectTime(l, f)
	l.In("key", chosen)
	if by == "" {
		return "''"
	}
	if step == 0 && len(chosen) == 0 {
		l.Where = append(
			l.Where,
			`key IN (SELECT key FROM `+sumTable(f, step)+l.Conditions()+
				` GROUP BY key ORDER BY SUM(calls) DESC, key LIMIT `+l.Arg(f.Limit)+`)`,
		)
	}
	return "key"
}

// callExpression is what a call adds to a column of sums.
func callExpression(column string) string {
	switch column {
	case "calls":
		return "1"
	case "errors":
		return fmt.Sprintf(
			"CASE WHEN outcome IN ('%s', '%s') THEN 1 ELSE 0 END", usage.Failed, usage.Refused,
		)
	case "bytes_in", "bytes_out", "millis":
		return column
	}

	i, _ := strconv.Atoi(column[1:])
	var within []string
	if i > 0 {
		within = append(within, fmt.Sprintf("millis > %d", usage.Bounds[i-1]))
	}
	if i < len(usage.Bounds) {
		within = append(within, fmt.Sprintf("millis <= %d", usage.Bounds[i]))
	}

	return "CASE WHEN " + strings.Join(within, " AND ") + " THEN 1 ELSE 0 END"
}

// sumTable returns the sums of whole days if they are enough, and those of hours otherwise, which
// of a few days are faster to read: they are sorted by time.
func sumTable(f usage.Filter, step time.Duration) string {
	if few := f.Until.Sub(f.Since); !f.Since.IsZero() && !f.Until.IsZero() &&
		few <= 3*24*time.Hour {
		return hours
	}
	if (step == 0 || step == 24*time.Hour) && sqldb.Millis(f.Since)%dayMillis == 0 &&
		sqldb.Millis(f.Until)%dayMillis == 0 {
		return days
	}
	return hours
}

func scanTally(r sqldb.Row) (t usage.Tally, err error) {
	err = r.Scan(append([]any{&t.Key, &t.From}, sumsOf(&t)...)...)
	return t, err
}

// DropCalls implements usage.Store.
func (db *Store) DropCalls(ctx context.Context, before time.Time, limit int) (n int, err error) {
	moment := sqldb.Millis(before)
	for _, step := range []struct {
		query  string
		before int64
	}{
		{dropCalls, moment},
		{dropCharges, moment},
		{dropHours, moment - moment%hourMillis},
	} {
		dropped, err := sqldb.Changed(ctx, db.sql.Write, step.query, step.before, limit)
		if err != nil {
			return n, err
		}
		n += int(dropped)
	}

	if n == 0 {
		return 0, nil
	}

	return n, db.dropDays(ctx, moment-moment%dayMillis)
}

const everyDimension = `dimension IN ('', 'agent', 'tool', 'usecase', 'client', 'user_id')`

const (
	dropCalls = `
		DELETE FROM usage_calls WHERE (at, id) IN (
			SELECT at, id FROM usage_calls WHERE at < $1 ORDER BY at LIMIT $2)`
	dropCharges = `
		DELETE FROM usage_charges WHERE id IN (
			SELECT id FROM usage_charges WHERE at < $1 ORDER BY at LIMIT $2)`
	dropHours = `
		DELETE FROM usage_hours WHERE ` + everyDimension + ` AND at IN (
			SELECT at FROM usage_hours WHERE dimension = '' AND at < $1 ORDER BY at LIMIT $2)`
)

// dropDays deletes the sums up to a day, and sums the remaining hours of the last one again.
func (db *Store) dropDays(ctx context.Context, day int64) error {
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		if _, err := t.ExecContext(ctx, `DELETE FROM usage_days WHERE at <= $1`, day); err != nil {
			return err
		}
		return sqldb.Exec(ctx, t, `
			INSERT INTO usage_days (dimension, key, at, `+strings.Join(sumColumns, ", ")+`)
			SELECT dimension, key, CAST($1 AS BIGINT), SUM(`+strings.Join(sumColumns, "), SUM(")+`)
			FROM usage_hours WHERE `+everyDimension+` AND at >= $1 AND at < $2
			GROUP BY dimension, key ON CONFLICT DO NOTHING`,
			day, day+dayMillis)
	})
}
