package plain

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// reading is a question while it is read from its first word to its last.
type reading struct {
	s     *Schema
	items []item
	at    int
	today time.Time

	subject  *Table // what is counted, listed or ordered
	aggr     op     // count, sum, avg, median, largest or smallest; none lists rows
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
	limited  bool // the question says how many
	extreme  op   // largest or smallest of a table's rows
	outer    op   // avg: of what each group has
	counted  bool // how many groups there are
	more     []aggregate
	havings  []having

	// What waits for the word that it is about.
	pending  op    // count, sum, avg, largest, smallest, top, bottom, most, fewest, common, rare, latest, earliest
	compare  op    // over … exactly, between
	when     op    // before, after, since, until
	negate   *item // not
	or       *item // or
	waiting  []op  // "the lowest and the highest": what waits beside pending
	exists   op    // with, without
	grouping bool  // by
	sorting  bool  // sorted by
	column   place // the last column, for a comparison
	number   *token
	said     map[op]*item // the last that said it
	timed    int          // where the last time was said, and of what
	timedBy  place
	lastDate place // the last that was named
	measured int   // where what is aggregated, or its group, was named
	tail     int   // the filter of a table that was named at tailed
	tailed   int
}

// aggregate is one of several that are asked for.
type aggregate struct {
	op
	place
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
	or    *item    // the word that makes it this or what is before it
	neg   bool     // the opposite of cond
	where []filter // of the rows that are counted
	time  bool     // it says when
	days  []string // of the week that it keeps
	given bool     // it says of what a percentage is
}

