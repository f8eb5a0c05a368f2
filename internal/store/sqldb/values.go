package sqldb

import (
	"context"
	"database/sql"
	"strings"
	"time"
)

// Querier is a handle or a transaction.
type Querier interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) Row
}

// changed runs a statement and tells how many rows it changed.
func Changed(ctx context.Context, q Querier, query string, args ...any) (int64, error) {
	done, err := q.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
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

// Flag returns 1 for true.
func Flag(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// Words splits a column that holds a list joined with spaces; nil is none.
func Words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Fields(s)
}
