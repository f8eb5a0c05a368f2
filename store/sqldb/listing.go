package sqldb

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Listing builds the query of a list with filters. The text only has the conditions that
// are asked for, so that they find an index; such queries are not prepared.
type Listing struct {
	Where   []string
	Args    []any
	Reverse bool // the list is read from its end
}

// And adds a condition; each "?" in it stands for one of args.
func (l *Listing) And(condition string, args ...any) {
	for _, a := range args {
		condition = strings.Replace(condition, "?", l.Arg(a), 1)
	}
	l.Where = append(l.Where, condition)
}

// Arg adds an argument, and returns what stands for it.
func (l *Listing) Arg(a any) string {
	l.Args = append(l.Args, a)
	return fmt.Sprintf("$%d", len(l.Args))
}

// AndIfSet adds a condition unless its value is "" or the zero time.
func (l *Listing) AndIfSet(condition string, value any) {
	unset := value == ""
	if t, ok := value.(time.Time); ok {
		unset = t.IsZero()
	}
	if !unset {
		l.And(condition, value)
	}
}

// In adds the condition that a column has one of some values, unless there are none.
func (l *Listing) In(column string, values []string) {
	if len(values) == 0 {
		return
	}
	places := make([]string, len(values))
	for i, v := range values {
		places[i] = l.Arg(v)
	}
	l.Where = append(l.Where, column+" IN ("+strings.Join(places, ", ")+")")
}

// After adds the condition that rows come after a mark in a list of the columns, a time
// and an ID, in descending order. Row values compare as the index sorts. It returns the order.
func (l *Listing) After(at, column string, then time.Time, id string) (order string) {
	from := int64(math.MaxInt64)
	than := "<"
	way := " DESC"
	if l.Reverse {
		from = math.MinInt64
		than = ">"
		way = ""
	}
	if id != "" {
		from = then.UnixMilli()
	}

	l.And(`(`+at+`, `+column+`) `+than+` (?, ?)`, from, id)
	return at + way + `, ` + column + way
}

// Count counts the rows of a table, up to a bound.
func (l *Listing) Count(ctx context.Context, db *DB, table string, most int) (n int, err error) {
	text := `SELECT count(*) FROM (SELECT 1 FROM ` + table + l.Conditions() + ` LIMIT ` +
		l.Arg(most) + `) AS counted`
	return n, Classify(db.Read.DB.QueryRowContext(ctx, text, db.Read.encode(l.Args)...).Scan(&n))
}

// SelectListing reads the rows of a SELECT, up to its WHERE, in an order.
func SelectListing[T any](
	ctx context.Context,
	db *DB,
	l *Listing,
	scan func(Row) (T, error),
	selection, order string,
	limit int,
) ([]T, error) {
	text := l.Text(selection, order, limit)
	rows, err := db.Read.DB.QueryContext(ctx, text, db.Read.encode(l.Args)...)
	return collect(rows, Classify(err), scan)
}

// Text returns the query, and adds the limit to its arguments.
func (l *Listing) Text(selection, order string, limit int) string {
	l.Args = append(l.Args, limit)
	return fmt.Sprintf(`%s%s ORDER BY %s LIMIT $%d`, selection, l.Conditions(), order, len(l.Args))
}

// Conditions returns the WHERE of the query, if there is one.
func (l *Listing) Conditions() string {
	if len(l.Where) == 0 {
		return ""
	}
	return ` WHERE ` + strings.Join(l.Where, ` AND `)
}

// Containing is the pattern of LIKE for what contains a text, in lower case; the escape is \.
func Containing(text string) string { return "%" + EscapeLike(strings.ToLower(text)) + "%" }

// EscapeLike escapes what is special in a pattern of LIKE; the escape is \.
func EscapeLike(text string) string {
	return strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(text)
}

// Placeholders returns placeholders with numbers.
func Placeholders(first, n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = "$" + strconv.Itoa(first+i)
	}
	return strings.Join(list, ", ")
}

// Rows returns n rows for VALUES: so many parameters each, and what follows them. They have numbers in
// PostgreSQL, which cost SQLite time.
func (db *DB) Rows(n, columns int, more string) string { return Rows(db.Postgres, n, columns, more) }

// Rows is what the method returns: numbered says that parameters have numbers.
func Rows(numbered bool, n, columns int, more string) string {
	rows := make([]string, n)
	for i := range rows {
		row := strings.Repeat("?, ", columns-1) + "?"
		if numbered {
			row = Placeholders(1+i*columns, columns)
		}
		rows[i] = "(" + row + more + ")"
	}

	return strings.Join(rows, ", ")
}

// InUnlocked returns the condition that a column is among those that a query chooses. On
// PostgreSQL, rows that another transaction locks are left out: a replica whose machine
// is gone may lock a row for long. The array makes PostgreSQL choose once.
func (db *DB) InUnlocked(choice string) string {
	if db.Postgres {
		return `= ANY (ARRAY(` + choice + ` FOR UPDATE SKIP LOCKED))`
	}
	return `IN (` + choice + `)`
}
