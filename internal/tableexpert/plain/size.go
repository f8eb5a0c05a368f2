package plain

import (
	"fmt"
	"slices"
	"strings"
)

// having keeps groups.
type having struct {
	symbol string
	n      float64
}

// symbols of the comparisons in SQL.
var symbols = map[op]string{over: ">", atLeast: ">=", under: "<", atMost: "<=", exactly: "="}

// add keeps rows by f, or if "or" came before it, by f or the filter before.
func (r *reading) add(f filter) {
	if len(f.is) == 0 && !f.bare {
		f.neg = r.negated()
	}
	if len(r.filters) > 0 {
		f.or = r.or
	}
	r.or = nil
	r.filters = append(r.filters, f)
}

// negated reports whether "not" stands before what is read, and takes it.
func (r *reading) negated() bool {
	is := r.negate != nil
	r.negate = nil
	return is
}

// compared reads "over 10,000", of a column, of the rows of a table, or of what groups
// have.
func (r *reading) compared(it *item) {
	symbol := symbols[r.compare]
	about := r.column.valid() && r.column.c.Kind == Number
	switch t, last := r.counting(); {
	case t == nil || it.num.cash || about:
	case r.subject != nil && t != r.subject:
		r.countedRows(t, last, symbol+" "+format(it.num.num))
		return
	case r.groupsCounted(t):
		r.take(last)
		r.havings = append(r.havings, having{symbol, it.num.num})
		r.compare, r.exists = none, none
		return
	}
	if next := r.peek(); next != nil && next.unit != "" && len(next.columns) == 0 && !about && !it.num.cash {
		it.used = false // no amount is longer than 10 days
		return
	}
	if r.ofGroups() {
		r.havings = append(r.havings, having{symbol, scaled(r.measure, it.num.num)})
		r.compare, r.column = none, place{}
		return
	}
	p := r.numeric()
	if !p.valid() || r.countsKinds() {
		it.used = false
		return
	}
	n := scaled(p, it.num.num)
	r.narrow(filter{place: p, cond: "%[1]s " + symbol + " " + format(n), words: said(p, symbol, it.num.num)})
	r.compare, r.column = none, place{}
}

// countsKinds reports whether the number counts what a column holds: "more than 2 lines".
// No statement of ours compares that.
func (r *reading) countsKinds() bool {
	it := r.peek()
	return it != nil && it.op == none && it.table == nil && len(it.columns) > 0 && len(it.values) == 0 && !oneSaid(it.words) &&
		!slices.ContainsFunc(it.columns, func(p place) bool { return p.c.Kind != Text })
}

// counting returns the table whose rows a number before it counts, and where it is
// named: "3 claims", "3 open claims", "3 passed exams" and "3 shiny claims".
func (r *reading) counting() (*Table, int) {
	for i := r.at + 1; i < len(r.items); i++ {
		switch it := &r.items[i]; {
		case it.op == filler, it.unknown() && it.unit == "", it.flags() != nil:
		case it.op == none && it.table != nil:
			return it.table, i
		case it.op != none || len(it.values) == 0:
			return nil, 0
		}
	}
	return nil, 0
}

// exactlyOf reports whether a number says how many rows the subject has to have.
func (r *reading) exactlyOf() bool {
	t, _ := r.counting()
	return t != nil && r.exists == with && r.subject != nil && t != r.subject && r.before(with)
}

// below reports whether each row of what the question is about may have many of t.
func (r *reading) below(t *Table) bool {
	about := r.about()
	return about != nil && t != about && len(r.s.up(about, t)) == 0
}

// besides reports whether another value of p is asked for already, of rows of which each of
// what the question is about may have many.
func (r *reading) besides(p place) bool {
	return r.below(p.t) &&
		slices.ContainsFunc(r.filters, func(f filter) bool { return f.place == p && len(f.is) > 0 && !f.not && !f.no })
}

// flags are the columns that say yes or no, if the item names such and nothing else.
func (it *item) flags() []place {
	if it.op != none || it.table != nil || len(it.values) > 0 || slices.ContainsFunc(it.columns, func(p place) bool { _, _, ok := p.flag(); return !ok }) {
		return nil
	}
	return it.columns
}

// countedRows keeps the rows of the subject to which so many of t belong.
func (r *reading) countedRows(t *Table, last int, many string) {
	f := filter{table: t, count: "%s " + many}
	what := t.Bare
	for i := r.at + 1; i < last; i++ {
		for _, p := range r.items[i].flags() {
			if yes, _, _ := p.flag(); p.t == t {
				f.where = append(f.where, filter{place: p, cond: "%[1]s = " + yes})
				what += " where " + p.name() + " is " + strings.Trim(yes, "'")
				r.items[i].used = true
			}
		}
		for _, v := range r.items[i].values {
			if v.t == t {
				g := filter{place: v.place, is: v.is}
				_, words := g.condition()
				what += " where " + words
				f.where = append(f.where, g)
				r.items[i].used = true
				break
			}
		}
	}
	f.words = "the number of " + what + " " + many
	r.add(f)
	for r.at < last {
		r.at++
		r.items[r.at].used = r.items[r.at].used || r.items[r.at].op == filler || r.at == last
	}
	r.tail, r.tailed = len(r.filters)-1, r.at
	r.compare, r.exists = none, none
}

