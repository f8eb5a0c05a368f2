package recordsdb

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rialto/internal/store/sqldb"
	"rialto/internal/usage"
)

var _ usage.Store = (*Store)(nil)

// callsAtOnce is how many calls one statement adds: a statement for each costs three times as much.
const callsAtOnce = 20

const callColumns = 12

var (
	addCall  = sqldb.ForBoth(func(list sqldb.Parameters) string { return addCalls(1, list) })
	addChunk = sqldb.ForBoth(func(list sqldb.Parameters) string { return addCalls(callsAtOnce, list) })
)

func addCalls(n int, list sqldb.Parameters) string {
	rows := make([]string, n)
	for i := range rows {
		rows[i] = "(" + list(1+i*callColumns, callColumns) + ")"
	}
	return `INSERT INTO usage_calls (at, id, user_id, client, usecase, door, tool, agent, millis, bytes_in, bytes_out, outcome) VALUES ` +
		strings.Join(rows, ", ") + ` ON CONFLICT DO NOTHING RETURNING id`
}

// AddCalls implements usage.Store.
func (db *Store) AddCalls(ctx context.Context, calls []usage.Record) error {
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		added := map[string]bool{}
		for chunk := range slices.Chunk(calls, callsAtOnce) {
			if err := db.insertCalls(ctx, t, chunk, added); err != nil {
				return err
			}
		}
		sums := hourly(calls, added)
		for _, key := range slices.SortedFunc(maps.Keys(sums), hourKey.compare) { // replicas take the rows in one order
			if err := addTally(ctx, t, key, sums[key]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (db *Store) insertCalls(ctx context.Context, t *sqldb.Tx, calls []usage.Record, added map[string]bool) error {
	query, each := addChunk, callsAtOnce
	if len(calls) < callsAtOnce {
		query, each = addCall, 1
	}
	for some := range slices.Chunk(calls, each) {
		args := make([]any, 0, each*callColumns)
		for _, c := range some {
			args = append(args, c.At.UnixMilli(), c.ID, c.UserID, c.Client, c.UseCase, c.Door, c.Tool, c.Agent, c.Millis, c.BytesIn, c.BytesOut, string(c.Outcome))
		}
		rows, err := t.QueryContext(ctx, query[db.sql.Postgres], args...)
		ids, err := sqldb.Collect(rows, err, sqldb.Text)
		if err != nil {
			return err
		}
		for _, id := range ids {
			added[id] = true
		}
	}
	return nil
}

// hourKey is the key of a row of sums: of an hour or, with a span, of all clients and users.
type hourKey struct {
	span, hour                       int64
	agent, tool, useCase, client, by string
}

func (k hourKey) compare(other hourKey) int {
	return cmp.Or(cmp.Compare(k.span, other.span), cmp.Compare(k.hour, other.hour), cmp.Compare(k.agent, other.agent),
		cmp.Compare(k.tool, other.tool), cmp.Compare(k.useCase, other.useCase), cmp.Compare(k.client, other.client), cmp.Compare(k.by, other.by))
}

const (
	anHour = int64(time.Hour / time.Millisecond)
	aDay   = 24 * anHour
)

// hourly sums the calls with the IDs, so that many calls change few rows.
func hourly(calls []usage.Record, ids map[string]bool) map[hourKey]*usage.Tally {
	sums := map[hourKey]*usage.Tally{}
	for _, c := range calls {
		if !ids[c.ID] {
			continue
		}
		at := c.At.UnixMilli()
		for _, key := range []hourKey{
			{0, at - at%anHour, c.Agent, c.Tool, c.UseCase, c.Client, c.UserID},
			{span: anHour, hour: at - at%anHour, agent: c.Agent, tool: c.Tool, useCase: c.UseCase},
			{span: aDay, hour: at - at%aDay, agent: c.Agent, tool: c.Tool, useCase: c.UseCase},
		} {
			if sums[key] == nil {
				sums[key] = &usage.Tally{}
			}
			sums[key].Add(c)
		}
	}
	return sums
}

// sumColumns are the columns that are summed.
var sumColumns = func() []string {
	columns := []string{"calls", "errors", "bytes_in", "bytes_out", "millis"}
	for i := range usage.Buckets {
		columns = append(columns, fmt.Sprint("b", i))
	}
	return columns
}()

var (
	addHour  = addSums("usage_hours", "hour", "agent", "tool", "usecase", "client", "user_id")
	addTotal = addSums("usage_totals", "span", "hour", "agent", "tool", "usecase")
)

func addSums(table string, key ...string) string {
	var set []string
	for _, c := range sumColumns {
		set = append(set, c+" = "+table+"."+c+" + excluded."+c)
	}
	return `INSERT INTO ` + table + ` (` + strings.Join(append(key, sumColumns...), ", ") + `) VALUES (` +
		sqldb.Placeholders(1, len(key)+len(sumColumns)) + `) ON CONFLICT (` + strings.Join(key, ", ") + `) DO UPDATE SET ` + strings.Join(set, ", ")
}

func addTally(ctx context.Context, t *sqldb.Tx, k hourKey, sum *usage.Tally) error {
	query, args := addHour, []any{k.hour, k.agent, k.tool, k.useCase, k.client, k.by}
	if k.span != 0 {
		query, args = addTotal, []any{k.span, k.hour, k.agent, k.tool, k.useCase}
	}
	_, err := t.ExecContext(ctx, query, append(args, numbers(sum)...)...)
	return err
}

// numbers returns the values of sumColumns.
func numbers(sum *usage.Tally) []any {
	all := []any{sum.Calls, sum.Errors, sum.BytesIn, sum.BytesOut, sum.Millis}
	for _, n := range sum.Counts {
		all = append(all, n)
	}
	return all
}

// selectUsage adds the conditions of a filter; at is the column of the time.
func selectUsage(l *sqldb.Listing, f usage.Filter, at string) {
	if !f.Since.IsZero() {
		l.And(at+` >= ?`, sqldb.Millis(f.Since))
	}
	if !f.Until.IsZero() {
		l.And(at+` < ?`, sqldb.Millis(f.Until))
	}
	l.Given("agent = ?", f.Agent)
	l.Given("tool = ?", f.Tool)
	l.Given("usecase = ?", f.UseCase)
	l.Given("client = ?", f.Client)
	l.Given("user_id = ?", f.User)
}

// Calls implements usage.Store.
func (db *Store) Calls(ctx context.Context, f usage.Filter) ([]usage.Record, error) {
	l := &sqldb.Listing{}
	selectUsage(l, f, "at")
	if f.After.ID != "" {
		l.And("(at, u.id) > (?, ?)", f.After.At.UnixMilli(), f.After.ID)
	}
	rows, err := l.Query(ctx, db.sql, `SELECT at, u.id, user_id, COALESCE(a.name, ''), client, usecase, door, tool, agent, millis, bytes_in, bytes_out, outcome
		FROM usage_calls u LEFT JOIN accounts a ON a.id = user_id`, `at, u.id`, f.Limit)
	return sqldb.Collect(rows, err, func(r *sql.Rows) (c usage.Record, err error) {
		var began int64
		err = r.Scan(&began, &c.ID, &c.UserID, &c.User, &c.Client, &c.UseCase, &c.Door, &c.Tool, &c.Agent, &c.Millis, &c.BytesIn, &c.BytesOut, &c.Outcome)
		c.At, c.Took = sqldb.Time(began), time.Duration(c.Millis)*time.Millisecond
		return c, err
	})
}

var columnOf = map[usage.By]string{
	usage.ByAgent: "agent", usage.ByTool: "tool", usage.ByUseCase: "usecase", usage.ByClient: "client", usage.ByUser: "user_id", "": "''",
}

// Tallies implements usage.Store. Without a client or user it reads the sums of all of
// them, of whole days if possible.
func (db *Store) Tallies(ctx context.Context, f usage.Filter, by usage.By, step time.Duration) ([]usage.Tally, error) {
	key, ok := columnOf[by]
	if !ok {
		return nil, fmt.Errorf("there are no sums by %q", by)
	}
	f.Since = f.Since.Truncate(time.Hour)
	from, order := "0", "2 DESC, 1"
	if step > 0 {
		from = fmt.Sprintf("hour - hour %% %d", step.Milliseconds())
	}
	l, table := &sqldb.Listing{}, "usage_hours"
	if f.Client == "" && f.User == "" && by != usage.ByClient && by != usage.ByUser {
		table = "usage_totals"
		l.And("span = ?", spanOf(f, step))
	}
	selectUsage(l, f, "hour")
	selection := `SELECT ` + key + ` AS k, CAST(SUM(calls) AS BIGINT) AS n, ` + from + ` AS starts`
	for _, c := range sumColumns[1:] {
		selection += `, CAST(SUM(` + c + `) AS BIGINT)`
	}
	if step > 0 {
		order = "starts, 1"
	}
	if len(l.Where) == 0 {
		l.And("1 = 1")
	}
	l.Where[len(l.Where)-1] += ` GROUP BY 1, 3`
	rows, err := l.Query(ctx, db.sql, selection+` FROM `+table, order, f.Limit)
	return sqldb.Collect(rows, err, scanTally)
}

// spanOf returns a day if sums of whole days are enough, and an hour otherwise.
func spanOf(f usage.Filter, step time.Duration) int64 {
	if (step == 0 || step == 24*time.Hour) && sqldb.Millis(f.Since)%aDay == 0 && sqldb.Millis(f.Until)%aDay == 0 {
		return aDay
	}
	return anHour
}

func scanTally(r *sql.Rows) (t usage.Tally, err error) {
	var from int64
	into := []any{&t.Key, &t.Calls, &from, &t.Errors, &t.BytesIn, &t.BytesOut, &t.Millis}
	for i := range t.Counts {
		into = append(into, &t.Counts[i])
	}
	err = r.Scan(into...)
	t.From = sqldb.Time(from)
	return t, err
}

// DropCalls implements usage.Store.
func (db *Store) DropCalls(ctx context.Context, before time.Time, limit int) (n int, err error) {
	moment := sqldb.Millis(before)
	for _, step := range []struct {
		query  string
		before int64
	}{
		{`DELETE FROM usage_calls WHERE (at, id) IN (SELECT at, id FROM usage_calls WHERE at < $1 ORDER BY at LIMIT $2)`, moment},
		{`DELETE FROM usage_hours WHERE hour IN (SELECT DISTINCT hour FROM usage_hours WHERE hour < $1 ORDER BY hour LIMIT $2)`, moment - moment%anHour},
		{`DELETE FROM usage_totals WHERE span = ` + hourSpan + ` AND hour IN (
			SELECT DISTINCT hour FROM usage_totals WHERE span = ` + hourSpan + ` AND hour < $1 ORDER BY hour LIMIT $2)`, moment - moment%anHour},
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
	return n, db.dropDays(ctx, moment-moment%aDay)
}

var (
	hourSpan = fmt.Sprint(anHour)
	daySpan  = fmt.Sprint(aDay)
)

// dropDays deletes the sums of the days up to one, and sums the remaining hours of that day again.
func (db *Store) dropDays(ctx context.Context, day int64) error {
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		if _, err := t.ExecContext(ctx, `DELETE FROM usage_totals WHERE span = `+daySpan+` AND hour <= $1`, day); err != nil {
			return err
		}
		_, err := t.ExecContext(ctx, `
			INSERT INTO usage_totals (span, hour, agent, tool, usecase, `+strings.Join(sumColumns, ", ")+`)
			SELECT `+daySpan+`, CAST($1 AS BIGINT), agent, tool, usecase, SUM(`+strings.Join(sumColumns, "), SUM(")+`)
			FROM usage_totals WHERE span = `+hourSpan+` AND hour >= $1 AND hour < $2
			GROUP BY agent, tool, usecase ON CONFLICT DO NOTHING`, day, day+aDay)
		return err
	})
}
