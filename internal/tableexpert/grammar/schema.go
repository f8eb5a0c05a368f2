// Package grammar translates simple questions, English or Spanish, into one SELECT. It
// answers a question only if it has placed every word of content: a question with a word
// left over, or with two readings, has no answer here. It knows the names and values of a
// schema; it runs nothing and knows no database.
package grammar

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Schema is what questions can be about.
type Schema struct {
	Tables []Table

	once  sync.Once
	named map[string][]name // of names
}

// Table is one table.
type Table struct {
	Name    string   // as SQL spells it
	Bare    string   // without its schema and quotes
	Aliases []string // other words for it
	Key     string   // the column that identifies a row; empty if none does
	Columns []Column
	Refs    []Ref
}

// Column is one column of a table.
type Column struct {
	Name    string
	Kind    Kind
	Aliases []string            // other words for it
	Values  []string            // distinct values, if there are few; else nil
	Words   map[string][]string // other words for a value
}

// Ref is a foreign key.
type Ref struct {
	Column, Table, ToColumn string
}

// Kind is what a column holds.
type Kind int

// The kinds of columns.
const (
	Text Kind = iota
	Number
	Date
)

// Within returns the schema with the named tables only.
func (s *Schema) Within(names []string) *Schema {
	if len(names) == len(s.Tables) {
		return s
	}
	part := &Schema{}
	for _, t := range s.Tables {
		if slices.Contains(names, t.Name) {
			part.Tables = append(part.Tables, t)
		}
	}
	return part
}

func (s *Schema) table(name string) *Table {
	i := slices.IndexFunc(s.Tables, func(t Table) bool { return strings.EqualFold(t.Name, name) })
	if i < 0 {
		return nil
	}
	return &s.Tables[i]
}

// place is a column of a table.
type place struct {
	t *Table
	c *Column
}

func (p place) sql() string  { return p.t.Name + "." + quoted(p.c.Name) }
func (p place) name() string { return p.t.Bare + "." + p.c.Name }

// cents reports whether the column holds hundredths.
func (p place) cents() bool { return strings.HasSuffix(strings.ToLower(p.c.Name), "_cents") }

// bare is the column's name without its unit.
func (p place) bare() string { return strings.TrimSuffix(strings.ToLower(p.c.Name), "_cents") }

// measure reports whether the column holds amounts, not identifiers or years.
func (p place) measure() bool {
	ws := strings.Split(strings.ToLower(p.c.Name), "_")
	last := ws[len(ws)-1]
	if p.c.Kind != Number || strings.EqualFold(p.c.Name, p.t.Key) || p.yearly() || ws[0] == "id" ||
		slices.Contains([]string{"id", "no", "number", "code", "zip", "phone"}, last) {
		return false
	}
	return !slices.ContainsFunc(p.t.Refs, func(r Ref) bool { return strings.EqualFold(r.Column, p.c.Name) })
}

// adds reports whether sums of the column mean something.
func (p place) adds() bool {
	return !slices.ContainsFunc(strings.Split(strings.ToLower(p.c.Name), "_"), func(w string) bool {
		return slices.Contains([]string{"ratio", "percent", "pct", "rate", "average", "avg", "score", "rating", "temperature", "humidity", "price", "age", "c"}, w)
	})
}

// yearly reports whether the column holds years.
func (p place) yearly() bool {
	name := strings.ToLower(p.c.Name)
	return p.c.Kind == Number && (name == "year" || strings.HasSuffix(name, "_year"))
}

func (t *Table) places() []place {
	out := make([]place, len(t.Columns))
	for i := range t.Columns {
		out[i] = place{t, &t.Columns[i]}
	}
	return out
}

// money reports whether the column holds amounts of money in euros, or in no named currency.
func (p place) money() bool {
	ws := strings.Split(strings.ToLower(p.c.Name), "_")
	return slices.ContainsFunc(strings.Fields("cents eur euros amount total price cost value budget revenue salary importe precio coste salario"), func(w string) bool { return slices.Contains(ws, w) }) &&
		!slices.ContainsFunc(strings.Fields("usd gbp chf dollars percent pct"), func(w string) bool { return slices.Contains(ws, w) })
}

