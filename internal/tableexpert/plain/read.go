package plain

import (
	"fmt"
	"slices"
	"strings"
)

// reading is a question while it is read from its first word to its last.
type reading struct {
	s     *Schema
	items []item
	at    int

	subject  *Table // what is counted, listed or ordered
	aggr     op     // count, sum, avg, largest or smallest; none lists rows
	measure  place
	distinct bool
	selected []place
	groups   []group
	filters  []filter
	order    op // largest or smallest; none keeps the table's own
	orderBy  place
	limit    int
	asked1   bool // "which one"
	beyond   bool // asks for what no statement of ours says

	// What waits for the word that it is about.
	pending  op    // count, sum, avg, largest, smallest, top, bottom, most, fewest, common, rare, latest, earliest
	compare  op    // over … exactly, between
	when     op    // before, after, since, until
	negate   bool  // not
	exists   op    // with, without
	grouping bool  // by
	sorting  bool  // sorted by
	column   place // the last column, for a comparison
	number   *token
}

// group is what rows are put together by.
type group struct {
	place
	unit  string // of time, if place is a date
	table *Table // its rows, if not nil
}

// filter keeps rows.
type filter struct {
	place
	cond  string // with %[1]s for the column
	words string
	table *Table   // whose rows are counted, if not nil
	count string   // with %s for the number of rows
	is    []string // values, one of which it must hold
	not   bool     // hold none of them
	no    bool     // such a row must not exist
	bare  bool     // any row of the place's table will do
}

// walk reads item by item.
func (r *reading) walk() {
	for r.at = 0; r.at < len(r.items); r.at++ {
		it := &r.items[r.at]
		switch {
		case it.op == filler:
			it.used = true
		case it.op != none:
			r.operator(it)
		case it.period != nil && !r.counts(it):
			r.period(it)
		case it.num != nil:
			r.amount(it)
		case it.unit != "" && len(it.columns) == 0:
			r.timeUnit(it)
		default:
			r.name(it)
		}
	}
	if r.pending == common || r.pending == rare {
		r.pending = none
	}
}

// counts tells an amount, as in "over 2000 euros", from the year 2000.
func (r *reading) counts(it *item) bool {
	if !it.period.year || symbols[r.compare] == "" && r.compare != between {
		return false
	}
	if p := r.column; p.valid() {
		return p.c.Kind == Number && !yearly(strings.ToLower(p.c.Name))
	}
	if r.compare != between {
		return true
	}
	for _, next := range r.items[r.at+1 : min(r.at+3, len(r.items))] {
		if next.period != nil {
			return false // from one year to another
		}
	}
	return true
}

func (r *reading) operator(it *item) {
	it.used = true
	switch it.op {
	case beyond:
		r.beyond = true
	case count, share, sum, avg:
		if r.pending == largest || r.pending == smallest { // "the highest average"
			r.order = r.pending
		}
		r.pending = it.op
		r.grouping = r.grouping && r.ordering()
	case largest, smallest, top, bottom, most, fewest, common, rare, latest, earliest:
		r.superlative(it)
	case by:
		r.grouping, r.column = true, place{}
	case sorted:
		r.sorting = true
		if r.order == none {
			r.order = smallest
		}
	case falling:
		r.order = largest
	case rising:
		r.order = smallest
	case over, atLeast, under, atMost, between, exactly:
		r.compare = it.op
	case before, after, since, until:
		r.when = it.op
	case not:
		r.negate = true
	case with, without:
		r.exists = it.op
	case distinct:
		r.distinct = true
	case single:
		r.asked1 = true
	case and:
	}
}

// ordering reports whether rows or groups are to be ordered.
func (r *reading) ordering() bool { return r.order != none }

func (r *reading) superlative(it *item) {
	r.pending = it.op
	switch it.op {
	case top, bottom, latest, earliest:
		r.order = map[op]op{top: largest, bottom: smallest, latest: largest, earliest: smallest}[it.op]
		if r.limit == 0 {
			r.limit = 10
		}
	}
	if r.number != nil { // "the 5 largest"
		r.limit = limitOf(r.number)
		r.number = nil
	}
}

func limitOf(n *token) int { return int(min(max(n.num, 1), 1000)) }

// amount places a number: after a comparison, as how many are wanted, or as
// what the next word is about.
func (r *reading) amount(it *item) {
	it.used = true
	switch {
	case r.compare == between:
		r.between(it)
	case r.compare != none:
		r.compared(it)
	case slices.Contains([]op{top, bottom, latest, earliest, largest, smallest, common, rare}, r.pending):
		r.limit = limitOf(it.num)
	default:
		r.number = it.num
		it.used = r.nextIs(largest, smallest, latest, earliest) || r.subject == nil && r.nextTable() != nil
		if it.used && !r.nextIs(largest, smallest, latest, earliest) {
			r.limit, r.number = limitOf(it.num), nil // "show 5 claims"
		}
	}
}

// peek returns the next item that is not filler.
func (r *reading) peek() *item {
	for i := r.at + 1; i < len(r.items); i++ {
		if r.items[i].op != filler {
			return &r.items[i]
		}
	}
	return nil
}

func (r *reading) nextIs(ops ...op) bool {
	it := r.peek()
	return it != nil && slices.Contains(ops, it.op)
}

func (r *reading) nextTable() *Table {
	if it := r.peek(); it != nil && it.op == none {
		return it.table
	}
	return nil
}

// symbols of the comparisons in SQL.
var symbols = map[op]string{over: ">", atLeast: ">=", under: "<", atMost: "<=", exactly: "="}

