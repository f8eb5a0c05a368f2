package plain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// link joins a table to the next by a reference.
type link struct {
	from *Table
	ref  Ref
	to   *Table // the table that ref leads to; from refers to it
}

func (l link) on() string {
	return l.from.Name + "." + quoted(l.ref.Column) + " = " + l.to.Name + "." + quoted(l.ref.ToColumn)
}

// up returns the references that lead from one table to another, each from a
// row to exactly one: a join along them repeats nothing. It returns nil if
// there are none.
func (s *Schema) up(from, to *Table) []link {
	return s.path(from, to, false)
}

// path returns the shortest way between two tables. With both, it may go
// against references.
func (s *Schema) path(from, to *Table, both bool) []link {
	type step struct {
		at  *Table
		way []link
	}
	seen := map[*Table]bool{from: true}
	for queue := []step{{from, []link{}}}; len(queue) > 0; queue = queue[1:] {
		here := queue[0]
		if here.at == to {
			return here.way
		}
		visit := func(t *Table, l link) {
			if t != nil && !seen[t] {
				seen[t] = true
				queue = append(queue, step{t, append(slices.Clone(here.way), l)})
			}
		}
		for _, ref := range here.at.Refs {
			t := s.table(ref.Table)
			visit(t, link{here.at, ref, t})
		}
		for i := range s.Tables {
			for _, ref := range s.Tables[i].Refs {
				if both && s.table(ref.Table) == here.at {
					visit(&s.Tables[i], link{&s.Tables[i], ref, here.at})
				}
			}
		}
	}
	return nil
}

