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
	defer r.leave(it)
	switch {
	case len(it.values) == 0 && it.table == nil && len(it.columns) == 0:
		it.used = r.signed(it) || r.labelled(it)
		if i := r.at + 1; i+1 < len(r.items) && slices.Contains([]op{sum, avg, median}, r.pending) && slices.Contains([]string{"of", "de"}, r.items[i].words) {
			r.beyond = true // the average of what no column holds
		}
		return
	case r.sorting && len(it.columns) > 0:
		r.orderBy, r.sorting = r.choose(it.columns, nil), false
	case r.grouping:
		r.group(it, numeric)
	case (r.pending == count || r.pending == share) && it.table != nil:
		switch {
		case r.subject == nil:
			r.subject, r.aggr = it.table, r.pending
		case r.subject != it.table && r.pending == count && r.aggr == none:
			r.countOf(it.table)
		case r.aggr == none:
			r.aggr = r.pending
		default:
			defer func() { it.used = it.table == r.subject }() // one thing is counted
		}
		r.pending = none
	case r.pending == count && len(it.columns) > 0 && it.table == nil && (r.distinct || r.noun(it)):
		r.countColumn(it, numeric)
	case slices.Contains([]op{sum, avg, median, largest, smallest}, r.pending) && (numeric.valid() || it.table != nil):
		r.aggregate(it, numeric)
	case r.pending == none && numeric.valid() && numeric.t == r.measure.t && r.aggr != count && r.before(and) && r.close(r.measured): // "the sum of amount and quantity"
		r.pending = r.aggr
		r.aggregateOf(numeric)
		r.pending = none
	case slices.Contains([]op{top, bottom, latest, earliest}, r.pending) && (it.table != nil || len(it.columns) > 0):
		r.ranked(it)
	case slices.Contains([]op{most, fewest, common, rare}, r.pending) && (it.table != nil || len(it.columns) > 0):
		r.frequent(it, numeric)
	case (it.table == nil || r.heldBySubject(it)) && len(it.values) > 0 && !r.meansDate(it) && !r.meansColumn(it):
		r.value(it)
	case it.table != nil && !(numeric.valid() && oneSaid(it.words)): // "target by region" is not how many targets there are
		r.table(it)
	default:
		r.named(it)
	}
	it.used = it.table == nil || !r.apart(it)
}

// leave forgets what was about the word that was read and no other.
func (r *reading) leave(it *item) {
	if it.table != nil || len(it.values) == 0 {
		if r.exists == without && !it.used {
			r.drop(without)
		}
		r.exists = none
	}
	if dated := r.column.valid() && r.column.c.Kind == Date && r.at < len(r.items)-1; r.when != none && it.used && !dated {
		r.drop(r.when) // "from Spain" says nothing of a time
		if w := r.said[r.when]; r.when == since && w.words != "since" {
			w.used = true
		}
		r.when = none
	}
}

// apart reports whether a second table stands beside the one that the question is about:
// "orders and customers".
func (r *reading) apart(it *item) bool {
	return r.before(and) && r.subject != nil && !r.choose(it.columns, place.measure).valid() && it.table != r.subject && r.tailed != r.at &&
		!slices.ContainsFunc(r.groups, func(g group) bool { return g.table == it.table }) && !slices.ContainsFunc(r.filters, func(f filter) bool { return f.t == it.table })
}

// noun tells "how many countries" from "how many shipped orders".
func (r *reading) noun(it *item) bool {
	p := r.choose(it.columns, nil)
	if _, _, flag := p.flag(); flag || p.c.Kind == Date || len(it.values) > 0 || !r.before(count) {
		return false
	}
	if i := r.at + 1; i < len(r.items) {
		next := &r.items[i]
		return next.table == nil && len(next.values) == 0
	}
	return true
}

