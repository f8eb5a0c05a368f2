// Package grammar translates simple questions, English or Spanish, into one SELECT: counts, sums,
// averages and lists of the rows of one table, with conditions. It answers a question only if it
// has placed every word of it; any other question is asked back. It knows the names and values of
// a schema; it runs nothing and knows no database.
package grammar

import (
	"fmt"
	"strings"

	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// Schema is what questions can be about.
type Schema struct {
	tables []Table
	index  map[string][]name // the meanings of words, by their folded spelling
	parts  map[string]bool   // the words of values that have several
}

// Table is one table.
type Table struct {
	Name    string   // as SQL spells it
	Bare    string   // without its schema and quotes
	Aliases []string // other words for it
	Key     string   // the column that identifies a row; empty if none does
	Event   string   // the column that "in 2025" is about; empty if none is
	Columns []Column
	Refs    []Ref
}

// Column is one column of a table.
type Column struct {
	Name    string
	Kind    Kind
	Aliases []string            // other words for it
	Values  []string            // distinct values, if there are few; else nil
	Words   map[string][]string // other words for a value
}

// Ref is a foreign key.
type Ref struct {
	Column, Table, ToColumn string
}

// Kind is what a name means.
type Kind int

// A column is of one of the first three kinds.
const (
	Text Kind = iota
	Number
	Date
	amount // a column of numbers that may be added up or averaged
	value  // of a column of texts
	rows   // a table
)

// New returns the schema of tables.
func New(tables []Table) *Schema {
	s := &Schema{tables: tables, index: map[string][]name{}, parts: map[string]bool{}}
	for i := range tables {
		t := &tables[i]
		s.addName(name{kind: rows, table: t}, append(t.Aliases, t.Bare))
		for j := range t.Columns {
			s.addColumn(t, &t.Columns[j])
		}
	}
	return s
}

func (s *Schema) table(name string) *Table {
	for i := range s.tables {
		if strings.EqualFold(s.tables[i].Name, name) {
			return &s.tables[i]
		}
	}
	return nil
}

// joins returns the tables that have one row for each row of a table, with the clauses that join them.
func (s *Schema) joins(from *Table) map[*Table]string {
	joins := map[*Table]string{from: ""}
	queue := []*Table{from}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, r := range at.Refs {
			next := s.table(r.Table)
			if _, seen := joins[next]; seen || next == nil {
				continue
			}
			joins[next] = fmt.Sprintf(
				"%s LEFT JOIN %s ON %s.%s = %[2]s.%[5]s",
				joins[at], next.Name, at.Name, sqlbox.Spelled(r.Column), sqlbox.Spelled(r.ToColumn),
			)
			queue = append(queue, next)
		}
	}

	return joins
}
