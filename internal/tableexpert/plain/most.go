package plain

import (
	"cmp"
	"strings"
)

// setLimit takes one row for "the largest claim" and ten for "the largest
// claims", unless the question says how many.
func (r *reading) setLimit(it *item) {
	switch {
	case r.limit != 0:
	case it != nil && oneSaid(it.words), it == nil && r.asked1:
		r.limit = 1
	default:
		r.limit = 10
	}
}

// ranked reads what "top 5" is about.
func (r *reading) ranked(it *item) {
	dated, was := r.pending == latest || r.pending == earliest, r.pending
	r.pending = none
	if it.table == nil {
		switch p := r.choose(it.columns, func(p place) bool { return p.c.Kind == Date }); {
		case !dated && r.choose(it.columns, place.measure).valid() && !r.nextIs(by): // the top 3 salaries
			r.orderBy = r.choose(it.columns, place.measure)
			r.subject, r.selected = r.orderBy.t, append(r.selected, r.orderBy)
		case !dated || !p.valid():
			r.groups = append(r.groups, group{place: r.choose(it.columns, nil)})
		case r.at+1 < len(r.items) && r.items[r.at+1].table != nil: // the last hired employees
			r.pending, r.orderBy = was, p
		default: // the latest date
			r.aggr, r.measure = r.order, p
			r.order, r.limit = none, 0
		}
		return
	}
	if r.subject == nil {
		r.subject = it.table
	}
	if !r.limited && oneSaid(it.words) {
		r.limit = 1
	}
	switch {
	case r.orderBy.valid():
	case dated:
		r.orderBy = r.timeline(r.subject)
	default:
		r.orderBy = r.subject.principal()
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
	case often && it.table != nil && (len(it.columns) == 0 || r.choose(it.columns, nil).t == it.table):
		r.oftenReferred(it.table)
	case strings.HasSuffix(r.wordsOf(common)+r.wordsOf(rare), "popular"):
		r.beyond = true // among whom?
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
	default:
		r.mostOf(it)
	}
}

// oftenReferred counts the rows of the only table that refers to t: the most popular product.
func (r *reading) oftenReferred(t *Table) {
	var by []*Table
	for i := range r.s.Tables {
		if from := &r.s.Tables[i]; from != t && len(r.s.up(from, t)) == 1 {
			by = append(by, from)
		}
	}
	if len(by) != 1 || r.subject != nil {
		r.beyond = true
		return
	}
	r.subject, r.aggr, r.measure = by[0], count, place{}
	r.groups = append(r.groups, group{table: t})
}

// ranksKinds reports whether what is ranked are the values of a column that rows of t lead to.
func (r *reading) ranksKinds(t *Table) bool {
	if r.subject != nil || len(r.groups) != 1 || !r.groups[0].valid() || r.aggr != none {
		return false
	}
	g := r.groups[0]
	return g.t == t || len(r.s.up(t, g.t)) > 0
}

// ofNobody reports whether the question asks "who has the most policies", and says not
// among whom.
func (r *reading) ofNobody() bool {
	return r.aggr == count && len(r.groups) == 0 && r.order != none && (r.said[most] != nil || r.said[fewest] != nil)
}

// mostOf counts the rows that say yes: "which sensor has the most alarms".
func (r *reading) mostOf(it *item) {
	p := r.choose(it.columns, nil)
	if yes, _, flag := p.flag(); flag {
		r.countOf(p.t)
		r.add(filter{place: p, cond: "%[1]s = " + yes, words: p.name() + " is " + strings.Trim(yes, "'")})
		return
	}
	r.beyond = true
}

// one reports whether the question is about a single one: "which customer".
func (r *reading) one() bool {
	for _, it := range r.items {
		if it.table != nil || len(it.columns) > 0 {
			return oneSaid(it.words)
		}
	}
	return false
}

// eachOfSubject puts together what each row of the subject has, as in "which department has
// the highest average salary", of employees.
func (r *reading) eachOfSubject() {
	p := r.measure
	if r.aggr == none {
		p = r.orderBy
	}
	if len(r.groups) > 0 || r.order == none || r.aggr == count || !p.valid() || p.t == r.subject || len(r.s.up(p.t, r.subject)) == 0 {
		return
	}
	if r.aggr == none {
		r.aggr, r.measure, r.orderBy = cmp.Or(r.extreme, p.natural()), p, place{}
		if p.c.Kind == Date {
			r.aggr = r.order
		}
	}
	r.groups = append(r.groups, group{table: r.subject})
	if r.asked1 && !r.limited && r.one() {
		r.limit = 1
	}
}

// orderRows finds what the largest or the last rows of the subject have the most of. It
// reports whether there is such a thing, or none is needed: the first five are any five.
func (r *reading) orderRows() bool {
	switch {
	case r.sorting:
		return true
	case r.said[latest] != nil || r.said[earliest] != nil:
		r.orderBy = r.timeline(r.subject)
		return r.orderBy.valid() || r.wordsOf(earliest) == "first"
	}
	r.orderBy = r.subject.principal()
	return r.orderBy.valid()
}

// timeline is the column by which rows are old or new.
func (r *reading) timeline(t *Table) place {
	if aged := r.wordsOf(earliest) == "oldest" || r.wordsOf(latest) == "youngest"; aged && t.born().valid() {
		return t.born()
	}
	if p := t.date(); p.valid() {
		return p
	}
	for _, p := range t.places() {
		if p.c.Kind == Number && yearly(strings.ToLower(p.c.Name)) {
			return p
		}
	}
	return place{}
}
