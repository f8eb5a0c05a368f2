// Package plain turns questions in plain words, English or Spanish, into SQL:
// counts, totals, averages, extremes, the top N, filters by value, size and
// date, and groups. It knows words by lists and by the names and values of the
// tables; it runs nothing, and says which words it could not place.
package plain

import (
	"slices"
	"strings"
	"time"
)

// Schema is what can be asked about.
type Schema struct {
	Tables []Table
}

// Table is one table, with what refers to others.
type Table struct {
	Name    string   // as SQL spells it
	Bare    string   // without its schema and quotes
	Aliases []string // other words for what it holds
	Key     string   // the column that names a row; empty if none does
	Columns []Column
	Refs    []Ref
}

// Column is one column of a table.
type Column struct {
	Name   string
	Kind   Kind
	Values []string // what it holds, where these are few; else nil
	Flag   bool     // a number that is 0 or 1
}

// Ref says that a column holds the key of a row of another table.
type Ref struct {
	Column, Table, ToColumn string
}

// Kind is what a column is good for.
type Kind int

// The kinds of columns.
const (
	Text Kind = iota
	Number
	Date
)

// Query is what a question was read as.
type Query struct {
	SQL    string
	Read   []string // what the statement asks for, in words
	Missed []string // words of the question that have no part in it
	Whole  bool     // it lists a table as it is: the question says no more than its name
}

// maxWords is how much of a question is read.
const maxWords = 200

// Read translates a question. The day decides what "last month" is. It
// returns nil if the question names nothing that the schema has, or asks for
// what the tables' references do not connect.
func (s *Schema) Read(question string, today time.Time) *Query {
	items := s.annotate(lex(question), today)
	r := &reading{s: s, items: items, today: today}
	r.versus()
	r.items = arrange(postposed(r.items))
	r.walk()
	return r.query()
}

// Within returns the schema with some of its tables only, and with the
// references between them.
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
func (p place) valid() bool  { return p.c != nil }

// cents reports whether the column counts hundredths of what people say.
func (p place) cents() bool { return strings.HasSuffix(strings.ToLower(p.c.Name), "_cents") }

// measure reports whether adding up the column makes sense.
func (p place) measure() bool {
	name := strings.ToLower(p.c.Name)
	if p.c.Kind != Number || p.c.Flag || strings.EqualFold(p.c.Name, p.t.Key) || numbered(name) || yearly(name) {
		return false
	}
	return !slices.ContainsFunc(p.t.Refs, func(r Ref) bool { return strings.EqualFold(r.Column, p.c.Name) })
}

// flag returns what a column that says yes or no holds for each, as SQL writes it.
func (p place) flag() (yes, no string, ok bool) {
	if p.c.Flag {
		return "1", "0", true
	}
	for _, words := range [][2]string{{"yes", "no"}, {"true", "false"}, {"y", "n"}, {"t", "f"}, {"ja", "nein"}, {"sí", "no"}, {"si", "no"}, {"oui", "non"}, {"1", "0"}} {
		yes, no = "", ""
		for _, v := range p.c.Values {
			switch strings.ToLower(v) {
			case words[0]:
				yes = literal(v)
			case words[1]:
				no = literal(v)
			default:
				ok = true // something else
			}
		}
		if yes != "" && no != "" && !ok {
			return yes, no, true
		}
		ok = false
	}
	return "", "", false
}

// natural is how several values of a measure make one: ratios do not add up.
func (p place) natural() op {
	for _, w := range parts(p.c.Name) {
		if slices.Contains([]string{"ratio", "percent", "percentage", "rate", "average", "avg", "mean", "score", "rating", "temperature", "humidity", "pressure", "voltage", "speed", "age", "temperatura", "humedad", "edad"}, w) {
			return avg
		}
	}
	return sum
}

// numbered reports whether a column of that name holds numbers that are names, and no amounts.
func numbered(name string) bool {
	ws := parts(name)
	if len(ws) == 0 {
		return false
	}
	return ws[0] == "id" || slices.Contains([]string{"id", "no", "nr", "number", "code", "zip", "phone", "account", "cuenta"}, ws[len(ws)-1])
}

func yearly(name string) bool {
	return slices.Contains([]string{"year", "founded", "built", "established"}, name) || strings.HasSuffix(name, "_year")
}

func (t *Table) places() []place {
	out := make([]place, len(t.Columns))
	for i := range t.Columns {
		out[i] = place{t, &t.Columns[i]}
	}
	return out
}

// principal is the column that "the largest" of a table is about: money
// first, else any number that can be added up.
func (t *Table) principal() place {
	var found place
	for _, p := range t.places() {
		switch {
		case !p.measure(), aside(p.c.Name):
		case p.cents(), money(p.c.Name):
			return p
		case !found.valid():
			found = p
		}
	}
	return found
}

func money(name string) bool {
	return slices.ContainsFunc(parts(name), func(w string) bool {
		return slices.Contains([]string{"amount", "price", "cost", "total", "value", "revenue", "sales", "importe", "precio", "coste", "monto", "valor"}, w)
	})
}

// aside reports whether a column of that name counts what comes on top of the amount that
// a row is about, or says where it is.
func aside(name string) bool {
	return slices.ContainsFunc(parts(name), func(w string) bool {
		return slices.Contains([]string{"shipping", "freight", "delivery", "tax", "vat", "discount", "fee", "tip", "latitude", "longitude", "lat", "lon", "lng", "envío", "descuento", "iva"}, w)
	})
}

// named is the column that a text with digits in it is of: order ORD1005.
func (t *Table) named() place {
	for _, p := range t.places() {
		if p.c.Kind == Text && strings.EqualFold(p.c.Name, t.Key) {
			return p
		}
	}
	return t.label()
}

// date is the column that "in 2025" is about: the first, but for that of a birth.
func (t *Table) date() place {
	for _, p := range t.places() {
		if p.c.Kind == Date && !birth(p.c.Name) {
			return p
		}
	}
	return t.born()
}

// born is the column that says how old somebody is.
func (t *Table) born() place {
	for _, p := range t.places() {
		if p.c.Kind == Date && birth(p.c.Name) {
			return p
		}
	}
	return place{}
}

func birth(name string) bool {
	return slices.ContainsFunc(parts(name), func(w string) bool {
		return slices.Contains([]string{"birth", "birthdate", "birthday", "born", "dob", "nacimiento"}, w)
	})
}

// label is the column by which people know a row.
func (t *Table) label() place {
	var found place
	for _, p := range t.places() {
		name := strings.ToLower(p.c.Name)
		if slices.Contains([]string{"name", "code", "title", "number", "label"}, name) {
			return p
		}
		if !found.valid() && p.c.Kind == Text && strings.HasSuffix(name, "name") {
			found = p
		}
	}
	return found
}

func quoted(name string) string {
	plain := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_0123456789") == "" && !slices.Contains(keywords, name)
	if plain {
		return name
	}
	return `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
}

// keywords of SQL are likely names of columns.
var keywords = []string{"order", "group", "index", "from", "to", "where", "select", "table", "default", "values", "check", "references", "limit", "case", "when", "end"}

func literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
