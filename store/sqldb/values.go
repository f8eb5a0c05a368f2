package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"
)

// Querier is a pool or a transaction.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) Row
}

// Exec runs a statement.
func Exec(ctx context.Context, q Querier, query string, args ...any) error {
	_, err := q.ExecContext(ctx, query, args...)
	return err
}

// ExecAll runs statements one after the other, each with args.
func ExecAll(ctx context.Context, q Querier, args []any, statements ...string) error {
	for _, s := range statements {
		if err := Exec(ctx, q, s, args...); err != nil {
			return err
		}
	}

	return nil
}

// Changed runs a statement and returns how many rows it changed.
func Changed(ctx context.Context, q Querier, query string, args ...any) (int64, error) {
	done, err := q.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

// MustChange runs a statement, and returns an error of the caller's if it changes no row.
func MustChange(ctx context.Context, q Querier, unchanged error, query string, args ...any) error {
	n, err := Changed(ctx, q, query, args...)
	if err == nil && n == 0 {
		return unchanged
	}
	return err
}

// NoRow returns an error of the caller's in place of sql.ErrNoRows, and any other error as it is.
func NoRow(err, none error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return none
	}
	return err
}

// Row is a row of a query. Scan also reads a BIGINT column into a time.Time.
type Row interface{ Scan(dest ...any) error }

// decoder is a row of which times can be read. It classifies errors.
type decoder struct{ Row }

// Scan reads the row.
func (d decoder) Scan(dest ...any) error {
	for i, to := range dest {
		if t, ok := to.(*time.Time); ok {
			dest[i] = (*millis)(t)
		}
	}
	return Classify(d.Row.Scan(dest...))
}

// millis is a time that is read from a BIGINT column.
type millis time.Time

// Scan implements sql.Scanner.
func (m *millis) Scan(column any) error {
	var n sql.NullInt64
	err := n.Scan(column)
	*m = millis(Time(n.Int64))
	return err
}

// List reads a column that holds a list joined with spaces; nil is none.
func List[S ~[]string](to *S) sql.Scanner { return list[S]{to} }

type list[S ~[]string] struct{ to *S }

// Scan implements sql.Scanner.
func (l list[S]) Scan(column any) error {
	var text sql.NullString
	err := text.Scan(column)
	*l.to = nil
	if text.String != "" {
		*l.to = strings.Fields(text.String)
	}
	return err
}

// RowsQuerier is a pool, a transaction or a connection.
type RowsQuerier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Select reads the rows of a query to their end.
func Select[T any](
	ctx context.Context, q RowsQuerier, scan func(Row) (T, error), query string, args ...any,
) ([]T, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	return collect(rows, err, scan)
}

// collect reads rows to their end.
func collect[T any](rows *sql.Rows, err error, scan func(Row) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(decoder{rows})
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}

	return all, Classify(rows.Err())
}

// Value reads a row of one value, for Select.
func Value[T any](r Row) (v T, err error) {
	err = r.Scan(&v)
	return v, err
}

// Millis returns a time for a BIGINT column; the zero time is 0.
func Millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

// Time is the reverse of Millis.
func Time(millis int64) time.Time {
	if millis == 0 {
		return time.Time{}
	}
	return time.UnixMilli(millis).UTC()
}

// flag returns 1 for true.
func flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}