// principal is the column that the size of a row is about: the amount that is called as
// the table is, or, where a question is about money, the only amount of money.
func (t *Table) principal(price bool) (place, bool) {
	var money []place
	for _, p := range t.places() {
		if !p.measure() {
			continue
		}
		if n := 4; p.cents() && len(t.Bare) >= n && strings.HasPrefix(strings.ToLower(p.c.Name), strings.ToLower(t.Bare[:n])) {
			return p, true
		}
		if price && (p.cents() || slices.Contains([]string{"amount", "total", "importe"}, p.bare())) {
			money = append(money, p)
		}
	}
	if len(money) != 1 {
		return place{}, false
	}
	return money[0], true
}

// event is the date that "in 2025" is about: the first one of a table whose rows happen
// once. Rows that last, such as contracts with a start and an end, have none.
func (t *Table) event() (place, bool) {
	var found place
	for _, p := range t.places() {
		if p.c.Kind != Date {
			continue
		}
		for _, w := range []string{"start", "end", "since", "from", "until", "valid", "expir", "birth", "hire", "termination", "signup", "joined", "built", "founded", "created"} {
			if strings.Contains(strings.ToLower(p.c.Name), w) {
				return place{}, false
			}
		}
		if found.c == nil {
			found = p
		}
	}
	return found, found.c != nil
}

// year is the only column of years of a table without dates.
func (t *Table) year() (place, bool) {
	var found []place
	for _, p := range t.places() {
		if p.c.Kind == Date {
			return place{}, false
		}
		if p.yearly() {
			found = append(found, p)
		}
	}
	if len(found) != 1 {
		return place{}, false
	}
	return found[0], true
}

// label is the column by which people know a row.
func (t *Table) label() (place, bool) {
	var found place
	for _, p := range t.places() {
		name := strings.ToLower(p.c.Name)
		if slices.Contains([]string{"name", "code", "title", "number", "label"}, name) {
			return p, true
		}
		if found.c == nil && p.c.Kind == Text && strings.HasSuffix(name, "name") {
			found = p
		}
	}
	return found, found.c != nil
}

// path returns the references that lead from a table to another, each to one row: the
// shortest chain. None means that the tables are not connected so.
func (s *Schema) path(from, to *Table) ([]Ref, bool) {
	type step struct {
		t    *Table
		refs []Ref
	}
	queue, seen := []step{{from, nil}}, map[*Table]bool{from: true}
	for len(queue) > 0 {
		at := queue[0]
		if queue = queue[1:]; at.t == to {
			return at.refs, true
		}
		for _, r := range at.t.Refs {
			if next := s.table(r.Table); next != nil && !seen[next] {
				seen[next] = true
				queue = append(queue, step{next, append(slices.Clone(at.refs), r)})
			}
		}
	}
	return nil, false
}

// joins writes the FROM clause of a statement about t that reads other tables, too.
func (s *Schema) joins(t *Table, others []*Table) string {
	out, joined := t.Name, []*Table{t}
	for _, other := range others {
		refs, _ := s.path(t, other)
		at := t
		for _, r := range refs {
			next := s.table(r.Table)
			if !slices.Contains(joined, next) {
				joined = append(joined, next)
				out += " LEFT JOIN " + next.Name + " ON " + at.Name + "." + quoted(r.Column) + " = " + next.Name + "." + quoted(r.ToColumn)
			}
			at = next
		}
	}
	return out
}

