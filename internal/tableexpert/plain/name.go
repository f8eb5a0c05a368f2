package plain

import (
	"fmt"
	"slices"
	"strings"
)

// name places the name of a table, column or value by what came before it.
func (r *reading) name(it *item) {
	if it.unit != "" && r.grouping && !r.owns(it.columns) {
		r.timeUnit(it)
		return
	}
	numeric := r.choose(it.columns, place.measure)
	defer func() {
		if it.table != nil || len(it.values) == 0 {
			r.exists = none
		}
	}()
	switch {
	case len(it.values) == 0 && it.table == nil && len(it.columns) == 0:
		return // a word that nobody knows
	case r.sorting && len(it.columns) > 0:
		r.orderBy, r.sorting = r.choose(it.columns, nil), false
	case r.grouping:
		r.group(it, numeric)
	case (r.pending == count || r.pending == share) && it.table != nil:
		if r.subject == nil {
			r.subject, r.aggr = it.table, r.pending
		}
		r.pending = none
	case r.pending == count && r.distinct && len(it.columns) > 0:
		r.aggr, r.measure, r.pending = count, r.choose(it.columns, nil), none
	case slices.Contains([]op{sum, avg, largest, smallest}, r.pending) && (numeric.valid() || it.table != nil):
		r.aggregate(it, numeric)
	case slices.Contains([]op{top, bottom, latest, earliest}, r.pending) && (it.table != nil || len(it.columns) > 0):
		r.ranked(it)
	case slices.Contains([]op{most, fewest, common, rare}, r.pending) && (it.table != nil || len(it.columns) > 0):
		r.frequent(it, numeric)
	case it.table == nil && len(it.values) > 0 && !r.meansDate(it):
		r.value(it)
	case it.table != nil:
		r.table(it)
	default:
		r.named(it)
	}
	it.used = true
}

// choose returns the likeliest of some columns that fit: of the table that the
// question is about, of one that it names, of one that these refer to, or that
// refers to these.
func (r *reading) choose(ps []place, fits func(place) bool) place {
	best, points := place{}, -1
	for _, p := range ps {
		if fits != nil && !fits(p) {
			continue
		}
		if n := r.nearness(p.t); n > points {
			best, points = p, n
		}
	}
	return best
}

func (r *reading) nearness(t *Table) int {
	switch {
	case t == r.about():
		return 4
	case r.mentions(t):
		return 3
	}
	n := 0
	for _, it := range r.items {
		switch {
		case it.table == nil:
		case r.s.path(it.table, t, false) != nil:
			return 2
		case r.s.path(it.table, t, true) != nil:
			n = 1
		}
	}
	return n
}

func (r *reading) mentions(t *Table) bool {
	return slices.ContainsFunc(r.items, func(it item) bool { return it.table == t })
}

// owns reports whether one of the columns is of the table that the question
// is about.
func (r *reading) owns(ps []place) bool {
	return slices.ContainsFunc(ps, func(p place) bool { return p.t == r.about() || p.t == r.measure.t })
}

// group reads what stands after "by": what to order the top N by, or what to
// put together.
func (r *reading) group(it *item, numeric place) {
	r.grouping = false
	switch {
	case r.order != none && r.pending == count && it.table != nil:
		r.pending = none
		r.countOf(it.table)
	case r.order != none && numeric.valid():
		if r.pending == avg {
			r.aggr = avg
		}
		r.pending = none
		r.rankBy(numeric)
	case len(it.columns) > 0 && (it.table == nil || it.whole && r.owns(it.columns)):
		r.groups = append(r.groups, group{place: r.choose(it.columns, nil)})
		r.grouping = r.nextIs(and)
	case it.table != nil:
		r.groups = append(r.groups, group{table: it.table})
		r.grouping = r.nextIs(and)
	default:
		r.value(it)
	}
}

// countOf counts the rows of t for each row of the subject.
func (r *reading) countOf(t *Table) {
	if r.subject != nil && r.subject != t {
		r.groups = append(r.groups, group{table: r.subject})
	}
	r.subject, r.aggr, r.measure = t, count, place{}
}

// rankBy orders the rows of the subject by a column of it, or by the sum of a
// column of those that refer to it.
func (r *reading) rankBy(p place) {
	if p.t == r.subject && len(r.groups) == 0 && r.aggr == none {
		r.orderBy = p
		return
	}
	if r.subject != nil && r.subject != p.t && len(r.groups) == 0 {
		r.groups = append(r.groups, group{table: r.subject})
	}
	r.measure = p
	if r.aggr != avg {
		r.aggr = p.natural()
	}
}

// aggregate reads what is added up, averaged, or the extreme of something.
func (r *reading) aggregate(it *item, numeric place) {
	extreme := r.pending == largest || r.pending == smallest
	switch {
	case extreme && it.table != nil && !(it.whole && numeric.valid()):
		r.subject, r.order = it.table, r.pending
		r.setLimit(it)
	case extreme && r.subject != nil && numeric.valid():
		r.order, r.orderBy = r.pending, numeric
		r.setLimit(nil)
	case numeric.valid():
		r.aggr, r.measure, r.column = r.pending, numeric, numeric
	case r.pending == sum:
		r.subject, r.aggr = it.table, count
	default:
		r.subject, r.aggr, r.measure = it.table, r.pending, it.table.principal()
	}
	r.pending = none
}