// compared reads "over 10,000", of a column or of the rows of a table.
func (r *reading) compared(it *item) {
	symbol := symbols[r.compare]
	about := r.column.valid() && r.column.c.Kind == Number
	if t := r.nextTable(); t != nil && !it.num.cash && r.subject != nil && t != r.subject && !about {
		next := r.peek()
		next.used, next.op, next.table = true, filler, nil
		r.filters = append(r.filters, filter{table: t, count: "%s " + symbol + " " + format(it.num.num), words: fmt.Sprintf("the number of %s %s %s", t.Bare, symbol, format(it.num.num))})
		r.compare, r.exists = none, none
		return
	}
	p := r.numeric()
	if !p.valid() {
		it.used = false
		return
	}
	n := scaled(p, it.num.num)
	r.filters = append(r.filters, filter{place: p, cond: "%[1]s " + symbol + " " + format(n), words: said(p, symbol, it.num.num)})
	r.compare, r.column = none, place{}
}

func (r *reading) between(it *item) {
	p, high := r.numeric(), -1
	for i := r.at + 1; i < len(r.items) && i <= r.at+2; i++ {
		if r.items[i].num != nil {
			high = i
		}
	}
	if !p.valid() || high < 0 {
		it.used = false
		return
	}
	to := r.items[high].num.num
	r.take(high)
	r.filters = append(r.filters, filter{place: p, cond: "%[1]s BETWEEN " + format(scaled(p, it.num.num)) + " AND " + format(scaled(p, to)),
		words: fmt.Sprintf("%s and %s", said(p, "between", it.num.num), format(to))})
	r.compare, r.column = none, place{}
}

// numeric is the column that a comparison is about: the one just named, the
// next, or else the one that the table is about.
func (r *reading) numeric() place {
	if r.column.valid() && r.column.c.Kind == Number {
		return r.column
	}
	if it := r.peek(); it != nil && it.op == none && len(it.columns) > 0 && it.table == nil {
		if p := r.choose(it.columns, func(p place) bool { return p.c.Kind == Number }); p.valid() {
			it.used = true
			return p
		}
	}
	if r.measure.valid() {
		return r.measure
	}
	if t := r.about(); t != nil {
		return t.principal()
	}
	return place{}
}

// about is the table that the question is about, as far as it is read.
func (r *reading) about() *Table {
	switch {
	case r.subject != nil:
		return r.subject
	case len(r.selected) > 0:
		return r.selected[0].t
	case len(r.filters) > 0:
		return r.filters[0].t
	}
	return nil
}

// take goes on after the item at i.
func (r *reading) take(i int) {
	for r.at < i {
		r.at++
		r.items[r.at].used = true
	}
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

// period keeps the rows of a time.
func (r *reading) period(it *item) {
	p := r.dated()
	if !p.valid() {
		if y, ok := asYear(token{kind: isNumber, word: it.words}); ok {
			p = r.yearColumn()
			if p.valid() {
				it.used = true
				r.filters = append(r.filters, filter{place: p, cond: fmt.Sprintf("%%[1]s %s %d", yearSymbol(r.when), y), words: fmt.Sprintf("%s %s %d", p.name(), yearSymbol(r.when), y)})
				r.when, r.compare = none, none
			}
		}
		return
	}
	it.used = true
	from, to := it.period.from.Format("2006-01-02"), it.period.to.Format("2006-01-02")
	bothEnds := r.end(&to)
	cond := "%[1]s >= '" + from + "' AND %[1]s < '" + to + "'"
	switch {
	case r.when == before:
		cond = "%[1]s < '" + from + "'"
	case r.when == after:
		cond = "%[1]s >= '" + to + "'"
	case r.when == since && !bothEnds:
		cond = "%[1]s >= '" + from + "'"
	case r.when == until:
		cond = "%[1]s < '" + to + "'"
	}
	r.filters = append(r.filters, filter{place: p, cond: cond, words: strings.ReplaceAll(fmt.Sprintf(cond, p.name()), "'", "")})
	r.when, r.compare, r.column = none, none, place{}
}

func yearSymbol(when op) string {
	if s := map[op]string{before: "<", after: ">", since: ">=", until: "<="}[when]; s != "" {
		return s
	}
	return "="
}

// end reads the second date of "from A to B" and "between A and B", and
// reports whether there is one.
func (r *reading) end(to *string) bool {
	if r.when != since && r.compare != between {
		return false
	}
	for i := r.at + 1; i < len(r.items) && i <= r.at+2; i++ {
		if p := r.items[i].period; p != nil {
			*to = p.to.Format("2006-01-02")
			r.take(i)
			return true
		}
	}
	return false
}

// dated is the date that a time is about.
func (r *reading) dated() place {
	if r.column.valid() && r.column.c.Kind == Date {
		return r.column
	}
	for _, t := range []*Table{r.measure.t, r.about()} {
		if t != nil && t.date().valid() {
			return t.date()
		}
	}
	return place{}
}

func (r *reading) yearColumn() place {
	for _, t := range []*Table{r.measure.t, r.about()} {
		if t == nil {
			continue
		}
		for _, p := range t.places() {
			if p.c.Kind == Number && yearly(strings.ToLower(p.c.Name)) {
				return p
			}
		}
	}
	return place{}
}

// timeUnit reads "by month".
func (r *reading) timeUnit(it *item) {
	adverb := strings.HasSuffix(it.words, "ly")
	if !r.grouping && !adverb {
		return
	}
	it.used, r.grouping = true, false
	r.groups = append(r.groups, group{unit: it.unit}) // of which date is known at the end
}
