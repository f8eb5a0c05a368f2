package grammar

import (
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
	p := &parser{schema: s, rest: tokens, st: statement{verb: list}}
	if p.statement() {
		return s.query(&p.st), nil
	}

	return nil, failure(tokens)
}

func failure(tokens []token) *Failure {
	f := &Failure{}
	for _, t := range tokens {
		if _, isNumber := number(t.text); t.op == "" && len(t.names) == 0 && !isNumber {
			f.Unplaced = append(f.Unplaced, t.said)
		}
		f.Asks = f.Asks || !slices.Contains([]op{"", link, unread}, t.op)
		for _, n := range t.names {
			if n.value == "" && !slices.Contains(f.Tables, n.t.Name) {
				f.Tables = append(f.Tables, n.t.Name)
			}
		}
	}

	return f
}

// statement is a SELECT about the rows of a table.
type statement struct {
	verb    op // list, count, sum or avg
	table   *Table
	measure field // what is summed or averaged
	group   field // c is nil if there is none
	event   field // the date that "in 2025" is about; c is nil if there is none
	conds   []condition
}

// condition is a condition on rows.
type condition struct {
	of        field
	sql, read string
	event     bool // it may tell what happened, and a year when: claims closed in 2025
	assumed   bool // it is a year of a date that the question does not name
}

// parser reads the tokens of one question into a statement.
type parser struct {
	schema *Schema
	rest   []token
	st     statement
}

func (p *parser) peek() token {
	if len(p.rest) == 0 {
		return token{}
	}
	return p.rest[0]
}

func (p *parser) next() token {
	t := p.peek()
	p.rest = p.rest[min(1, len(p.rest)):]
	return t
}

func (p *parser) accept(o op) bool {
	ok := p.peek().op == o
	if ok {
		p.next()
	}
	return ok
}

// try goes back to where it began if read fails.
func (p *parser) try(read func() bool) bool {
	start := p.rest
	ok := read()
	if !ok {
		p.rest = start
	}
	return ok
}

// statement reads a whole question. It fails if a token has no place, or if a year may be that of
// another event: what occurred in 2025 may be closed later.
func (p *parser) statement() bool {
	p.accept(list)
	subject := p.rows
	first := p.peek()
	switch {
	case p.accept(count):
		p.st.verb = count
	case first.op == sum, first.op == avg, len(first.columns(field.isMeasure)) > 0:
		subject = p.aggregate
	}
	if !subject() {
		return false
	}

	for len(p.rest) > 0 {
		if !p.try(p.group) && !p.condition() {
			return false
		}
	}

	event := slices.ContainsFunc(p.st.conds, func(c condition) bool { return c.event })
	assumed := slices.ContainsFunc(p.st.conds, func(c condition) bool { return c.assumed })
	return !event || !assumed
}

// rows reads a table with the values before it: open claims.
func (p *parser) rows() bool {
	var values []token
	for len(p.peek().values()) > 0 && p.peek().table() == nil {
		values = append(values, p.next())
	}

	p.st.table = p.next().table()
	if p.st.table == nil {
		return false
	}

	events := slices.IndexFunc(p.st.table.Columns, func(c Column) bool { return c.Event })
	if events >= 0 {
		p.st.event = field{p.st.table, &p.st.table.Columns[events]}
	}
	for _, v := range values {
		c, ok := p.valueCondition(v)
		if !ok || c.of.t != p.st.table || !p.add(c) {
			return false
		}
	}

	return true
}

// aggregate reads "total paid", "average deductible of active policies" and "prima media".
func (p *parser) aggregate() bool {
	p.st.verb = p.function()
	if p.st.verb != "" {
		p.accept(link)
	}
	measures := p.next().columns(field.isMeasure)
	if p.st.verb == "" {
		p.st.verb = p.function()
	}

	named := p.try(func() bool { return p.accept(link) && p.rows() })
	if named {
		measures = slices.DeleteFunc(measures, func(m name) bool { return m.t != p.st.table })
	}
	if p.st.verb == "" || len(measures) != 1 {
		return false
	}

	p.st.measure = measures[0].field
	if !named {
		p.st.table = p.st.measure.t
		p.st.conds = nil
		p.st.event = field{}
	}

	return p.st.verb == avg || p.st.measure.isSummable()
}

