package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Listing puts together the query of a list that may be filtered in several
// ways. A condition that is not asked for is not in the text, so that the rest
// finds its index; such queries are not prepared.
type Listing struct {
	Where []string
	Args  []any
}

// and adds a condition; each "?" in it stands for one of args.
func (l *Listing) And(condition string, args ...any) {
	for _, a := range args {
		condition = strings.Replace(condition, "?", l.Arg(a), 1)
	}
	l.Where = append(l.Where, condition)
}

// arg adds an argument, and returns what stands for it.
func (l *Listing) Arg(a any) string {
	l.Args = append(l.Args, a)
	return fmt.Sprintf("$%d", len(l.Args))
}

// given adds a condition unless its value is "".
func (l *Listing) Given(condition, value string) {
	if value != "" {
		l.And(condition, value)
	}
}

// after adds that only what comes after a mark is listed, in the order of the
// columns, the latest first. Row values compare as the index sorts.
func (l *Listing) After(columns string, at time.Time, id string) {
	before := int64(math.MaxInt64)
	if id != "" {
		before = at.UnixMilli()
	}
	l.And(`(`+columns+`) < (?, ?)`, before, id)
}

// query runs a SELECT, up to its WHERE, in an order.
func (l *Listing) Query(ctx context.Context, db *DB, selection, order string, limit int) (*sql.Rows, error) {
	text := l.Text(selection, order, limit)
	return db.Read.DB.QueryContext(ctx, text, db.Read.storable(l.Args)...)
}

// text returns the query, and adds the limit to its arguments.
func (l *Listing) Text(selection, order string, limit int) string {
	l.Args = append(l.Args, limit)
	return fmt.Sprintf(`%s%s ORDER BY %s LIMIT $%d`, selection, l.Conditions(), order, len(l.Args))
}

// conditions returns the WHERE of the query, if there is one.
func (l *Listing) Conditions() string {
	if len(l.Where) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(l.Where, ` AND `)
}

// collect reads rows to their end.
func Collect[T any](rows *sql.Rows, err error, scan func(*sql.Rows) (T, error)) ([]T, error) {
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

// Parameters returns n Placeholders, separated by commas.
type Parameters func(first, n int) string

// ForBoth returns a statement that is run so often, with its Parameters in their
// order, that it is worth a text for SQLite, and under true one for PostgreSQL: the
// driver for SQLite asks for the name of each parameter, for which SQLite goes
// through all of them, unless they have none.
func ForBoth(statement func(Parameters) string) map[bool]string {
	unnamed := func(_, n int) string { return strings.Join(slices.Repeat([]string{"?"}, n), ", ") }
	return map[bool]string{false: statement(unnamed), true: statement(Placeholders)}
}

// Placeholders are Parameters with numbers.
func Placeholders(first, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprint("$", first+i)
	}
	return strings.Join(list, ", ")
}
