package plain

import (
	"fmt"
	"strings"
	"time"
)

// period keeps the rows of a time.
func (r *reading) period(it *item) {
	p := r.dated()
	if !p.valid() {
		r.ofYear(it)
		return
	}
	it.used = true
	span, when := *it.period, r.when
	if o, ok := map[op]op{over: after, atLeast: since, under: before, atMost: until}[r.compare]; ok && when == none {
		when = o // hasta junio
	}
	last, both := r.end()
	if both {
		if last.from.Before(span.from) && span.open { // from November to February
			span.from = span.from.AddDate(-1, 0, 0)
		}
		span.to, when = last.to, none
	}
	if when == since && r.when == since && r.within(it) && !r.onward() {
		when = none // those from 2024 are those of 2024
	}
	from, to := span.from.Format(time.DateOnly), span.to.Format(time.DateOnly)
	cond := "%[1]s >= '" + from + "' AND %[1]s < '" + to + "'"
	switch when {
	case before:
		cond = "%[1]s < '" + from + "'"
	case after:
		cond = "%[1]s >= '" + to + "'"
	case since:
		cond = "%[1]s >= '" + from + "'"
	case until:
		cond = "%[1]s < '" + to + "'"
	}
	f := filter{place: p, cond: cond, words: strings.ReplaceAll(fmt.Sprintf(cond, p.name()), "'", ""), time: p != r.column}
	if n := len(r.filters); r.before(and) && n > 0 && r.filters[n-1].place == p && r.or == nil {
		r.or = r.previous() // in 2024 and 2025 is in either
	}
	if r.negate != nil && r.tailTable() == nil && r.about() != nil && p.t != r.about() && p.t != r.measure.t && len(r.s.up(r.about(), p.t)) == 0 {
		f.no, r.negate = true, nil // books not loaned in 2026: those of which no loan was then
	}
	r.narrow(f)
	r.when, r.compare, r.column, r.timed, r.timedBy = none, none, place{}, r.at, p
}

// within reports whether "from" and "starting" mean what is in the time, and not all that
// came since: from 2024, from yesterday, starting in May, but not from 2024-05-01.
func (r *reading) within(it *item) bool {
	span := it.period
	switch r.said[since].words {
	case "from":
		return span.to.After(span.from.AddDate(0, 0, 1)) || !strings.ContainsAny(it.words, "0123456789")
	case "starting":
		return r.items[r.at-1].words == "in"
	}
	return false
}

// onward reports whether "on" or "onwards" comes next, and takes it.
func (r *reading) onward() bool {
	i := r.at + 1
	if i < len(r.items) && isOnward(r.items[i]) {
		r.take(i)
		return true
	}
	return false
}

// ofYear keeps the rows of a year where there is no date, but a column of years.
func (r *reading) ofYear(it *item) {
	p := r.yearColumn()
	y, ok := asYear(token{kind: isNumber, word: it.words})
	if !p.valid() || !ok {
		return
	}
	it.used = true
	last, both := r.end()
	when := r.when
	if !both && when == since && r.within(it) && !r.onward() {
		when = none
	}
	cond := fmt.Sprintf("%s %d", yearSymbol(when), y)
	if both {
		cond = fmt.Sprintf("BETWEEN %d AND %d", y, last.from.Year())
	}
	if n := len(r.filters); r.before(and) && n > 0 && r.filters[n-1].place == p && r.or == nil {
		r.or = r.previous()
	}
	r.narrow(filter{place: p, cond: "%[1]s " + cond, words: p.name() + " " + cond, time: true})
	r.when, r.compare = none, none
}

func yearSymbol(when op) string {
	if s := map[op]string{before: "<", after: ">", since: ">=", until: "<="}[when]; s != "" {
		return s
	}
	return "="
}

// end reads the second time of "from A to B" and "between A and B", and
// reports whether there is one.
func (r *reading) end() (last *period, ok bool) {
	if r.when != since && r.compare != between {
		return nil, false
	}
	for i := r.at + 1; i < len(r.items) && i <= r.at+2; i++ {
		if p := r.items[i].period; p != nil {
			r.take(i)
			return p, true
		}
	}
	return nil, false
}

// dated is the date that a time is about.
func (r *reading) dated() place {
	if r.column.valid() && r.column.c.Kind == Date {
		return r.column
	}
	if r.column.valid() && r.column.c.Kind == Number && yearly(strings.ToLower(r.column.c.Name)) {
		return place{} // schools founded before 2000
	}
	if r.close(r.timed) {
		return r.timedBy // "after March but before June"
	}
	if tail := r.tailTable(); tail != nil && !tail.date().valid() && len(r.s.up(r.about(), tail)) == 0 {
		return place{} // not when the customer came who ordered a lamp in 2025
	}
	for _, t := range []*Table{r.tailTable(), r.measure.t, r.about()} {
		switch y := r.yearColumn(); {
		case t == nil:
		case t.date().valid():
			return t.date()
		case y.valid() && y.t == t:
			return place{} // not when the policy began whose premium of 2024 is asked for
		}
	}
	return r.datedAbove()
}

// datedAbove is the date of the one thing with a date that what the question is about
// belongs to: lines have the date of their order.
func (r *reading) datedAbove() place {
	var found place
	if r.yearColumn().valid() {
		return found
	}
	for _, t := range []*Table{r.measure.t, r.about()} {
		for i := range r.s.Tables {
			to := &r.s.Tables[i]
			if t == nil || to == t || !to.date().valid() || birth(to.date().c.Name) || len(r.s.up(t, to)) != 1 {
				continue
			}
			if found.valid() {
				return place{}
			}
			found = to.date()
		}
		if found.valid() {
			break
		}
	}
	return found
}

func (r *reading) yearColumn() place {
	if p := r.column; p.valid() && p.c.Kind == Number && yearly(strings.ToLower(p.c.Name)) {
		return p
	}
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
	which := r.before(single) // "which month"
	if !r.grouping && !adverb && !which {
		return
	}
	if which && r.limit == 0 && oneSaid(it.words) {
		r.limit = 1
	}
	it.used, r.grouping = true, r.grouping && r.nextIs(and)
	r.groups = append(r.groups, group{unit: it.unit}) // of which date is known at the end
}
