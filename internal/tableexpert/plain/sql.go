package plain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

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
	r.unused(st)
	var missed []string
	for _, it := range r.items {
		if !it.used && it.words != "" {
			missed = append(missed, it.words)
		}
	}
	return &Query{SQL: r.wrapped(st), Read: st.read, Missed: missed, Whole: r.aggr == none && len(st.where) == 0 && len(r.selected) == 0 && r.order == none && r.limit == 0}
}

// wrapped is the statement, or one that counts its groups or takes their average.
func (r *reading) wrapped(st *statement) string {
	grouped := len(st.groups) > 0
	switch {
	case grouped && r.counted:
		st.order, st.limit = "", 0
		st.read = append([]string{"how many there are of the following"}, st.read...)
		return "SELECT count(*) AS count FROM (" + st.String() + ")"
	case grouped && r.outer == avg && (r.aggr == count || r.aggr == sum):
		st.order, st.limit = "", 0
		st.read = append([]string{"the average of the following"}, st.read...)
		name := st.named
		return "SELECT round(avg(" + quoted(name) + "), 2) AS " + quoted("average_"+name) + " FROM (" + st.String() + ")"
	}
	return st.String()
}

// unused says which words have no part in the statement, although they were read.
func (r *reading) unused(st *statement) {
	for _, lost := range []struct {
		op op
		is bool
	}{
		{not, r.negate != nil},
		{without, r.exists == without},
		{sorted, r.sorting},
		{by, r.grouping && r.order == none},
		{r.compare, r.compare != none},
		{r.when, r.when != none && !(r.when == since && r.said[since].words != "since")},
		{distinct, r.distinct && r.aggr != count && len(r.selected) == 0},
		{avg, r.outer == avg && !(len(st.groups) > 0 && (r.aggr == count || r.aggr == sum))},
		{r.pending, r.pending != r.aggr && slices.Contains([]op{avg, median, largest, smallest, share, count}, r.pending)},
		{r.pending, slices.Contains([]op{top, bottom, latest, earliest}, r.pending)},
		{sum, r.pending == sum && r.aggr != count && r.aggr != sum},
		{r.pending, r.order == none && slices.Contains([]op{most, fewest, common, rare}, r.pending)},
	} {
		if lost.is {
			r.drop(lost.op)
		}
	}
	for _, o := range r.waiting {
		r.drop(o)
	}
	if r.or != nil { // with nothing behind it
		r.or.used = false
	}
	if r.aggr != none {
		for _, p := range append(r.selected, r.orderBy) {
			r.dropColumn(p, st)
		}
	}
}

// dropColumn says that the statement neither shows p nor asks anything of it.
func (r *reading) dropColumn(p place, st *statement) {
	if !p.valid() || p == r.measure || slices.ContainsFunc(r.more, func(a aggregate) bool { return a.place == p }) || slices.ContainsFunc(r.groups, func(g group) bool { return g.place == p }) ||
		slices.ContainsFunc(r.filters, func(f filter) bool { return f.place == p }) {
		return
	}
	for i := range r.items {
		if it := &r.items[i]; it.table == nil && slices.Contains(it.columns, p) {
			it.used = false
		}
	}
}

// unshown says that a column that was named is none of the rows that are listed.
func (r *reading) unshown(p place) {
	for i := range r.items {
		if it := &r.items[i]; it.op == none && slices.Contains(it.columns, p) {
			it.used = false
		}
	}
}

