package plain

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// item is a run of words that means one thing, or one of a few.
type item struct {
	words   string
	op      op
	num     *token
	period  *period
	unit    string  // of time
	days    string  // of the week: see weekdays
	table   *Table  // whose name this is
	columns []place // whose name this is, whole or in part; the likeliest first
	values  []value // that this is; those of one column at a time are meant
	whole   bool    // the words are the whole name of the columns
	used    bool    // has a part in what the question was read as
}

// time reports whether the item says when.
func (it item) time() bool { return it.period != nil || it.days != "" }

// value is something that a column holds.
type value struct {
	place
	is []string // as stored
}

// annotate finds what each run of words means: the longest run counts, and of
// equally long ones the first of: what words do, dates, tables, values,
// columns, numbers.
func (s *Schema) annotate(ts []token, today time.Time) []item {
	var items []item
	lex := s.lexicon()
	for len(ts) > 0 {
		if last := len(items) - 1; last >= 0 && symbols[items[last].op] != "" && slices.Contains([]string{"one", "un", "una", "uno"}, ts[0].word) {
			ts[0].kind, ts[0].num = isNumber, 1 // more than one
		}
		it, n := lex.next(ts, today)
		if more := lex.derived(it); it.unknown() && more != nil {
			items, ts = append(items, more...), ts[n:]
			continue
		}
		items = append(items, it)
		ts = ts[n:]
	}
	shareYears(items)
	return items
}

// shareYears gives the year of "March and April 2025" to both months.
func shareYears(items []item) {
	year := 0
	for i := len(items) - 1; i >= 0; i-- {
		switch p := items[i].period; {
		case p == nil:
			if o := items[i].op; o != and && o != until && o != filler {
				year = 0
			}
		case !p.open:
			year = p.from.Year()
		case year != 0:
			by := year - p.from.Year()
			p.from, p.to = p.from.AddDate(by, 0, 0), p.to.AddDate(by, 0, 0)
		}
	}
}

func (l *lexicon) next(ts []token, today time.Time) (best item, n int) {
	best, n = item{words: ts[0].word}, 1
	found := false
	offer := func(it item, length int) {
		if length > 0 && (!found || length > n) {
			it.words = join(ts[:length])
			best, n, found = it, length, true
		}
	}
	for length := min(longestPhrase, len(ts)); length > 0; length-- {
		if o, ok := vocabulary[join(ts[:length])]; ok && o != filler && !((o == orMore || o == orLess) && length < len(ts) && ts[length].word == "than") {
			offer(item{op: o}, length)
			break
		}
	}
	if p, length := periodAt(ts, today); length > 0 {
		it := item{period: &p}
		if p.year {
			it.num = &ts[0]
		}
		offer(it, length)
	}
	if days, length := weekdayAt(ts); length > 0 {
		offer(item{days: days}, length)
	}
	l.names(ts, offer)
	switch {
	case found:
	case ts[0].kind == isNumber:
		offer(item{num: &ts[0]}, 1)
		if len(ts) > 1 && scales[ts[1].word] > 0 {
			scaled := ts[0]
			scaled.num *= scales[ts[1].word]
			offer(item{num: &scaled}, 2)
		}
	case vocabulary[ts[0].word] == filler:
		offer(item{op: filler}, 1)
	}
	return best, n
}

var scales = map[string]float64{"hundred": 100, "thousand": 1e3, "mil": 1e3, "million": 1e6, "millions": 1e6, "millón": 1e6, "millones": 1e6}

// names offers what the schema calls by the words at the beginning of ts.
func (l *lexicon) names(ts []token, offer func(item, int)) {
	for length := min(longestPhrase, len(ts)); length > 0; length-- {
		if endsBeforeTime(ts, length) {
			continue
		}
		phrase := folded(ts[:length])
		columns, whole := l.columns[phrase], true
		if len(columns) == 0 {
			columns, whole = l.partial[phrase], false
		}
		it := item{table: l.tables[phrase], values: l.values[phrase], columns: columns, whole: whole}
		if length == 1 {
			it.unit = units[phrase]
		}
		if len(it.values) == 0 && it.table == nil && len(it.columns) == 0 {
			if vs, ok := l.together(ts[:length]); ok {
				it.values = vs
				offer(it, length)
				return
			}
		}
		if it.table != nil || len(it.values) > 0 || len(it.columns) > 0 {
			offer(it, length)
			return
		}
	}
	for length := min(4, len(ts)); length > 0; length-- {
		if unit, ok := units[folded(ts[:length])]; ok && len(ts[0].word) > 2 {
			offer(item{unit: unit}, length)
			return
		}
	}
}

// endsBeforeTime reports whether the last of so many words says how the time behind them is
// meant: "customers since 2020" names no column customer_since.
func endsBeforeTime(ts []token, length int) bool {
	if length < 2 || length == len(ts) || !slices.Contains([]op{before, after, since, until}, vocabulary[ts[length-1].word]) {
		return false
	}
	_, n := periodAt(ts[length:], time.Time{})
	return n > 0
}

// together returns the values that have all these words, and reports whether the words are
// of the values of one column: nobody is called "Ann Lee" because of an Ann and a Lee.
func (l *lexicon) together(ts []token) (found []value, ok bool) {
	for _, v := range l.within[folded(ts[:1])] {
		is, all := slices.Clone(v.is), true
		for _, t := range ts[1:] {
			i := slices.IndexFunc(l.within[folded([]token{t})], func(w value) bool { return w.place == v.place })
			if all = all && i >= 0; all {
				has := l.within[folded([]token{t})][i].is
				is = slices.DeleteFunc(is, func(s string) bool { return !slices.Contains(has, s) })
			}
		}
		if ok = ok || all; all && len(is) > 0 {
			found = append(found, value{v.place, is})
		}
	}
	return found, ok
}