// walk reads item by item.
func (r *reading) walk() {
	r.said, r.measured, r.tailed, r.timed = map[op]*item{}, -1, -1, -1
	for r.at = 0; r.at < len(r.items); r.at++ {
		it := &r.items[r.at]
		switch {
		case it.op == filler:
			it.used = true
			r.verb(it)
		case it.op != none:
			r.operator(it)
		case it.period != nil && !r.counts(it):
			r.period(it)
		case it.days != "":
			r.weekday(it)
		case (it.num != nil || it.unit != "") && r.aged(it):
		case it.num != nil:
			r.amount(it)
		case it.unit != "" && len(it.columns) == 0:
			r.timeUnit(it)
		default:
			r.name(it)
		}
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

// verb reads "what percentage of active policies are sold online": of the active ones.
func (r *reading) verb(it *item) {
	if said := strings.Fields(it.words); r.said[share] == nil || !slices.Contains([]string{"is", "are", "was", "were", "have", "has", "had"}, said[0]) {
		return
	}
	for i := range r.filters {
		r.filters[i].given = true
	}
}

func (r *reading) operator(it *item) {
	it.used = true
	if slices.Contains([]op{not, with, without}, it.op) {
		r.verb(it)
	}
	switch it.op {
	case beyond:
		r.beyond = true
	case count, share, sum, avg, median:
		r.aggregator(it)
	case largest, smallest, top, bottom, most, fewest, common, rare, latest, earliest:
		if !r.several(it.op) {
			r.drop(r.pending)
		}
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
		r.drop(r.compare)
		r.compare = it.op
	case before, after, since, until:
		r.when = it.op
	case not:
		r.negate = it
	case with, without:
		if it.op == with && r.exists == without && r.before(without) { // que no tienen
			break
		}
		r.exists = it.op
		if it.op == with && r.before(not) && r.negate != nil { // who never had
			r.exists, r.negate = without, nil
			it.op = without
		}
	case distinct:
		r.distinct = true
	case single:
		r.asked1 = true
	case orMore, orLess:
		it.used = false // but after a number
	case and:
		if it.words == "or" || it.words == "o" {
			r.or = it
		}
	}
	r.said[it.op] = it
}

// aggregator reads a word for a number that is made of many.
func (r *reading) aggregator(it *item) {
	if it.words == "on average" && len(r.groups) > 0 && (r.aggr == count || r.aggr == sum) && r.pending == none && r.peek() == nil {
		r.outer = avg
		return
	}
	switch {
	case r.several(it.op):
	case r.pending == largest || r.pending == smallest: // "the highest average"
		r.order = r.pending
	case r.pending == avg && it.op != share: // "the average number"
		r.outer = avg
	case r.pending == median:
		r.drop(median)
	}
	r.pending = it.op
	r.grouping = r.grouping && r.ordering()
}

// several keeps "lowest" of "the lowest and the highest salary".
func (r *reading) several(next op) bool {
	extreme := func(o op) bool { return o == largest || o == smallest }
	joined := r.before(and) || extreme(next) && (extreme(r.pending) || r.pending == avg || r.pending == sum)
	if !joined || !aggregates(r.pending) || !aggregates(next) {
		return false
	}
	r.waiting = append(r.waiting, r.pending)
	return true
}

func aggregates(o op) bool {
	return slices.Contains([]op{count, sum, avg, median, largest, smallest}, o)
}

// before reports whether what was said last, but for fillers, is one of ops.
func (r *reading) before(ops ...op) bool {
	it := r.previous()
	return it != nil && slices.Contains(ops, it.op)
}

// previous returns the item before this one that is neither filler nor one of ops.
func (r *reading) previous(ops ...op) *item {
	for i := r.at - 1; i >= 0; i-- {
		if o := r.items[i].op; o != filler && !slices.Contains(ops, o) {
			return &r.items[i]
		}
	}
	return nil
}

// close reports whether nothing was named since the item at i.
func (r *reading) close(i int) bool {
	if i < 0 {
		return false
	}
	for _, it := range r.items[i+1 : r.at] {
		if it.op == none {
			return false
		}
	}
	return true
}

// drop says that what was said has no part in the question.
func (r *reading) drop(o op) {
	if it := r.said[o]; it != nil {
		it.used = false
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
		r.limited, r.limit, r.number = true, limitOf(r.number), nil
	}
}

func limitOf(n *token) int { return int(min(max(n.num, 1), 1000)) }

// amount places a number: after a comparison, as how many are wanted, or as
// what the next word is about.
func (r *reading) amount(it *item) {
	it.used = true
	if next := r.peek(); next != nil && r.compare == none && (next.op == orMore || next.op == orLess) { // "3 or more"
		r.compare = map[op]op{orMore: atLeast, orLess: atMost}[next.op]
		next.used, next.op = true, filler
	}
	last := r.previous(not)
	switch {
	case r.compare == between:
		r.between(it)
	case r.compare != none:
		r.compared(it)
	case slices.Contains([]op{top, bottom, latest, earliest, largest, smallest, common, rare}, r.pending):
		r.limited, r.limit = true, limitOf(it.num)
	case r.keyed(it, last):
	case last != nil && r.column.valid() && r.column.c.Kind == Number && slices.Contains(last.columns, r.column): // "quantity 5"
		r.compare = exactly
		r.compared(it)
	case r.exactlyOf(): // "customers with 2 policies"
		r.compare = exactly
		r.compared(it)
	default:
		r.number = it.num
		it.used = r.nextIs(largest, smallest, latest, earliest) || r.subject == nil && r.nextTable() != nil
		if it.used && !r.nextIs(largest, smallest, latest, earliest) {
			r.limited, r.limit, r.number = true, limitOf(it.num), nil // "show 5 claims"
		}
	}
}

// keyed reads "customer 5": the row with that key.
func (r *reading) keyed(it, last *item) bool {
	if last == nil || last.table == nil || !oneSaid(last.words) || r.items[r.at-1].words != last.words {
		return false
	}
	i := slices.IndexFunc(last.table.places(), func(p place) bool { return p.c.Kind == Number && strings.EqualFold(p.c.Name, last.table.Key) })
	if i < 0 {
		return false
	}
	p := last.table.places()[i]
	r.add(filter{place: p, cond: "%[1]s = " + format(it.num.num), words: p.name() + " is " + format(it.num.num)})
	return true
}

// labelled reads a word that nobody knows: in "claim C-2024-001816" it is by what the row
// is known, if it has a digit, as what is spelled by people has not.
func (r *reading) labelled(it *item) bool {
	last := r.previous()
	if last == nil || !strings.ContainsAny(it.words, "0123456789") {
		return false
	}
	p := place{}
	switch {
	case last.table != nil:
		p = last.table.named()
	case len(last.columns) > 0:
		p = r.choose(last.columns, nil)
		r.selected = slices.DeleteFunc(r.selected, func(s place) bool { return s == p })
	}
	if !p.valid() || p.c.Kind != Text || p.c.Values != nil {
		return false
	}
	r.narrow(filter{place: p, cond: "%[1]s = " + strings.ReplaceAll(literal(it.words), "%", "%%") + " COLLATE NOCASE", words: p.name() + " is " + it.words})
	return true
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

// numeric is the column that a comparison is about: the one just named, the
// next, or else the one that the table is about.
func (r *reading) numeric() place {
	last := r.previous(over, atLeast, under, atMost, between, exactly, not)
	if last != nil && last.table != nil && last.table == r.measure.t && r.column == r.measure && !r.choose(last.columns, place.measure).valid() {
		return last.table.principal() // "the average discount of orders over 1000"
	}
	if r.column.valid() && r.column.c.Kind == Number {
		return r.column
	}
	if it := r.peek(); it != nil && it.op == none && len(it.columns) > 0 && it.table == nil {
		if p := r.choose(it.columns, func(p place) bool {
			return p.measure() || p.c.Kind == Number && (r.compare == exactly || yearly(strings.ToLower(p.c.Name)))
		}); p.valid() {
			it.used = true
			return p
		}
	}
	if p := r.bounded(); p.valid() {
		return p
	}
	if tail := r.tailTable(); tail != nil {
		return tail.principal()
	}
	if last != nil && last.table != nil && last.table != r.subject && last.table.principal().valid() && !r.measure.valid() {
		return last.table.principal() // "customers under 30"
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
	case len(r.groups) > 0:
		return cmp.Or(r.groups[0].table, r.groups[0].t)
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