// statement is a SELECT while it is put together.
type statement struct {
	s       *Schema
	base    *Table
	joined  []*Table
	joins   []string
	columns []string
	where   []string
	groups  []string
	order   string
	limit   int
	read    []string
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

// query puts the statement together.
func (r *reading) query() *Query {
	if !r.settle() {
		return nil
	}
	st := &statement{s: r.s, base: r.subject, limit: r.limit}
	if r.measure.valid() {
		st.base = r.measure.t
	}
	if !r.groupBy(st) || !r.filter(st) {
		return nil
	}
	r.sel(st)
	var missed []string
	for _, it := range r.items {
		if !it.used && it.words != "" {
			missed = append(missed, it.words)
		}
	}
	return &Query{SQL: st.String(), Read: st.read, Missed: missed, Whole: r.aggr == none && len(st.where) == 0 && len(r.selected) == 0 && r.order == none && r.limit == 0}
}

// settle fills in what the question leaves to be understood.
func (r *reading) settle() bool {
	if r.beyond {
		return false
	}
	if r.subject == nil {
		r.subject = r.measure.t
	}
	if r.subject == nil {
		r.subject = r.about()
	}
	if r.subject == nil && len(r.groups) > 0 {
		r.subject = cmp.Or(r.groups[0].table, r.groups[0].t)
	}
	if r.subject == nil {
		return false
	}
	if r.aggr == none && (r.pending == count || r.pending == share) {
		r.aggr = r.pending
	}
	if r.aggr != none && r.order != none && len(r.groups) == 0 {
		for _, p := range r.selected { // "which cause has the highest average"
			r.groups = append(r.groups, group{place: p})
		}
		if r.limit == 0 && r.asked1 {
			r.limit = 1
		}
	}
	if r.aggr == none && len(r.groups) > 0 {
		r.aggr = count
		if i := slices.IndexFunc(r.selected, place.measure); i >= 0 {
			r.aggr, r.measure = r.selected[i].natural(), r.selected[i]
		}
	}
	if r.aggr == none && r.order != none && !r.orderBy.valid() {
		r.orderBy = r.subject.principal()
	}
	if slices.Contains([]op{sum, avg, largest, smallest}, r.aggr) && !r.measure.valid() {
		return false
	}
	return true
}

// groupBy puts rows together. What a row of the base does not lead to cannot
// be a group: adding up would count rows more than once.
func (r *reading) groupBy(st *statement) bool {
	for _, g := range r.groups {
		switch {
		case g.unit != "":
			p := r.dated()
			if p.t != st.base {
				p = st.base.date()
			}
			if !p.valid() {
				return false
			}
			st.column(unitSQL(p.sql(), g.unit), g.unit)
			st.read = append(st.read, "for each "+g.unit+" of "+p.name())
		case g.table != nil:
			if !r.rebase(st, g.table) {
				return false
			}
			r.groupRows(st, g.table)
		default:
			if !r.rebase(st, g.t) {
				return false
			}
			st.column(g.sql(), g.c.Name)
			st.read = append(st.read, "for each "+g.name())
		}
	}
	return true
}

// rebase joins t, or starts from it where only that counts each row of the
// subject once.
func (r *reading) rebase(st *statement, t *Table) bool {
	if st.join(t) {
		return true
	}
	if r.aggr == count && !r.measure.valid() && len(st.joined) == 0 && st.base.Key != "" && r.s.up(t, st.base) != nil {
		counted := st.base
		st.base = t
		st.join(counted)
		r.measure, r.distinct = place{counted, &Column{Name: counted.Key}}, true
		return true
	}
	return false
}

func (r *reading) groupRows(st *statement, t *Table) {
	st.read = append(st.read, "for each of "+t.Bare)
	if t.Key != "" {
		st.column(t.Name+"."+quoted(t.Key), t.Key)
	}
	if p := t.label(); p.valid() && p.c.Name != t.Key {
		st.column(p.sql(), p.c.Name)
	}
}

func (st *statement) column(sql, name string) {
	st.columns = append(st.columns, sql+" AS "+quoted(name))
	st.groups = append(st.groups, fmt.Sprint(len(st.columns)))
}

// filter keeps the rows that the question is about. Conditions on a table of
// which a row of the base may have many are put into one EXISTS.
func (r *reading) filter(st *statement) bool {
	type key struct {
		t  *Table
		no bool
	}
	inner := map[key][]string{}
	var order []key
	for _, f := range r.filters {
		if f.table != nil {
			sub, ok := st.existing(f.table, "count(*)", nil)
			if !ok {
				return false
			}
			st.where = append(st.where, fmt.Sprintf(f.count, "("+sub+")"))
			st.read = append(st.read, "where "+f.words)
			continue
		}
		var cond, words string
		if !f.bare {
			cond, words = f.condition()
			if !f.no && st.join(f.t) {
				st.where = append(st.where, cond)
				st.read = append(st.read, "where "+words)
				continue
			}
		}
		k := key{f.t, f.no}
		if !slices.Contains(order, k) {
			order = append(order, k)
		}
		if cond != "" {
			inner[k] = append(inner[k], cond)
			st.read = append(st.read, map[bool]string{true: "with no ", false: "with "}[f.no]+f.t.Bare+" where "+words)
		}
	}
	for _, k := range order {
		sub, ok := st.existing(k.t, "1", inner[k])
		if !ok {
			return false
		}
		if len(inner[k]) == 0 {
			st.read = append(st.read, map[bool]string{true: "without ", false: "with "}[k.no]+k.t.Bare)
		}
		st.where = append(st.where, map[bool]string{true: "NOT ", false: ""}[k.no]+"EXISTS ("+sub+")")
	}
	return true
}

// sel says what to show, and in which order.
func (r *reading) sel(st *statement) {
	if r.aggr == none {
		r.list(st)
		return
	}
	expr, name, words := r.aggregated(st)
	st.columns = append(st.columns, expr+" AS "+quoted(name))
	st.read = append([]string{words}, st.read...)
	if len(st.groups) == 0 {
		st.limit = 0
		return
	}
	st.order = fmt.Sprintf("%d", len(st.groups)) // a time goes on
	if last := r.groups[len(r.groups)-1]; !last.timely() || r.order != none {
		st.order = fmt.Sprintf("%d DESC", len(st.columns))
		if r.order == smallest {
			st.order = fmt.Sprint(len(st.columns))
		}
	}
}

// timely reports whether groups follow one another in time.
func (g group) timely() bool {
	return g.unit != "" || g.valid() && (g.c.Kind == Date || yearly(strings.ToLower(g.c.Name)))
}

func (r *reading) aggregated(st *statement) (expr, name, words string) {
	if r.aggr == share {
		return "round(100.0 * count(*) / (SELECT count(*) FROM " + st.base.Name + "), 2)", "percent", "the percentage of all " + st.base.Bare
	}
	if r.aggr == count {
		if r.measure.valid() {
			return "count(DISTINCT " + r.measure.sql() + ")", "count", "the number of different " + r.measure.name()
		}
		return "count(*)", "count", "the number of " + st.base.Bare
	}
	fn := map[op]string{sum: "sum", avg: "avg", largest: "max", smallest: "min"}[r.aggr]
	name = map[op]string{sum: "total", avg: "average", largest: "largest", smallest: "smallest"}[r.aggr]
	words = "the " + name + " of " + r.measure.name()
	expr = fn + "(" + r.measure.sql() + ")"
	col := strings.ToLower(r.measure.c.Name)
	if r.measure.cents() {
		expr, col = "round("+expr+" / 100.0, 2)", strings.TrimSuffix(col, "_cents")
		words += ", divided by 100"
	} else if r.aggr == avg {
		expr = "round(" + expr + ", 2)"
	}
	return expr, name + "_" + col, words
}

// list shows rows.
func (r *reading) list(st *statement) {
	st.read = append([]string{"the rows of " + st.base.Bare}, st.read...)
	for _, p := range r.selected {
		if st.join(p.t) {
			st.columns = append(st.columns, p.sql())
		}
	}
	if r.distinct && len(st.columns) > 0 {
		st.columns[0] = "DISTINCT " + st.columns[0]
	}
	if len(st.columns) == 0 {
		st.columns = []string{st.base.Name + ".*"}
	} else if p := st.base.label(); p.valid() && !r.distinct && !slices.Contains(r.selected, p) {
		st.columns = append([]string{p.sql()}, st.columns...)
	}
	if r.orderBy.valid() && st.join(r.orderBy.t) {
		st.order = r.orderBy.sql()
		words := "smallest " + r.orderBy.name() + " first"
		if r.order == largest {
			st.order += " DESC"
			words = "largest " + r.orderBy.name() + " first"
		}
		st.read = append(st.read, words)
	}
}

// String writes the statement.
func (st *statement) String() string {
	var b strings.Builder
	b.WriteString("SELECT " + strings.Join(st.columns, ", ") + " FROM " + st.base.Name)
	for _, j := range st.joins {
		b.WriteString(" " + j)
	}
	if len(st.where) > 0 {
		b.WriteString(" WHERE " + strings.Join(st.where, " AND "))
	}
	if len(st.groups) > 0 {
		b.WriteString(" GROUP BY " + strings.Join(st.groups, ", "))
	}
	if st.order != "" {
		b.WriteString(" ORDER BY " + st.order)
	}
	if st.limit > 0 {
		fmt.Fprintf(&b, " LIMIT %d", st.limit)
	}
	return b.String()
}
