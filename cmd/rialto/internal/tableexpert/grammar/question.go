package grammar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Query is how a question was read.
type Query struct {
	SQL  string
	Read []string // the parts of the statement, in words
}

// Failure says why a question has no answer here.
type Failure struct {
	Unplaced []string // words that mean nothing here
	Tables   []string // that the question names, also by their columns
	Asks     bool     // it asks for something, be it of no table
}

const maxQuestion = 1000 // bytes

// Read translates a question about some of the tables. Either the query is nil or the failure.
func (s *Schema) Read(question string, tables []string) (*Query, *Failure) {
	if len(question) > maxQuestion {
		return nil, &Failure{Asks: true}
	}

	tokens := s.lex(question, tables)
	p := &parser{schema: s, rest: append(tokens, token{op: end}, token{op: end})}
	if p.statement() {
		return p.query(), nil
	}

	f := &Failure{Asks: p.verb != ""}
	for _, t := range tokens {
		if t.op == "" && len(t.names) == 0 {
			f.Unplaced = append(f.Unplaced, t.said)
		}
		for _, n := range t.names {
			if n.kind != value && !slices.Contains(f.Tables, n.table.Name) {
				f.Tables = append(f.Tables, n.table.Name)
			}
		}
	}

	return nil, f
}

// parser reads the tokens of one question into a SELECT about the rows of a table.
type parser struct {
	schema  *Schema
	rest    []token // ends with two of op end
	verb    op      // list, count, sum, avg, or nothing
	table   *Table
	measure name   // what is summed or averaged
	group   name   // its column is nil if there is none
	join    string // the clauses for what is of another table
	where   []string
	read    []string // the conditions in words

	happened bool // a condition may tell what happened, and a year when: claims closed in 2025
	assumed  bool // a year is of a date that the question does not name
}

// next reads a token.
func (p *parser) next() token {
	t := p.rest[0]
	if t.op != end {
		p.rest = p.rest[1:]
	}
	return t
}

// accept reads a token if it is an op.
func (p *parser) accept(o op) bool {
	ok := p.rest[0].op == o
	if ok {
		p.next()
	}
	return ok
}

// statement reads a whole question. It fails if a token has no place, or if a year may be that of
// another event: what occurred in 2025 may be closed later.
func (p *parser) statement() bool {
	if p.accept(list) {
		p.verb = list
	}
	if p.rest[0].op == "" && p.rest[1].isFunction() { // prima media
		p.rest[0], p.rest[1] = p.rest[1], p.rest[0]
	}

	subject := p.rows
	switch {
	case p.rest[0].isFunction():
		p.verb = p.next().op
		subject = p.aggregate
	case p.accept(count):
		p.verb = count
	}
	ok := subject()
	for ok && p.rest[0].op != end {
		ok = p.condition()
	}

	return ok && !(p.happened && p.assumed)
}

// aggregate reads a measure, such as "paid" or "deductible of active policies". A year is certain only
// if the question names the table.
func (p *parser) aggregate() bool {
	p.accept(link)
	measure := p.next()
	named := slices.ContainsFunc(p.rest, token.isTable)
	p.happened = !named
	if named && !(p.accept(link) && p.rows()) {
		return false
	}

	var ok bool
	p.measure, ok = p.find(measure, amount, false)
	if !ok {
		return false
	}

	p.table = p.measure.table
	return p.verb == avg || !rate.MatchString(p.measure.column.Name)
}

// rows reads a table with the values before it: open claims.
func (p *parser) rows() bool {
	at := slices.IndexFunc(p.rest, token.isTable)
	if at < 0 {
		return false
	}

	values := p.rest[:at]
	p.table = p.rest[at].table()
	p.rest = p.rest[at+1:]
	for _, v := range values {
		if !p.value(v, false) {
			return false
		}
	}

	return true
}

// condition reads a group or one condition, with the word that connects it.
func (p *parser) condition() bool {
	linked := p.accept(link)
	t := p.next()
	date, isDate := p.find(t, Date, false)
	measure, isMeasure := p.find(t, amount, false)
	switch {
	case t.op == by:
		grouped := p.group.column != nil
		group, ok := p.find(p.next(), Text, true)
		p.group = group
		return ok && !grouped && !linked
	case len(t.pick(value)) > 0:
		p.happened = p.happened || !linked
		another := len(p.rest[0].names) > 0 // with hail claims
		apart := linked || !t.isTable()
		return !another && apart && p.value(t, linked)
	case isDate:
		return p.accept(link) && p.year(date, p.next())
	case isMeasure:
		return p.size(measure)
	}

	p.assumed = true
	event := name{table: p.table, column: &Column{Name: p.table.Event}}
	return linked && p.table.Event != "" && p.year(event, t)
}

// value adds the condition that a column has a value. A value of another table needs a word that
// connects it.
func (p *parser) value(t token, linked bool) bool {
	n, ok := p.find(t, value, linked)
	p.happened = p.happened || len(t.pick(Date)) > 0
	return ok && p.add(n, "= '"+strings.ReplaceAll(n.value, "'", "''")+"'", "is "+n.value)
}

// year adds "in 2025".
func (p *parser) year(date name, t token) bool {
	year, err := strconv.Atoi(t.text)
	if err != nil || year < 1900 || year > 2100 {
		return false
	}

	test := fmt.Sprintf(">= '%d-01-01' AND %s < '%d-01-01'", year, date.sql(), year+1)
	return p.add(date, test, fmt.Sprintf("in %d", year))
}

// size reads "under 200" for a column.
func (p *parser) size(of name) bool {
	p.accept(link)
	operator := string(p.next().op)
	n, err := strconv.ParseInt(p.next().text, 10, 32)
	if err != nil || !strings.ContainsAny(operator, "<>") {
		return false
	}

	read := fmt.Sprintf("%s %d", operator, n)
	if of.isCents() {
		n *= 100
	}
	return p.add(of, fmt.Sprintf("%s %d", operator, n), read)
}

// add adds a condition, but no second one on a column: "in Berlin in Munich" has two readings.
func (p *parser) add(of name, test, read string) bool {
	column := of.sql() + " "
	if slices.ContainsFunc(p.where, func(c string) bool { return strings.HasPrefix(c, column) }) {
		return false
	}
	p.where = append(p.where, column+test)
	p.read = append(p.read, of.String()+" "+read)
	return true
}

// find returns the only name of a kind that a token has: of the table or, if far and the table has
// none, of one that it refers to. Part of a value is not a value of another table: commercial
// policies may be of commercial motor.
func (p *parser) find(t token, k Kind, far bool) (name, bool) {
	found := slices.DeleteFunc(t.pick(k), func(n name) bool { return p.table != nil && n.table != p.table })
	if far && len(found) == 0 && p.join == "" && !p.schema.parts[t.text] {
		joins := p.schema.joins(p.table)
		found = slices.DeleteFunc(t.pick(k), func(n name) bool { return joins[n.table] == "" })
		if len(found) == 1 {
			p.join = joins[found[0].table]
		}
	}
	if len(found) != 1 {
		return name{}, false
	}

	return found[0], true
}
