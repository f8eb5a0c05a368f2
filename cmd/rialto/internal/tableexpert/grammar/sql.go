package grammar

import (
	"slices"
	"strconv"
	"strings"
)

// query writes a statement, and says in words how the question was read.
func (s *Schema) query(st *statement) *Query {
	var columns []string
	var tables []*Table
	selected, read := st.selected()
	q := &Query{Read: []string{read}}
	for _, f := range st.groups {
		columns = append(columns, f.sql()+" AS "+quoted(f.c.Name))
		tables = append(tables, f.t)
		q.Read = append(q.Read, "by "+f.String())
	}

	for _, c := range st.conds {
		tables = append(tables, c.of.t)
	}

	q.Read = append(q.Read, conditionTexts(st.conds)...)
	columns = append(columns, selected)
	q.SQL = "SELECT " + strings.Join(columns, ", ") + " FROM " + s.joins(st.table, tables)
	if len(st.conds) > 0 {
		q.SQL += " WHERE " + conditionsSQL(st.conds)
	}
	if n := len(st.groups); n > 0 {
		positions := []string{"1", "1, 2"}
		q.SQL += " GROUP BY " + positions[n-1] + " ORDER BY " + strconv.Itoa(n+1) + " DESC"
	}
	if st.limit > 0 {
		q.SQL += " LIMIT " + strconv.Itoa(st.limit)
		q.Read = append(q.Read, "the first "+strconv.Itoa(st.limit))
	}

	return q
}

// selected returns what is selected beside the groups, and how it is called.
func (st *statement) selected() (sql, read string) {
	switch {
	case st.verb == list && len(st.groups) == 0:
		return st.table.Name + ".*", st.table.Bare
	case st.verb == list, st.verb == count:
		return "count(*) AS count", "the number of " + st.table.Bare
	case st.verb == avg:
		return st.aggregate("avg", "average")
	}
	return st.aggregate("sum", "total")
}

func (st *statement) aggregate(function, called string) (sql, read string) {
	sql = function + "(" + st.measure.sql() + ")"
	if st.measure.isCents() {
		sql = "round(" + sql + " / 100.0, 2)"
	} else if st.verb == avg {
		sql = "round(" + sql + ", 2)"
	}
	return sql + " AS " + quoted(called+"_"+st.measure.bare()), "the " + called + " of " + st.measure.String()
}

// joins writes the FROM clause of a statement about t that reads other tables, too.
func (s *Schema) joins(t *Table, others []*Table) string {
	out := t.Name
	seen := []*Table{t}
	for _, other := range others {
		refs, _ := s.path(t, other)
		at := t
		for _, r := range refs {
			next := s.table(r.Table)
			if !slices.Contains(seen, next) {
				seen = append(seen, next)
				out += " LEFT JOIN " + next.Name + " ON " + at.Name + "." + quoted(r.Column) +
					" = " + next.Name + "." + quoted(r.ToColumn)
			}
			at = next
		}
	}

	return out
}

// conditionTexts returns conditions in words.
func conditionTexts(conds []condition) []string {
	var out []string
	word := "where "
	for _, c := range conds {
		out = append(out, word+c.read)
		word = "and "
	}
	return out
}

func conditionsSQL(conds []condition) string {
	var all []string
	for _, c := range conds {
		all = append(all, c.sql)
	}
	return strings.Join(all, " AND ")
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

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