// groupsCounted reads "departments with more than 10 employees", where departments are
// a column of employees, and reports whether it is that.
func (r *reading) groupsCounted(t *Table) bool {
	var groups []group
	switch {
	case r.aggr == count && r.measure.valid() && r.measure.t != nil:
		groups = []group{{place: r.measure}}
	case len(r.groups) == 0 && len(r.selected) > 0 && r.aggr == none:
		for _, p := range r.selected {
			groups = append(groups, group{place: p})
		}
	case len(r.groups) == 0 || r.aggr != none && r.aggr != count:
		return false
	}
	for _, g := range groups {
		if g.t != t && len(r.s.up(t, g.t)) == 0 {
			return false
		}
	}
	r.counted = r.counted || r.aggr == count && r.measure.valid()
	r.groups, r.selected = append(r.groups, groups...), nil
	r.subject, r.aggr, r.measure = t, count, place{}
	return true
}

// ofGroups reports whether a number that follows an aggregate is about what each group
// has: "departments with a total salary over 100,000".
func (r *reading) ofGroups() bool {
	if !r.measure.valid() || !aggregates(r.aggr) || !r.close(r.measured) {
		return false
	}
	if r.aggr == median {
		r.beyond = true
		return false
	}
	t := r.measure.t
	switch {
	case len(r.groups) > 0:
		return true
	case len(r.selected) > 0:
		for _, p := range r.selected {
			if p.t != t && len(r.s.up(t, p.t)) == 0 {
				return false
			}
		}
		for _, p := range r.selected {
			r.groups = append(r.groups, group{place: p})
		}
		r.selected = nil
	case r.subject != nil && r.subject != t && len(r.s.up(t, r.subject)) > 0:
		r.groups = append(r.groups, group{table: r.subject})
	default:
		return false
	}
	if n := len(r.more); n > 0 && r.more[n-1].op == count && !r.more[n-1].valid() {
		r.counted, r.more = true, r.more[:n-1] // "how many customers have a total over 100"
	}
	return true
}

// narrow keeps rows by f: those of the table that was just counted or looked for, or
// else those that the question is about.
func (r *reading) narrow(f filter) {
	tail := r.tailTable()
	if tail != nil && r.through(tail, f) { // customers who never ordered a lamp
		f.no, f.neg = r.filters[r.tail].no, false
		r.filters = slices.Delete(r.filters, r.tail, r.tail+1)
		r.filters = append(r.filters, f)
		r.tail, r.tailed = len(r.filters)-1, r.at
		return
	}
	if tail != nil && f.t == tail && (!f.no || r.filters[r.tail].no) { // "with hail but no theft claims" are two
		f.no = r.filters[r.tail].no
		if r.filters[r.tail].table != nil {
			r.filters[r.tail].where = append(r.filters[r.tail].where, f)
			_, words := f.condition()
			r.filters[r.tail].words += " where " + words
			r.tailed = r.at
			return
		}
		r.tailed = r.at
	}
	r.add(f)
}

// through reports whether what f asks for is of something that the rows of tail, of which
// any would do, have to do with, and the subject only by way of them.
func (r *reading) through(tail *Table, f filter) bool {
	about := r.about()
	if !r.filters[r.tail].bare || f.c == nil || f.t == tail || f.t == about || f.or != nil || r.or != nil || len(r.s.up(about, f.t)) > 0 {
		return false
	}
	return slices.ContainsFunc(r.s.path(about, f.t, true), func(l link) bool { return l.from == tail || l.to == tail })
}

// tailTable is the table of which only what the rows of the subject have was asked for,
// if nothing else was named since.
func (r *reading) tailTable() *Table {
	switch {
	case r.tailed < 0 || !r.close(r.tailed):
		return nil
	case r.filters[r.tail].table != nil:
		return r.filters[r.tail].table
	}
	return r.filters[r.tail].t
}

// bounded is what the number before this one was compared with: "a reserve over 1000 and
// under 2000" has two bounds.
func (r *reading) bounded() place {
	n, last := len(r.filters), r.previous(over, atLeast, under, atMost, exactly, not, and)
	if n == 0 || last == nil || last.num == nil || r.filters[n-1].c == nil || r.filters[n-1].c.Kind != Number {
		return place{}
	}
	return r.filters[n-1].place
}

func (r *reading) between(it *item) {
	p, high := r.numeric(), -1
	for i := r.at + 1; i < len(r.items) && i <= r.at+2; i++ {
		if r.items[i].num != nil {
			high = i
		}
	}
	if high < 0 {
		it.used = false
		return
	}
	first, to := r.at, r.items[high].num.num
	r.at = high
	t, last := r.counting()
	counts := t != nil && !it.num.cash && !r.column.valid() && r.subject != nil && t != r.subject
	r.at = first
	if !p.valid() && !counts {
		it.used = false
		return
	}
	r.take(high)
	if counts {
		r.countedRows(t, last, "BETWEEN "+format(it.num.num)+" AND "+format(to))
		return
	}
	r.narrow(filter{place: p, cond: "%[1]s BETWEEN " + format(scaled(p, it.num.num)) + " AND " + format(scaled(p, to)),
		words: fmt.Sprintf("%s and %s", said(p, "between", it.num.num), format(to))})
	r.compare, r.column = none, place{}
}

// scaled is what people say, in what the column counts.
func scaled(p place, n float64) float64 {
	if p.cents() {
		return n * 100
	}
	return n
}

func said(p place, symbol string, n float64) string {
	name := p.name()
	if p.cents() {
		return fmt.Sprintf("%s %s %s × 100", name, symbol, format(n))
	}
	return fmt.Sprintf("%s %s %s", name, symbol, format(n))
}
