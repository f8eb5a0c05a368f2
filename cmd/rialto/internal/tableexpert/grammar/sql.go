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

	alias := called + "_" + strings.TrimSuffix(strings.ToLower(st.measure.c.Name), "_cents")
	return sql + " AS " + quoted(alias), "the " + called + " of " + st.measure.String()
}

// Reserved reports whether SQLite takes a name for a keyword where a name could stand, or for one of
// its own databases.
func Reserved(name string) bool {
	return slices.Contains(strings.Fields(`
		add all alter and as autoincrement between case check collate commit constraint create cross
		current current_date current_time current_timestamp default deferrable delete distinct drop
		else escape except exists for foreign from full group having if in index inner insert
		intersect into is isnull join left limit main natural not notnull null on or order outer
		over partition primary references returning right rowid select set table temp then to transaction
		union unique update using values when where window with`), name)
}

func quoted(name string) string {
	plain := strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_0123456789") == ""
	if plain && name != "" && !Reserved(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
