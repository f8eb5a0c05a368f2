package store

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"strings"

	"rialto/bridge/operator"
)

// listing puts together the query of a list that may be filtered in several
// ways. A condition that is not asked for is not in the text, so that the rest
// finds its index; such queries are not prepared.
type listing struct {
	where []string
	args  []any
}

// and adds a condition; each "?" in it stands for one of args.
func (l *listing) and(condition string, args ...any) {
	for _, a := range args {
		condition = strings.Replace(condition, "?", l.arg(a), 1)
	}
	l.where = append(l.where, condition)
}

// arg adds an argument, and returns what stands for it.
func (l *listing) arg(a any) string {
	l.args = append(l.args, a)
	return fmt.Sprintf("$%d", len(l.args))
}

// given adds a condition unless its value is "".
func (l *listing) given(condition, value string) {
	if value != "" {
		l.and(condition, value)
	}
}

// after adds that only what comes after a mark is listed, in the order of the
// columns, the latest first. Row values compare as the index sorts.
func (l *listing) after(columns string, m operator.Mark) {
	at := int64(math.MaxInt64)
	if m.ID != "" {
		at = m.At.UnixMilli()
	}
	l.and(`(`+columns+`) < (?, ?)`, at, m.ID)
}

// query runs a SELECT, up to its WHERE, in an order.
func (l *listing) query(ctx context.Context, db *DB, selection, order string, limit int) (*sql.Rows, error) {
	text := l.text(selection, order, limit)
	return db.read.DB.QueryContext(ctx, text, db.read.storable(l.args)...)
}

// text returns the query, and adds the limit to its arguments.
func (l *listing) text(selection, order string, limit int) string {
	l.args = append(l.args, limit)
	return fmt.Sprintf(`%s%s ORDER BY %s LIMIT $%d`, selection, l.conditions(), order, len(l.args))
}

// conditions returns the WHERE of the query, if there is one.
func (l *listing) conditions() string {
	if len(l.where) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(l.where, ` AND `)
}

// collect reads rows to their end.
func collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, rows.Err()
}