// countColumn counts what a column holds: how many countries there are, or how many
// pieces.
func (r *reading) countColumn(it *item, numeric place) {
	r.aggr, r.measure, r.pending, r.measured = count, r.choose(it.columns, nil), none, r.at
	if numeric.valid() && !r.distinct {
		r.aggr, r.measure = numeric.natural(), numeric
	}
	r.distinct = false
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
	case t == r.about(), t == r.measure.t:
		return 4
	case r.mentions(t):
		return 3
	}
	n := 0
	named := []*Table{r.about()}
	for _, it := range r.items {
		named = append(named, it.table)
	}
	for _, from := range named {
		switch {
		case from == nil:
		case r.s.path(from, t, false) != nil:
			return 2
		case r.s.path(from, t, true) != nil:
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
	if r.close(r.measured) {
		r.measured = r.at // what is over 100 now is what each of them has
	}
	r.beyond = r.beyond || r.topOfEach()
	switch {
	case it.table != nil && it.table == r.measure.t && r.aggr == avg && len(r.groups) == 0: // the average quantity per line
	case r.order != none && it.table != nil && (r.pending == count || r.pending == none && !numeric.valid() && r.subject != nil && r.extreme == none && len(r.s.up(it.table, r.subject)) > 0):
		r.pending = none // books by loans
		r.countOf(it.table)
	case r.order != none && it.table != nil && !numeric.valid() && r.ranksKinds(it.table): // the top 3 makes by claims
		r.pending = none
		r.countOf(it.table)
	case r.order != none && numeric.valid():
		if r.pending == avg || r.pending == median {
			r.aggr = r.pending
		}
		r.pending = none
		r.rankBy(numeric)
	case len(it.columns) > 0 && (it.table == nil || it.whole && r.owns(it.columns)):
		dated := r.said[latest] != nil || r.said[earliest] != nil
		if r.aggr == none && r.pending == none && r.extreme == none && r.orderBy.valid() && (dated || r.said[by].words != "by") {
			r.beyond = true // the three largest of each
		}
		g := group{place: r.choose(it.columns, nil)}
		if next := r.peek(); next != nil && next.unit != "" && g.c.Kind == Date { // by signup year
			g.unit, next.used, next.op = next.unit, true, filler
		}
		r.groups = append(r.groups, g)
		r.grouping = r.nextIs(and)
	case it.table != nil:
		r.groups = append(r.groups, group{table: it.table})
		r.grouping = r.nextIs(and)
	default:
		r.value(it)
	}
}

// topOfEach reports whether so many of each group are asked for: no statement of ours
// says that.
func (r *reading) topOfEach() bool {
	return len(r.groups) > 0 && r.order != none && r.limit > 0 && slices.Contains([]string{"in each", "for each", "for every", "each", "per", "por cada", "cada"}, r.wordsOf(by))
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
		if r.orderBy = p; r.said[earliest] != nil && r.said[earliest].words == "oldest" {
			r.order = largest // of what grows with age
		}
		return
	}
	if r.subject != nil && r.subject != p.t && len(r.groups) == 0 {
		r.groups = append(r.groups, group{table: r.subject})
	}
	r.measure = p
	if r.aggr != avg && r.aggr != median {
		r.aggr = p.natural()
	}
}

// aggregate reads what is added up, averaged, or the extreme of something.
func (r *reading) aggregate(it *item, numeric place) {
	extreme := r.pending == largest || r.pending == smallest
	next := r.peek()
	switch {
	case r.pending == avg && it.table != nil && !oneSaid(it.words) && !numeric.valid() && next != nil && slices.Contains([]string{"per", "for each", "for every", "por", "por cada"}, next.words):
		r.subject, r.aggr, r.outer = it.table, count, avg // average orders per customer
	case extreme && it.table != nil && !(it.whole && numeric.valid()):
		r.subject, r.order, r.extreme = it.table, r.pending, r.pending
		r.setLimit(it)
	case extreme && r.limited && numeric.valid() && r.subject == nil && r.aggr == none: // the lowest 3 salaries
		r.subject, r.order, r.orderBy, r.selected = numeric.t, r.pending, numeric, append(r.selected, numeric)
	case extreme && r.subject != nil && numeric.valid() && len(r.waiting) == 0 && r.aggr == none:
		r.order, r.orderBy, r.extreme = r.pending, numeric, r.pending
		r.setLimit(nil)
	case numeric.valid():
		r.aggregateOf(numeric)
	case r.pending == sum && !r.worth():
		r.subject, r.aggr = it.table, count
	default:
		r.subject = it.table
		r.aggregateOf(it.table.principal())
	}
	r.pending = none
}

// aggregateOf takes a column as what is added up, beside what was before.
func (r *reading) aggregateOf(p place) {
	if r.aggr != none {
		r.more = append(r.more, aggregate{r.aggr, r.measure})
	}
	for _, o := range r.waiting {
		r.more = append(r.more, aggregate{o, p})
		if o == count {
			r.more[len(r.more)-1].place = place{}
		}
	}
	r.aggr, r.measure, r.column, r.waiting, r.measured = r.pending, p, p, nil, r.at
}