func quoted(name string) string {
	plain := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_0123456789") == "" &&
		!slices.Contains(strings.Fields("order group index from to where select table default values check references limit case when end"), name)
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// name is something that a word of a question may mean: a table, a column, or a value.
type name struct {
	t      *Table
	c      *Column // nil: the table
	value  string  // "": the column
	plural bool
}

func (n name) place() place { return place{n.t, n.c} }

// kind reports whether the value says what a row is: a truck is a vehicle, an agent is no
// policy.
func (n name) kind() bool {
	return n.c != nil && n.value != "" && slices.Contains([]string{"kind", "type", "tipo"}, strings.ToLower(n.c.Name))
}

// names returns what the words of the schema mean, by their folded spelling.
func (s *Schema) names() map[string][]name {
	s.once.Do(func() { s.named = s.readNames() })
	return s.named
}

func (s *Schema) readNames() map[string][]name {
	all := map[string][]name{}
	put := func(words string, n name) {
		for i, form := range Forms(fold(words)) {
			if n.plural = strings.HasSuffix(form, "s") && (i > 0 || n.value == ""); form != "" && !slices.ContainsFunc(all[form], func(o name) bool { return o.t == n.t && o.c == n.c && o.value == n.value }) {
				all[form] = append(all[form], n)
			}
		}
	}
	for i := range s.Tables {
		t := &s.Tables[i]
		for _, word := range append([]string{strings.ReplaceAll(t.Bare, "_", " ")}, t.Aliases...) {
			put(word, name{t: t})
		}
	}
	for i := range s.Tables {
		for _, p := range s.Tables[i].places() {
			for _, word := range append(p.spoken(), p.c.Aliases...) {
				if !slices.ContainsFunc(all[fold(word)], func(n name) bool { return n.c == nil && p.c.Kind == Date }) {
					put(word, name{t: p.t, c: p.c})
				}
			}
			for _, v := range p.c.Values {
				for _, word := range append([]string{v}, p.c.Words[v]...) {
					put(word, name{t: p.t, c: p.c, value: v})
				}
			}
		}
	}
	return all
}

// spoken returns what people call a column: deductible_cents is the deductible, annual_km
// the km, and what has an order_date was ordered.
func (p place) spoken() []string {
	full := strings.ReplaceAll(p.bare(), "_", " ")
	out := []string{full}
	ws := strings.Fields(full)
	if n := len(ws) - 1; n > 0 {
		if slices.Contains([]string{"date", "on", "at", "percent", "pct", "eur", "usd", "c"}, ws[n]) {
			stem := strings.Join(ws[:n], " ")
			out = append(out, stem)
			if p.c.Kind == Date {
				out = append(out, strings.TrimSuffix(stem, "e")+"ed")
			}
		} else if p.measure() {
			out = append(out, ws[n])
		}
	}
	if p.cents() {
		for _, word := range append(out, p.c.Aliases...) {
			out = append(out, word+" amount", "amount "+word, "importe "+word)
		}
	}
	return out
}

// Forms returns a word with its plurals and, of Spanish adjectives, genders. The first is
// the word itself.
func Forms(word string) []string {
	out := []string{word}
	switch {
	case len(word) < 3:
	case strings.HasSuffix(word, "ies"):
		out = append(out, strings.TrimSuffix(word, "ies")+"y")
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us"):
		out = append(out, strings.TrimSuffix(word, "s"))
		if stem, ok := strings.CutSuffix(word, "es"); ok {
			out = append(out, stem)
		}
	case strings.HasSuffix(word, "y"):
		out = append(out, strings.TrimSuffix(word, "y")+"ies")
	case strings.HasSuffix(word, "o"):
		stem := strings.TrimSuffix(word, "o")
		out = append(out, word+"s", stem+"a", stem+"as")
	default:
		out = append(out, word+"s", word+"es")
	}
	return out
}

// nearest sorts names by how far their tables are from t, and returns those of columns
// that are as near as the first; none if a column has several rows for one of t.
func (s *Schema) nearest(t *Table, names []name) []name {
	var found []name
	far := map[*Table]int{}
	for _, n := range names {
		if refs, ok := s.path(t, n.t); ok {
			far[n.t] = len(refs)
			found = append(found, n)
		}
	}
	slices.SortStableFunc(found, func(a, b name) int { return cmp.Compare(far[a.t], far[b.t]) })
	return slices.DeleteFunc(found, func(n name) bool { return far[n.t] > far[found[0].t] })
}
