package grammar

import (
	"fmt"
	"strings"

	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
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
		selected = p.group.sql() + " AS " + sqlbox.Spelled(p.group.column.Name) + ", " + selected
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
	return sql + " AS " + sqlbox.Spelled(alias), "the " + called + " of " + p.measure.String()
}