// worth tells "the total amount of the orders" from "the total of the orders", which is
// how many they are.
func (r *reading) worth() bool {
	for i := r.at - 1; i >= 0 && r.items[i].op != sum; i-- {
		if slices.Contains([]string{"amount", "amounts", "value"}, r.items[i].words) {
			return true
		}
	}
	return strings.Contains(r.said[sum].words, "sum") && r.about() == nil
}

// meansDate tells "closed in 2025", a date, from "closed", a value.
func (r *reading) meansDate(it *item) bool {
	p := r.choose(it.columns, func(p place) bool { return p.c.Kind == Date })
	next := r.peek()
	dated := next != nil && (next.time() || slices.Contains([]op{before, after, since, until, between}, next.op))
	if p.valid() && dated {
		it.columns = []place{p}
	}
	return p.valid() && dated
}

// heldBySubject tells "employees of Sales" from a table of sales that they have nothing to
// do with.
func (r *reading) heldBySubject(it *item) bool {
	return r.subject != nil && it.table != r.subject && r.exists == none && r.s.path(r.subject, it.table, true) == nil &&
		slices.ContainsFunc(it.values, func(v value) bool { return v.t == r.subject })
}

// meansColumn tells "temperature over 30" and "without a manager" from "temperature sensors"
// and "managers", where a column is called as what another holds.
func (r *reading) meansColumn(it *item) bool {
	if r.exists == without && len(it.columns) > 0 && r.owns(it.columns) && slices.ContainsFunc(it.values, func(v value) bool { return v.t == r.about() }) {
		it.values = nil
		return true
	}
	if next := r.peek(); next != nil && r.owns(it.columns) && slices.ContainsFunc(next.values, func(v value) bool { return strings.EqualFold(v.c.Name, v.t.Key) }) {
		it.values = nil // the manager of E5
		return true
	}
	if !r.choose(it.columns, place.measure).valid() {
		return false
	}
	p := r.choose(it.columns, place.measure)
	if r.exists == without || r.nextIs(over, atLeast, under, atMost, between, exactly) {
		it.columns, it.values = []place{p}, nil
		return true
	}
	for _, beside := range []*item{r.previous(), r.peek()} {
		if beside != nil && slices.ContainsFunc(it.values, func(v value) bool { return v.t == beside.table }) {
			return false
		}
	}
	return !slices.ContainsFunc(it.values, func(v value) bool { return v.t == r.about() })
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
	if tail := r.tailTable(); tail != nil && slices.ContainsFunc(places, func(p place) bool { return p.t == tail }) {
		p = places[slices.IndexFunc(places, func(p place) bool { return p.t == tail })]
	}
	v := it.values[slices.Index(places, p)]
	r.selected = slices.DeleteFunc(r.selected, func(s place) bool { return s == p && r.column == p })
	if r.exists == with && r.negate != nil && r.negate.words == "neither" && r.below(p.t) {
		r.exists, r.negate = without, nil // with neither hail nor theft claims
	}
	f := filter{place: p, is: slices.Clone(v.is), not: r.negate != nil, no: r.exists == without}
	if f.not && r.besides(p) { // who took one but not the other
		f.not, f.no = false, true
		r.add(f)
	} else if i := slices.IndexFunc(r.filters, func(g filter) bool { return g.place == p && len(g.is) > 0 && g.not == f.not && g.no == f.no }); i >= 0 {
		r.filters[i].is = append(r.filters[i].is, v.is...)
		r.or = nil
	} else {
		r.narrow(f)
		if about := r.about(); f.t != about && f.t != r.measure.t && r.or == nil && len(r.s.up(about, f.t)) == 0 {
			r.tail, r.tailed = len(r.filters)-1, r.at // who were ill in 2026
		}
	}
	if !r.nextIs(and) {
		r.negate = nil
	}
	if r.compare == exactly {
		r.compare = none
	}
}

// table reads a table that nothing waits for: the first is the subject; a
// later one matters after "with" and "without".
func (r *reading) table(it *item) {
	switch {
	case r.subject == nil:
		if r.subject = it.table; r.exists == without {
			r.drop(without) // nothing was named that has none
		}
	case it.table != r.subject && r.exists == none && r.negate != nil && r.before(not) && len(r.s.up(r.subject, it.table)) == 0: // who did not order
		r.add(filter{place: place{t: it.table}, bare: true, no: true})
		r.tail, r.tailed = len(r.filters)-1, r.at
		if !r.nextIs(and) {
			r.negate = nil
		}
	case it.table != r.subject && r.exists == with && r.negate != nil && r.before(not): // who have neither orders nor notes
		r.add(filter{place: place{t: it.table}, bare: true, no: true})
		r.tail, r.tailed = len(r.filters)-1, r.at
	case it.table != r.subject && r.exists != none:
		r.add(filter{place: place{t: it.table}, bare: true, no: r.exists == without})
		r.tail, r.tailed = len(r.filters)-1, r.at
	}
}

