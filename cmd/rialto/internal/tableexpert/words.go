package tableexpert

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"rialto/cmd/rialto/internal/tableexpert/grammar"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// Bounds on what is read of the tables to understand questions about them.
const (
	valuesTimeout  = 20 * time.Second // for all columns together, once in a while
	valuesRows     = 100_000          // the first rows of a table
	valuesLifetime = 10 * time.Minute // as files may change
	valuesRetry    = 30 * time.Second // after a column that could not be read
	sampleRows     = 1000             // rows that say what a column holds
	maxValues      = 200              // of a column; more are no categories
	maxValueSize   = 60
)

// vocabulary is what the expert knows the words of. Its zero value knows
// nothing yet.
type vocabulary struct {
	mu     sync.Mutex
	schema *grammar.Schema
	until  time.Time
}

// words returns the tables as questions speak of them, with what their
// columns hold where that is few.
func (e *Expert) words(ctx context.Context) *grammar.Schema {
	e.vocabulary.mu.Lock()
	defer e.vocabulary.mu.Unlock()
	now := time.Now()
	if e.vocabulary.schema == nil || now.After(e.vocabulary.until) {
		limited, cancel := context.WithTimeout(ctx, valuesTimeout)
		defer cancel()
		var tables []grammar.Table
		life := valuesLifetime
		for _, tb := range e.catalog.tables {
			t, err := e.wordsOf(limited, tb)
			if err != nil {
				life = valuesRetry
			}
			tables = append(tables, t)
		}
		s := grammar.New(tables)
		if ctx.Err() != nil {
			return s // the next question reads what this one had no time for
		}
		e.vocabulary.schema = s
		e.vocabulary.until = now.Add(life)
	}

	return e.vocabulary.schema
}

// wordsOf returns what there is to know of a table, also with an error: that
// of the last column whose values could not be read.
func (e *Expert) wordsOf(ctx context.Context, tb *table) (grammar.Table, error) {
	var failed error
	t := grammar.Table{
		Name:    tb.spelled(),
		Bare:    tb.bare,
		Key:     tb.key,
		Aliases: e.synonyms[tb.bare].Words,
		Event:   e.synonyms[tb.bare].Event,
	}
	for _, c := range tb.Columns {
		col, err := e.wordsOfColumn(ctx, tb, c)
		if err != nil {
			failed = err
		}
		t.Columns = append(t.Columns, col)
	}
	for _, r := range tb.Refs {
		if to := e.catalog.find(r.Table); to != nil {
			ref := grammar.Ref{Column: r.Column, Table: to.spelled(), ToColumn: r.ToColumn}
			t.Refs = append(t.Refs, ref)
		}
	}
	return t, failed
}

// wordsOfColumn looks at what a column holds, because SQLite does not enforce the declared type:
// text that holds dates is a date, and numbers mixed with text are text.
func (e *Expert) wordsOfColumn(ctx context.Context, tb *table, c column) (grammar.Column, error) {
	words := e.synonyms[tb.bare+"."+c.Name]
	col := grammar.Column{
		Name:    c.Name,
		Aliases: words.Words,
		Words:   words.Values,
	}
	values, dates, numbers, err := tb.contents(ctx, e.box, c.Name)
	if err != nil {
		return col, err
	}
	switch {
	case values == 0:
	case dates == values:
		col.Kind = grammar.Date
	case numbers == values:
		col.Kind = grammar.Number
	}
	if col.Kind == grammar.Text {
		col.Values, err = tb.values(ctx, e.box, c.Name)
	}
	col.Values = slices.DeleteFunc(col.Values, func(v string) bool {
		return slices.Contains(words.Except, v)
	})
	return col, err
}

// contents counts what a sample of a column holds.
func (t *table) contents(
	ctx context.Context, box *sqlbox.Box, column string,
) (values, dates, numbers int64, err error) {
	res, err := box.QueryTrusted(ctx, 1, fmt.Sprintf(`SELECT count(x),
		count(iif(typeof(x) = 'text' AND x GLOB '[12][0-9][0-9][0-9]-[01][0-9]-[0-3][0-9]*', 1, NULL)),
		count(iif(typeof(x) IN ('integer', 'real'), 1, NULL))
		FROM (SELECT %s AS x FROM %s LIMIT %d)`, sqlbox.Quote(column), t.quoted(), sampleRows))
	if err != nil {
		return 0, 0, 0, err
	}

	row := res.Rows[0]
	return row[0].(int64), row[1].(int64), row[2].(int64), nil
}

// synonyms are other words for a table, a column or its values.
type synonyms struct {
	Words  []string
	Values map[string][]string
	Except []string // values that another column of the table means: the city of Berlin is the state
	Event  string   // the column of a table that a year is about, if a question names none
}

// spelled is the name of a table in a statement that people read.
func (t *table) spelled() string {
	if safeName(t.Name, "") == t.Name {
		return t.Name
	}
	return t.quoted()
}

// spelled returns the names of the tables as statements spell them.
func (c *catalog) spelled() []string {
	return mapped(c.tables, (*table).spelled)
}

// values returns what a column holds, nil if that is much. Where it cannot be
// read in time a question cannot name it, and nothing else is lost.
func (t *table) values(ctx context.Context, box *sqlbox.Box, column string) ([]string, error) {
	statement := fmt.Sprintf("SELECT DISTINCT * FROM (SELECT %s FROM %s LIMIT %d) LIMIT %d",
		sqlbox.Quote(column), t.quoted(), valuesRows, maxValues+1)
	res, err := box.QueryTrusted(ctx, maxValues+1, statement)
	if err != nil || len(res.Rows) > maxValues {
		return nil, err
	}

	var out []string
	for _, row := range res.Rows {
		if s, ok := row[0].(string); ok && s != "" && utf8.RuneCountInString(s) <= maxValueSize {
			out = append(out, s)
		}
	}

	return out, nil
}
