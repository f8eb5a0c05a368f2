package grammar

import (
	"slices"
	"strings"
)

// query writes a statement, and says in words how the question was read.
func (s *Schema) query(st *statement) *Query {
	var tables []*Table
	groups := ""
	selected, read := st.selected()
	q := &Query{Read: []string{read}}
	if st.group.c != nil {
		tables = append(tables, st.group.t)
		groups = " GROUP BY 1 ORDER BY 2 DESC"
		selected = st.group.sql() + " AS " + quoted(st.group.c.Name) + ", " + selected
		q.Read = append(q.Read, "by "+st.group.String())
	}

	conditions := ""
	word := "where "
	for _, c := range st.conds {
		tables = append(tables, c.of.t)
		conditions += " " + strings.ToUpper(word) + c.sql
		q.Read = append(q.Read, word+c.read)
		word = "and "
	}

	from := st.table.Name
	joins := s.joins(st.table)
	for _, t := range tables {
		for _, join := range joins[t] {
			if !strings.Contains(from, join) {
				from += join
			}
		}
	}

	q.SQL = "SELECT " + selected + " FROM " + from + conditions + groups
	return q
}

// selected returns what is selected beside the group, and what it is called.
func (st *statement) selected() (sql, read string) {
	if st.verb == list && st.group.c == nil {
		return st.table.Name + ".*", st.table.Bare
	}
	if st.verb == list || st.verb == count {
		return "count(*) AS count", "the number of " + st.table.Bare
	}

	called := "total"
	if st.verb == avg {
		called = "average"
	}
	sql = string(st.verb) + "(" + st.measure.sql() + ")"
	if st.measure.isCents() {
		sql = "round(" + sql + " / 100.0, 2)"
	} else if st.verb == avg {
		sql = "round(" + sql + ", 2)"
	}

	alias := quoted(called + "_" + st.measure.bare())
	return sql + " AS " + alias, "the " + called + " of " + st.measure.String()
}

var reserved = strings.Fields(
	"order group index from to where select table default values check references " +
		"limit case when end",
)

func quoted(name string) string {
	plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_0123456789") == ""
	if plain && name != "" && !slices.Contains(reserved, name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