// named reads a column that nothing waits for: what is compared next, or what
// to show.
func (r *reading) named(it *item) {
	p := r.choose(it.columns, nil)
	if p2 := r.choose(it.columns, func(p place) bool { return p.c.Kind == Number }); p2.valid() && (r.compare != none || r.nextIs(over, atLeast, under, atMost, exactly)) {
		p = p2
	}
	if r.column = p; p.c.Kind == Date {
		r.lastDate = p
	}
	if n := len(r.filters); n > 0 && r.filters[n-1].place == p && r.at > 0 && (len(r.items[r.at-1].values) > 0 || r.items[r.at-1].num != nil) {
		return // "the commercial segment", "over 50 minutes"
	}
	dated := p.c.Kind == Date || yearly(strings.ToLower(p.c.Name))
	if r.compare != none || r.nextIs(over, atLeast, under, atMost, between, exactly, before, after, since, until) ||
		r.nextIsTime() && dated || r.nextNumber(p) || r.nextValue(p) {
		return // what it is comes next
	}
	if f, ok := r.filled(p); ok {
		r.add(f)
		return
	}
	r.selected = append(r.selected, p)
}

// filled reads "vip customers", "orders that are not shipped", "without discount" and
// "how many have a discount".
func (r *reading) filled(p place) (filter, bool) {
	counts := r.aggr == count || r.aggr == share || r.pending == count || r.pending == share
	yes, no, flag := p.flag()
	if flag && r.before(and) && len(r.selected) > 0 { // "name and vip"
		return filter{}, false
	}
	never := r.negate != nil && slices.Contains([]string{"never", "nunca"}, r.negate.words)
	not, without := r.negated(), r.exists == without
	below := r.below(p.t)
	switch {
	case never && below:
		return filter{place: p, cond: "%[1]s IS NOT NULL", words: p.name() + " is not empty", no: true}, true
	case flag:
		if none := without && below; not != (without && !none) {
			yes = no
		}
		return filter{place: p, cond: "%[1]s = " + yes, words: p.name() + " is " + strings.Trim(yes, "'"), no: without && below}, true
	case not && without && below: // students without unpaid fees
		return filter{place: p, cond: "%[1]s IS NULL", words: p.name() + " is empty", no: true}, true
	case (not || without) && p.measure() && (p.cents() || money(p.c.Name)):
		return filter{place: p, cond: "(%[1]s IS NULL OR %[1]s = 0)", words: p.name() + " is empty or 0"}, true
	case not || without:
		return filter{place: p, cond: "%[1]s IS NULL", words: p.name() + " is empty"}, true
	case r.blank(false):
		return filter{place: p, cond: "%[1]s IS NULL", words: p.name() + " is empty"}, true
	case r.blank(true), r.exists == with && p.c.Kind == Date && r.subject != nil && !r.before(and) && !r.nextIs(and), counts && (p.c.Kind == Date || r.exists == with):
		return filter{place: p, cond: "%[1]s IS NOT NULL", words: p.name() + " is not empty"}, true
	}
	return filter{}, false
}

// nextNumber reports whether p is followed by what it is: "quantity of 5".
func (r *reading) nextNumber(p place) bool {
	for _, it := range r.items[r.at+1:] {
		if it.op != filler && it.op != not {
			return it.num != nil && it.period == nil && p.c.Kind == Number
		}
	}
	return false
}

func (r *reading) nextValue(p place) bool {
	it := r.peek()
	return it != nil && slices.ContainsFunc(it.values, func(v value) bool { return v.place == p })
}

// nextIsTime reports whether the next item says when.
func (r *reading) nextIsTime() bool {
	it := r.peek()
	return it != nil && it.time()
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
	case f.neg:
		f.neg = false
		sql, words = f.condition()
		return "NOT (" + sql + ")", "not " + words
	case f.c == nil:
		return strings.ReplaceAll(f.cond, "%%", "%"), f.words
	default:
		return fmt.Sprintf(f.cond, f.sql()), f.words
	}
}
