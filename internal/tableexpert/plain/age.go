package plain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// aged reads "older than 2 years", "more than 30 days ago" and "3 days ago", where the
// length of time begins with the item that is read: a number, or a unit of time of which
// there is one.
func (r *reading) aged(it *item) bool {
	at, n := r.at, 1
	if it.num != nil {
		at, n = at+1, int(min(it.num.num, 10_000))
	}
	if it.num != nil && r.ofAge(it, at) {
		return true
	}
	if at >= len(r.items) || r.items[at].unit == "" || r.items[at].unit == "weekday" || n < 1 {
		return false
	}
	unit, than := r.items[at].unit, strings.HasSuffix(r.wordsOf(r.when), "than")
	when := r.when
	if at+1 < len(r.items) && slices.Contains([]string{"ago", "old"}, r.items[at+1].words) {
		at++
		if o, ok := map[op]op{over: before, atLeast: before, under: after, atMost: after}[r.compare]; ok {
			when, r.compare = o, none
		}
	} else if when != before && when != after || !than {
		return false
	}
	if !r.keepAged(unit, n, when) {
		return false
	}
	it.used = true
	r.take(at)
	r.when, r.column, r.timed = none, place{}, r.at
	return true
}

// ofAge reads "older than 30" and "older than 30 years" where there is a column for it.
func (r *reading) ofAge(it *item, next int) bool {
	symbol := map[string]string{"older than": ">", "younger than": "<"}[r.wordsOf(r.when)]
	t, last := r.about(), next
	if next+1 < len(r.items) && r.items[next].unit == "year" && r.items[next+1].words == "old" {
		symbol, last = cmp.Or(symbol, symbols[r.compare]), next+1 // over 16 years old
	}
	if symbol == "" || t == nil {
		return false
	}
	i := slices.IndexFunc(t.places(), func(p place) bool { return p.c.Kind == Number && strings.EqualFold(p.c.Name, "age") })
	years := next < len(r.items) && r.items[next].unit == "year"
	if !years && next < len(r.items) && r.items[next].unit != "" {
		return false
	}
	var p place
	var cond string
	switch {
	case i >= 0:
		p, cond = t.places()[i], symbol+" "+format(it.num.num)
	case t.born().valid() && it.num.num > 0 && it.num.num < 200: // who turned 51 is older than 50
		born := day(r.today).AddDate(-int(it.num.num), 0, 1)
		from, to := born.AddDate(-1, 0, 0).Format(time.DateOnly), born.Format(time.DateOnly)
		p, cond = t.born(), map[string]string{">": "< '" + from + "'", ">=": "< '" + to + "'", "<": ">= '" + to + "'", "<=": ">= '" + from + "'",
			"=": "BETWEEN '" + from + "' AND '" + born.AddDate(0, 0, -1).Format(time.DateOnly) + "'"}[symbol]
	default:
		return false
	}
	r.narrow(filter{place: p, cond: "%[1]s " + cond, words: p.name() + " " + cond})
	if it.used, r.when, r.compare = true, none, none; years {
		r.take(last)
	}
	return true
}

// keepAged keeps the rows of before, after, or on the day that is n units ago.
func (r *reading) keepAged(unit string, n int, when op) bool {
	day := step(beginning(r.today, "day"), unit, -n)
	symbol := map[op]string{before: "<", after: ">="}[when]
	if p := r.dated(); p.valid() {
		cond := fmt.Sprintf("%%[1]s %s '%s'", symbol, day.Format(time.DateOnly))
		if symbol == "" {
			cond = fmt.Sprintf("%%[1]s >= '%s' AND %%[1]s < '%s'", day.Format(time.DateOnly), day.AddDate(0, 0, 1).Format(time.DateOnly))
		}
		r.narrow(filter{place: p, cond: cond, words: strings.ReplaceAll(fmt.Sprintf(cond, p.name()), "'", ""), time: p != r.column})
		r.timedBy = p
		return true
	}
	p := r.yearColumn()
	if !p.valid() || unit != "year" || symbol == "" {
		return false
	}
	cond := fmt.Sprintf("%s %d", symbol, day.Year())
	r.narrow(filter{place: p, cond: "%[1]s " + cond, words: p.name() + " " + cond, time: true})
	return true
}

// wordsOf returns the words that said o last.
func (r *reading) wordsOf(o op) string {
	if it := r.said[o]; it != nil {
		return it.words
	}
	return ""
}
