package grammar

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// query writes the statement, and says in words how the question was read.
func (p *parser) query() *Query {
	selected, read := p.selected()
	q := &Query{Read: []string{read}}
	tail := ""
	if len(p.where) > 0 {
		tail = " WHERE " + strings.Join(p.where, " AND ")
		q.Read = append(q.Read, "where "+strings.Join(p.read, " and "))
	}
	if p.group.column != nil {
		selected = p.group.sql() + " AS " + quoted(p.group.column.Name) + ", " + selected
		tail += " GROUP BY 1 ORDER BY 2 DESC"
		q.Read = append(q.Read, "by "+p.group.String())
	}

	q.SQL = "SELECT " + selected + " FROM " + p.table.Name + p.join + tail
	return q
}

// selected returns what is selected beside the group, and what it is called.
func (p *parser) selected() (sql, read string) {
	switch {
	case p.measure.column != nil:
	case p.verb == count, p.group.column != nil:
		return "count(*) AS count", "the number of " + p.table.Bare
	default:
		return p.table.Name + ".*", p.table.Bare
	}

	called := "total"
	if p.verb == avg {
		called = "average"
	}
	sql = fmt.Sprintf("%s(%s)", p.verb, p.measure.sql())
	switch {
	case p.measure.isCents():
		sql = "round(" + sql + " / 100.0, 2)"
	case p.verb == avg:
		sql = "round(" + sql + ", 2)"
	}

	alias := called + "_" + strings.TrimSuffix(strings.ToLower(p.measure.column.Name), "_cents")
	return sql + " AS " + quoted(alias), "the " + called + " of " + p.measure.String()
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

var plainName = regexp.MustCompile(`^[a-z_][a-z_0-9]*$`)

func quoted(name string) string {
	if plainName.MatchString(name) && !Reserved(name) {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}