// setLimit takes one row for "the largest claim" and ten for "the largest
// claims", unless the question says how many.
func (r *reading) setLimit(it *item) {
	switch {
	case r.limit != 0:
	case it != nil && it.words == fold(strings.Fields(it.words)), it == nil && r.asked1:
		r.limit = 1
	default:
		r.limit = 10
	}
}

// ranked reads what "top 5" is about.
func (r *reading) ranked(it *item) {
	dated := r.pending == latest || r.pending == earliest
	r.pending = none
	if it.table == nil {
		r.groups = append(r.groups, group{place: r.choose(it.columns, nil)})
		return
	}
	if r.subject == nil {
		r.subject = it.table
	}
	if r.orderBy = r.subject.principal(); dated {
		r.orderBy = r.subject.date()
	}
}

// frequent reads what there is the most of, or what is most common.
func (r *reading) frequent(it *item, numeric place) {
	r.order = map[op]op{most: largest, common: largest, fewest: smallest, rare: smallest}[r.pending]
	often := r.pending == common || r.pending == rare
	r.pending = none
	if r.limit == 0 {
		r.limit = 10
		if !often && r.asked1 && r.one() {
			r.limit = 1
		}
	}
	switch {
	case often && len(it.columns) > 0:
		p := r.choose(it.columns, nil)
		r.groups = append(r.groups, group{place: p})
		if r.subject == nil {
			r.subject = p.t
		}
		r.aggr = count
	case it.table != nil && len(r.selected) > 0 && r.subject == nil:
		for _, p := range r.selected {
			r.groups = append(r.groups, group{place: p})
		}
		r.selected, r.subject, r.aggr = nil, it.table, count
	case it.table != nil:
		r.countOf(it.table)
	case numeric.valid():
		r.rankBy(numeric)
	}
}

// one reports whether the question is about a single one: "which customer".
func (r *reading) one() bool {
	for _, it := range r.items {
		if it.table != nil || len(it.columns) > 0 {
			return it.words == fold(strings.Fields(it.words))
		}
	}
	return false
}

// meansDate tells "closed in 2025", a date, from "closed", a value.
func (r *reading) meansDate(it *item) bool {
	p := r.choose(it.columns, func(p place) bool { return p.c.Kind == Date })
	next := r.peek()
	dated := next != nil && (next.period != nil || slices.Contains([]op{before, after, since, until, between}, next.op))
	if p.valid() && dated {
		it.columns = []place{p}
	}
	return p.valid() && dated
}

// value keeps the rows that hold it.
func (r *reading) value(it *item) {
	if len(it.values) == 0 {
		return
	}
	places := make([]place, len(it.values))
	for i, v := range it.values {
		places[i] = v.place
	}
	p := r.choose(places, nil)
	v := it.values[slices.Index(places, p)]
	f := filter{place: p, no: r.exists == without}
	if i := slices.IndexFunc(r.filters, func(g filter) bool { return g.place == p && len(g.is) > 0 && g.not == r.negate && g.no == f.no }); i >= 0 {
		r.filters[i].is = append(r.filters[i].is, v.is...)
	} else {
		f.is, f.not = slices.Clone(v.is), r.negate
		r.filters = append(r.filters, f)
	}
	if !r.nextIs(and) {
		r.negate = false
	}
}

// table reads a table that nothing waits for: the first is the subject; a
// later one matters after "with" and "without".
func (r *reading) table(it *item) {
	switch {
	case r.subject == nil:
		r.subject = it.table
	case it.table != r.subject && r.exists != none:
		if r.exists == with && r.nextIs(over, atLeast, under, atMost, between) {
			return
		}
		r.filters = append(r.filters, filter{place: place{t: it.table}, bare: true, no: r.exists == without})
	}
}

// named reads a column that nothing waits for: what is compared next, or what
// to show.
func (r *reading) named(it *item) {
	p := r.choose(it.columns, nil)
	if p2 := r.choose(it.columns, func(p place) bool { return p.c.Kind == Number }); p2.valid() && (r.compare != none || r.nextIs(over, atLeast, under, atMost, exactly)) {
		p = p2
	}
	r.column = p
	if n := len(r.filters); n > 0 && r.filters[n-1].place == p && r.at > 0 && len(r.items[r.at-1].values) > 0 {
		return // "the commercial segment"
	}
	if r.exists == without {
		r.filters = append(r.filters, filter{place: p, cond: "%[1]s IS NULL", words: p.name() + " is empty"})
		return
	}
	if r.compare == none && !r.nextIs(over, atLeast, under, atMost, between, exactly, before, after, since, until) && r.next() == nil {
		r.selected = append(r.selected, p)
	}
}

// next is the next item if it is a time.
func (r *reading) next() *period {
	if it := r.peek(); it != nil {
		return it.period
	}
	return nil
}

func (f filter) condition() (sql, words string) {
	switch {
	case len(f.is) == 1 && !f.not:
		return f.sql() + " = " + literal(f.is[0]), f.name() + " is " + f.is[0]
	case len(f.is) == 1:
		return f.sql() + " <> " + literal(f.is[0]), f.name() + " is not " + f.is[0]
	case len(f.is) > 1:
		all := make([]string, len(f.is))
		for i, v := range f.is {
			all[i] = literal(v)
		}
		in, is := " IN (", " is "
		if f.not {
			in, is = " NOT IN (", " is not "
		}
		return f.sql() + in + strings.Join(all, ", ") + ")", f.name() + is + strings.Join(f.is, " or ")
	default:
		return fmt.Sprintf(f.cond, f.sql()), f.words
	}
}
