package plain

import (
	"fmt"
	"slices"
	"strings"
)

// statement is a SELECT while it is put together.
type statement struct {
	s       *Schema
	base    *Table
	joined  []*Table
	joins   []string
	columns []string
	where   []string
	groups  []string
	having  []string
	order   string
	limit   int
	read    []string
	times   []string // the conditions that say when, of the base, or of what a percentage is
	given   []string // the same in words
	named   string   // what is aggregated
	middle  string   // whose median is asked for, if not empty
}

// join makes t part of the statement; it reports whether a row of the base
// leads to at most one of t.
func (st *statement) join(t *Table) bool {
	if t == st.base {
		return true
	}
	way := st.s.up(st.base, t)
	for _, l := range way {
		if !slices.Contains(st.joined, l.to) {
			st.joined = append(st.joined, l.to)
			st.joins = append(st.joins, "JOIN "+l.to.Name+" ON "+l.on())
		}
	}
	return way != nil
}

// existing tells of the rows of t that belong to a row of the base.
func (st *statement) existing(t *Table, columns string, conditions []string) (string, bool) {
	way := st.s.path(st.base, t, true)
	if len(way) == 0 {
		return "", false
	}
	var b strings.Builder
	fmt.Fprintf(&b, "SELECT %s FROM %s", columns, t.Name)
	at := t
	for i := len(way) - 1; i > 0; i-- {
		l := way[i]
		other := l.from
		if other == at {
			other = l.to
		}
		fmt.Fprintf(&b, " JOIN %s ON %s", other.Name, l.on())
		at = other
	}
	fmt.Fprintf(&b, " WHERE %s", strings.Join(append([]string{way[0].on()}, conditions...), " AND "))
	return b.String(), true
}

// conditions returns those that do not say when.
func (st *statement) conditions() []string {
	return slices.DeleteFunc(slices.Clone(st.where), func(c string) bool { return slices.Contains(st.times, c) })
}

func (st *statement) column(sql, name string) {
	st.columns = append(st.columns, sql+" AS "+quoted(name))
	st.groups = append(st.groups, fmt.Sprint(len(st.columns)))
}

// from is where the rows come from.
func (st *statement) from() string {
	from := " FROM " + st.base.Name
	for _, j := range st.joins {
		from += " " + j
	}
	if len(st.where) > 0 {
		from += " WHERE " + strings.Join(st.where, " AND ")
	}
	return from
}

// String writes the statement.
func (st *statement) String() string {
	var b strings.Builder
	if st.middle != "" {
		b.WriteString(st.median())
	} else {
		b.WriteString("SELECT " + strings.Join(st.columns, ", ") + st.from())
	}
	if len(st.groups) > 0 {
		b.WriteString(" GROUP BY " + strings.Join(st.groups, ", "))
	}
	if len(st.having) > 0 {
		b.WriteString(" HAVING " + strings.Join(st.having, " AND "))
	}
	if st.order != "" {
		b.WriteString(" ORDER BY " + st.order)
	}
	if st.limit > 0 {
		fmt.Fprintf(&b, " LIMIT %d", st.limit)
	}
	return b.String()
}
