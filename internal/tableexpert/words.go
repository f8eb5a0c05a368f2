package tableexpert

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"rialto/internal/tableexpert/plain"
	"rialto/internal/tableexpert/sqlbox"
)

// Bounds on what is read of the tables to understand questions about them.
const (
	valuesTime   = 20 * time.Second // for all columns together, once in a while
	valuesRows   = 100_000          // of a table, the first
	valuesFor    = 10 * time.Minute // as files may change
	valuesAgain  = 30 * time.Second // after a column that could not be read
	maxValues    = 200              // of a column; more are no categories
	maxValueSize = 60
)

// vocabulary is what the expert knows the words of. Its zero value knows
// nothing yet.
type vocabulary struct {
	mu     sync.Mutex
	schema *plain.Schema
	until  time.Time
}

// words returns the tables as questions speak of them, with what their
// columns hold where that is few.
func (e *Expert) words(ctx context.Context) *plain.Schema {
	e.known.mu.Lock()
	defer e.known.mu.Unlock()
	if now := time.Now(); e.known.schema == nil || now.After(e.known.until) {
		limited, cancel := context.WithTimeout(ctx, valuesTime)
		defer cancel()
		s, life := &plain.Schema{}, valuesFor
		for _, tb := range e.catalog.tables {
			t, err := e.wordsOf(limited, tb)
			if err != nil {
				life = valuesAgain
			}
			s.Tables = append(s.Tables, t)
		}
		if ctx.Err() != nil {
			return s // the next question reads what this one had no time for
		}
		e.known.schema, e.known.until = s, now.Add(life)
	}
	return e.known.schema
}

// wordsOf returns what there is to know of a table, also with an error: that
// of the last column whose values could not be read.
func (e *Expert) wordsOf(ctx context.Context, tb *table) (plain.Table, error) {
	var failed error
	t := plain.Table{Name: tb.spelled(), Bare: tb.bare, Key: tb.key, Aliases: tb.Aliases}
	for _, c := range tb.Columns {
		col := plain.Column{Name: c.Name, Kind: kindOfType(c.Type)}
		if col.Kind == plain.Text {
			var err error
			if col.Values, err = e.values(ctx, tb, c.Name); err != nil {
				failed = err
			}
		}
		t.Columns = append(t.Columns, col)
	}
	for _, r := range tb.Refs {
		if to := e.catalog.find(r.Table); to != nil {
			t.Refs = append(t.Refs, plain.Ref{Column: r.Column, Table: to.spelled(), ToColumn: r.ToColumn})
		}
	}
	return t, failed
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
	var names []string
	for _, t := range c.tables {
		names = append(names, t.spelled())
	}
	return names
}

// values returns what a column holds, nil if that is much. Where it cannot be
// read in time a question cannot name it, and nothing else is lost.
func (e *Expert) values(ctx context.Context, tb *table, column string) ([]string, error) {
	res, err := e.box.Own(ctx, maxValues+1, fmt.Sprintf("SELECT DISTINCT * FROM (SELECT %s FROM %s LIMIT %d) LIMIT %d", sqlbox.Quote(column), tb.quoted(), valuesRows, maxValues+1))
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

// kindOfType reads the type that a column is declared with (SQLite, "Datatypes",
// section 3.1).
func kindOfType(declared string) plain.Kind {
	declared = strings.ToUpper(declared)
	contains := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(declared, w) {
				return true
			}
		}
		return false
	}
	switch {
	case contains("DATE", "TIME"):
		return plain.Date
	case contains("INT", "REAL", "FLOA", "DOUB", "NUM", "DEC"):
		return plain.Number
	}
	return plain.Text
}