// lexicon finds the names and values of a schema by their words, each in the
// singular.
type lexicon struct {
	tables  map[string]*Table
	columns map[string][]place // by the whole name, with and without its unit
	partial map[string][]place // by one or more words of the name
	values  map[string][]value // by all words
	within  map[string][]value // by one word
}

func (s *Schema) lexicon() *lexicon {
	l := &lexicon{map[string]*Table{}, map[string][]place{}, map[string][]place{}, map[string][]value{}, map[string][]value{}}
	for i := range s.Tables {
		t := &s.Tables[i]
		for _, name := range append([]string{t.Bare}, t.Aliases...) {
			if name = fold(parts(name)); l.tables[name] == nil {
				l.tables[name] = t
			}
		}
		l.addUnnumbered(s, t)
		for _, p := range t.places() {
			l.addColumn(p)
			for _, v := range p.c.Values {
				l.addValue(p, v)
			}
		}
	}
	for i := range s.Tables {
		l.addLast(s, &s.Tables[i])
	}
	return l
}

// addLast lets "lines" be order_lines, if nothing else is called so.
func (l *lexicon) addLast(s *Schema, t *Table) {
	last := func(t *Table) string {
		ws := parts(t.Bare)
		return fold(ws[max(len(ws)-1, 0):])
	}
	name := last(t)
	alone := !slices.ContainsFunc(s.Tables, func(o Table) bool { return o.Name != t.Name && last(&o) == name })
	others := slices.ContainsFunc(l.columns[name], func(p place) bool { return p.t != t })
	if len(name) > 2 && alone && !others && l.tables[name] == nil && vocabulary[name] == none && len(l.values[name]) == 0 {
		l.tables[name] = t
	}
}

// addUnnumbered lets "sales" be sales_2024_2026, if that are the only sales.
func (l *lexicon) addUnnumbered(s *Schema, t *Table) {
	name := unnumbered(t)
	alone := !slices.ContainsFunc(s.Tables, func(o Table) bool { return o.Name != t.Name && unnumbered(&o) == name })
	if name != "" && alone && l.tables[name] == nil {
		l.tables[name] = t
	}
}

func unnumbered(t *Table) string {
	return fold(slices.DeleteFunc(parts(t.Bare), func(w string) bool { return strings.Trim(w, "0123456789") == "" }))
}

// suffixes of names say in what a column counts, and are not said.
var suffixes = []string{"cents", "eur", "usd", "id", "on", "at", "date", "code", "name", "percent"}

func (l *lexicon) addColumn(p place) {
	ws := parts(p.c.Name)
	add := func(into map[string][]place, words []string) {
		key := fold(words)
		if key != "" && !slices.Contains(into[key], p) {
			into[key] = append(into[key], p)
		}
	}
	add(l.columns, ws)
	core := ws
	for len(core) > 1 && slices.Contains(suffixes, core[len(core)-1]) {
		core = core[:len(core)-1]
	}
	add(l.columns, core)
	add(l.columns, append(parts(p.t.Bare), core...))
	if p == p.t.label() && slices.Contains([]string{"name", "nombre"}, ws[len(ws)-1]) {
		add(l.partial, ws[len(ws)-1:])
	}
	if p.c.Kind == Date && birth(p.c.Name) {
		add(l.partial, []string{"born"})
		add(l.partial, []string{"nacido"})
	}
	if slices.Contains(ws, "price") && !slices.ContainsFunc(p.t.places(), func(o place) bool { return slices.Contains(parts(o.c.Name), "cost") }) {
		add(l.partial, []string{"cost"})
	}
	for from := range core {
		for to := from + 1; to <= len(core); to++ {
			if of := strings.Join(core[from:to], " "); to-from < len(core) && of != "unit" && vocabulary[of] == none {
				add(l.partial, core[from:to])
			}
		}
	}
}

func (l *lexicon) addValue(p place, v string) {
	ws := valueWords(v)
	if len(ws) == 0 || len(ws) > longestPhrase {
		return
	}
	addTo(l.values, fold(ws), p, v)
	for _, w := range gendered(p, fold(ws)) {
		addTo(l.values, w, p, v)
	}
	if len(ws) > 1 {
		for _, w := range ws {
			if len(w) > 2 && vocabulary[w] == none && !slices.Contains(nobodys, w) {
				addTo(l.within, singular(w), p, v)
			}
		}
	}
}

// nobodys words are part of many names, and are meant by themselves more often: new
// customers are not those of New York.
var nobodys = []string{"new", "old", "big", "small", "good", "great", "other", "nuevo", "nueva", "gran", "not"}

func addTo(into map[string][]value, key string, p place, v string) {
	vs := into[key]
	i := slices.IndexFunc(vs, func(x value) bool { return x.place == p })
	if i < 0 {
		into[key] = append(vs, value{p, []string{v}})
		return
	}
	if !slices.Contains(vs[i].is, v) {
		vs[i].is = append(vs[i].is, v)
	}
}

func valueWords(v string) []string {
	var out []string
	for _, t := range lex(v) {
		out = append(out, strings.Split(t.word, "_")...)
	}
	return out
}

// fold joins words for comparison.
func fold(ws []string) string {
	out := make([]string, len(ws))
	for i, w := range ws {
		out[i] = singular(w)
	}
	return strings.Join(out, " ")
}

// folded is fold for what was asked, where names may be written as in SQL.
func folded(ts []token) string {
	var ws []string
	for _, t := range ts {
		ws = append(ws, strings.Split(t.word, "_")...)
	}
	return fold(ws)
}

func format(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