// settle fills in what the question leaves to be understood.
func (r *reading) settle() bool {
	if r.beyond || r.outer == avg && r.pending == sum { // "the average total", of nothing
		return false
	}
	if r.subject == nil {
		r.subject = r.measure.t
	}
	if r.subject == nil {
		r.subject = r.about()
		r.distinct = r.distinct || r.kinds()
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
	if r.aggr == share && len(r.filters)+len(r.groups) == 0 { // all of them are 100 %
		return false
	}
	if r.outer == avg && r.aggr == sum && r.wordsOf(by) == "by" { // the average number of pages by genre
		r.aggr, r.outer = avg, none
	}
	r.eachOfSubject()
	if r.aggr != none && r.order != none && len(r.groups) == 0 {
		for _, p := range r.selected { // "which cause has the highest average"
			if p != r.measure {
				r.groups = append(r.groups, group{place: p})
			}
		}
		if r.limit == 0 && r.asked1 {
			r.limit = 1
		}
	}
	if r.aggr == none && len(r.groups) > 0 && r.extreme != none { // the largest claim of each
		if r.limited {
			return false
		}
		r.aggr, r.measure, r.limit = r.extreme, r.orderBy, 0
		if !r.measure.valid() {
			r.measure = r.subject.principal()
		}
		if r.groups[0].timely() {
			r.order = none
		}
	}
	if r.aggr == none && len(r.groups) > 0 {
		r.measureGroups()
	}
	if r.aggr == none && r.order != none && !r.orderBy.valid() && !r.orderRows() {
		return false
	}
	return !r.ofNobody() && (r.measure.valid() || !slices.Contains([]op{sum, avg, median, largest, smallest}, r.aggr))
}

// measureGroups takes what was named of groups, or else how many rows they have.
func (r *reading) measureGroups() {
	r.aggr = count
	for _, p := range r.selected {
		if !p.measure() || r.measure.valid() && p.t != r.measure.t {
			continue
		}
		if r.measure.valid() { // debit and credit per month
			r.more = append(r.more, aggregate{r.aggr, r.measure})
		}
		r.aggr, r.measure = p.natural(), p
	}
}

// kinds reports whether a question that names no table asks what kinds there are, as
// "which cities are there".
func (r *reading) kinds() bool {
	return r.aggr == none && r.pending == none && r.order == none && len(r.groups) == 0 &&
		!slices.ContainsFunc(r.selected, func(p place) bool { return p.c.Kind != Text || len(p.c.Values) == 0 })
}

// groupBy puts rows together. What a row of the base does not lead to cannot
// be a group: adding up would count rows more than once.
func (r *reading) groupBy(st *statement) bool {
	for _, g := range r.groups {
		switch {
		case g.unit != "":
			p := cmp.Or(g.place, r.lastDate, r.dated())
			if y := r.yearColumn(); !p.valid() && g.unit == "year" && y.valid() && st.join(y.t) {
				st.column(y.sql(), y.c.Name)
				st.read = append(st.read, "for each "+y.name())
				continue
			}
			if p.t != st.base && !g.valid() && p != r.lastDate && st.base.date().valid() {
				p = st.base.date()
			}
			if !p.valid() || !st.join(p.t) {
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

// filter keeps the rows that the question is about. Conditions on a table of
// which a row of the base may have many are put into one EXISTS.
func (r *reading) filter(st *statement) bool {
	type key struct {
		t  *Table
		no bool
	}
	inner := map[key][]string{}
	var order []key
	given := r.aggr == share && len(r.filters) > 0 && !r.filters[len(r.filters)-1].given
	for _, f := range r.filters {
		if f.given = f.given && given; f.given && (f.t != st.base || f.no || f.bare || f.or != nil) {
			return false // of what is not in the table itself
		}
		if f.table != nil {
			var conds []string
			for _, g := range f.where {
				cond, _ := g.condition()
				conds = append(conds, cond)
			}
			sub, ok := st.existing(f.table, "count(*)", conds)
			if !ok {
				return false
			}
			f.cond, f.table = strings.ReplaceAll(f.count, "%s", "("+strings.ReplaceAll(sub, "%", "%%")+")"), nil
			cond, words := f.condition()
			st.keep(f, cond, words)
			continue
		}
		var cond, words string
		if !f.bare {
			cond, words = f.condition()
			if !f.no && st.join(f.t) {
				st.keep(f, cond, words)
				continue
			}
		}
		if f.or != nil {
			f.or.used = false
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

// keep keeps the rows of a condition, or of that and the one before.
func (st *statement) keep(f filter, cond, words string) {
	if (f.time || f.given) && f.t == st.base && f.or == nil {
		st.times = append(st.times, cond)
		st.given = append(st.given, words)
	} else if f.or != nil {
		st.times, st.given = nil, nil
	}
	if last := len(st.where) - 1; f.or != nil && last >= 0 {
		st.where[last] = "(" + st.where[last] + " OR " + cond + ")"
		st.read[len(st.read)-1] += " or " + words
		return
	} else if f.or != nil {
		f.or.used = false
	}
	st.where = append(st.where, cond)
	st.read = append(st.read, "where "+words)
}

// sel says what to show, and in which order.
func (r *reading) sel(st *statement) {
	if r.aggr == none {
		r.list(st)
		return
	}
	for _, a := range r.more { // what was said first comes first
		switch {
		case r.aggr == median || a.op == median:
			r.drop(a.op)
		case a.op == count && !a.valid(), a.valid() && a.t == st.base:
			expr, name, words := aggregated(st, a)
			st.columns = append(st.columns, expr+" AS "+quoted(name))
			st.read = append(st.read, "and "+words)
		default:
			r.drop(a.op)
		}
	}
	expr, name, words := aggregated(st, aggregate{r.aggr, r.measure})
	if conds := st.conditions(); r.aggr == share && len(st.groups) > 0 && len(conds) > 0 { // of each group
		expr, words = "round(100.0 * count(CASE WHEN "+strings.Join(conds, " AND ")+" THEN 1 END) / count(*), 2)", "the percentage of the "+st.base.Bare+" of each"
		st.where = st.times
	}
	if r.aggr == median {
		st.middle = r.measure.sql()
	}
	st.columns, st.named = append(st.columns, expr+" AS "+quoted(name)), name
	st.read = append([]string{words}, st.read...)
	for _, h := range r.havings {
		what := "count(*)"
		if r.measure.valid() && r.aggr != count {
			what = functions[r.aggr] + "(" + r.measure.sql() + ")"
		}
		st.having = append(st.having, what+" "+h.symbol+" "+format(h.n))
		st.read = append(st.read, "that have "+what+" "+h.symbol+" "+format(h.n))
	}
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

// functions of SQL, and what they are called.
var (
	functions = map[op]string{sum: "sum", avg: "avg", largest: "max", smallest: "min"}
	called    = map[op]string{sum: "total", avg: "average", median: "median", largest: "largest", smallest: "smallest"}
)

func aggregated(st *statement, a aggregate) (expr, name, words string) {
	if a.op == share {
		of, times := "", ""
		if len(st.times) > 0 && len(st.where)+len(st.groups) > len(st.times) {
			of, times = " WHERE "+strings.Join(st.times, " AND "), " where "+strings.Join(st.given, " and ")
		}
		return "round(100.0 * count(*) / (SELECT count(*) FROM " + st.base.Name + of + "), 2)", "percent", "the percentage of all " + st.base.Bare + times
	}
	if a.op == count {
		if a.valid() {
			return "count(DISTINCT " + a.sql() + ")", "count", "the number of different " + a.name()
		}
		return "count(*)", "count", "the number of " + st.base.Bare
	}
	words = "the " + called[a.op] + " of " + a.name()
	expr = functions[a.op] + "(" + a.sql() + ")"
	if a.op == median {
		expr = "avg(value)"
	}
	col := strings.ToLower(a.c.Name)
	if a.cents() {
		expr, col = "round("+expr+" / 100.0, 2)", strings.TrimSuffix(col, "_cents")
		words += ", divided by 100"
	} else if a.op == avg || a.op == median {
		expr = "round(" + expr + ", 2)"
	}
	return expr, called[a.op] + "_" + col, words
}

// list shows rows.
func (r *reading) list(st *statement) {
	st.read = append([]string{"the rows of " + st.base.Bare}, st.read...)
	for _, p := range r.selected {
		if st.join(p.t) {
			st.columns = append(st.columns, p.sql())
		} else {
			r.unshown(p)
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
		if sql := r.orderBy.sql(); len(r.selected) > 0 && !r.distinct && !slices.Contains(st.columns, sql) {
			st.columns = append(st.columns, sql)
		}
		st.order = r.orderBy.sql() + " NULLS LAST"
		words := "smallest " + r.orderBy.name() + " first"
		if r.order == largest {
			st.order = r.orderBy.sql() + " DESC"
			words = "largest " + r.orderBy.name() + " first"
		}
		st.read = append(st.read, words)
	}
}