// function reads the word for an aggregate.
func (p *parser) function() op {
	if o := p.peek().op; o == sum || o == avg {
		return p.next().op
	}
	return ""
}

// group reads "by cause".
func (p *parser) group() bool {
	if !p.accept(by) || p.st.group.c != nil {
		return false
	}
	columns := p.schema.nearest(p.st.table, p.next().columns(field.isText))
	if len(columns) != 1 {
		return false
	}
	p.st.group = columns[0].field
	return true
}

// add adds a condition, but no second one on a column: "in Berlin in Munich" has two readings.
func (p *parser) add(c condition) bool {
	if slices.ContainsFunc(p.st.conds, func(o condition) bool { return o.of == c.of }) {
		return false
	}
	p.st.conds = append(p.st.conds, c)
	return true
}

// condition reads one condition, with the word that connects it.
func (p *parser) condition() bool {
	linked := p.accept(link)
	return p.try(func() bool { return p.value(linked) }) ||
		p.try(func() bool { return p.year(linked) }) ||
		p.try(p.size)
}

// value reads "open" and "in Berlin". A value of another table needs a word that connects it.
func (p *parser) value(linked bool) bool {
	v := p.next()
	c, ok := p.valueCondition(v)
	if !ok || len(p.peek().names) > 0 { // hail, of hail claims
		return false
	}
	if linked {
		return p.add(c)
	}
	c.event = true
	return c.of.t == p.st.table && v.table() == nil && p.add(c)
}

// valueCondition makes the condition that a column has a value: of the table, or of the nearest one
// that it refers to. Part of a value is not a value of another table: commercial policies may be of
// commercial motor.
func (p *parser) valueCondition(v token) (condition, bool) {
	near := p.schema.nearest(p.st.table, v.values())
	if len(near) != 1 {
		return condition{}, false
	}

	n := near[0]
	c := condition{
		of:    n.field,
		sql:   n.sql() + " = '" + strings.ReplaceAll(n.value, "'", "''") + "'",
		read:  n.String() + " is " + n.value,
		event: len(v.columns(field.isDate)) > 0,
	}
	return c, n.t == p.st.table || !p.schema.parts[v.text]
}

// year reads "in 2025" and "reported in 2025".
func (p *parser) year(linked bool) bool {
	date, named := p.column(field.isDate)
	if named {
		linked = p.accept(link)
	} else {
		date = p.st.event
	}

	said := p.next().text
	year, err := strconv.Atoi(said)
	isYear := err == nil && len(said) == 4 && year >= 1900 && year <= 2100
	if date.c == nil || !linked || !isYear {
		return false
	}

	next := strconv.Itoa(year + 1)
	return p.add(condition{
		of:      date,
		sql:     date.sql() + " >= '" + said + "-01-01' AND " + date.sql() + " < '" + next + "-01-01'",
		read:    date.String() + " from " + said + "-01-01 to " + said + "-12-31",
		assumed: !named,
	})
}

// size reads "deductible under 200".
func (p *parser) size() bool {
	of, named := p.column(field.isMeasure)
	p.accept(link)
	operator := string(p.next().op)
	n, ok := number(p.next().text)
	if !named || !ok || !strings.ContainsAny(operator, "<>") {
		return false
	}

	stored := n
	if of.isCents() {
		stored *= 100
	}

	return p.add(condition{
		of:   of,
		sql:  of.sql() + " " + operator + " " + strconv.Itoa(stored),
		read: of.String() + " " + operator + " " + strconv.Itoa(n),
	})
}

// column reads the name of a column of the table that is good, and is no value.
func (p *parser) column(good func(field) bool) (field, bool) {
	t := p.peek()
	columns := t.columns(func(f field) bool { return f.t == p.st.table && good(f) })
	if len(columns) != 1 || len(t.values()) > 0 {
		return field{}, false
	}
	p.next()
	return columns[0].field, true
}
