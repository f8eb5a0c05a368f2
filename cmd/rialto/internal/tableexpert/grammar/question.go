package grammar

import "slices"

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

// Read translates a question. Either the query is nil or the failure.
func (s *Schema) Read(question string) (*Query, *Failure) {
	if len(question) > maxQuestion {
		return nil, &Failure{Asks: true}
	}
	p := &parser{s: s, toks: s.lex(question)}
	if st := p.statement(); st != nil {
		return s.query(st), nil
	}
	return nil, failure(p.toks)
}

func failure(toks []token) *Failure {
	f := &Failure{}
	for _, t := range toks {
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

// statement is a SELECT about rows.
type statement struct {
	*rows
	verb    op // list, count, sum, avg or top
	measure field
	groups  []field
	limit   int
}

// rows are the rows of a table that conditions hold of.
type rows struct {
	table *Table
	conds []condition
	event field // the date that a time is of; c is nil if there is none
}

// parser reads the tokens of one question.
type parser struct {
	s    *Schema
	toks []token
	pos  int
}

func (p *parser) end() bool { return p.pos >= len(p.toks) }

func (p *parser) peek() token {
	if p.end() {
		return token{}
	}
	return p.toks[p.pos]
}

func (p *parser) next() token {
	t := p.peek()
	p.pos++
	return t
}

func (p *parser) accept(o op) bool {
	ok := p.peek().op == o
	if ok {
		p.pos++
	}
	return ok
}

// try goes back to where it began if read fails.
func (p *parser) try(read func() bool) bool {
	start := p.pos
	ok := read()
	if !ok {
		p.pos = start
	}
	return ok
}

// statement reads a question; nil if a token is left over.
func (p *parser) statement() *statement {
	p.accept(list)
	st := &statement{verb: list}
	read := p.listed
	switch first := p.peek(); {
	case first.op == count:
		read = p.counted
	case first.op == top:
		read = p.ranked
	case first.op == sum, first.op == avg, len(first.columns(field.isMeasure)) > 0:
		read = p.aggregated
	}

	if !read(st) || !p.conditions(st) {
		return nil
	}

	dated := slices.ContainsFunc(st.conds, func(c condition) bool { return c.dated })
	assumed := slices.ContainsFunc(st.conds, func(c condition) bool { return c.assumed })
	if dated && assumed {
		return nil
	}

	return st
}

// listed reads "open claims".
func (p *parser) listed(st *statement) (ok bool) {
	st.rows, ok = p.noun()
	return ok
}

// counted reads "how many open claims".
func (p *parser) counted(st *statement) bool {
	st.verb = p.next().op
	return p.listed(st)
}

// aggregated reads "total paid", "average deductible of active policies" and "prima media".
func (p *parser) aggregated(st *statement) bool {
	st.verb = p.function()
	if st.verb != "" {
		p.accept(link)
	}

	measures := p.next().columns(field.isMeasure)
	if st.verb == "" {
		st.verb = p.function()
	}

	named := p.try(func() bool { return p.accept(link) && p.listed(st) })
	if named {
		measures = slices.DeleteFunc(measures, func(m name) bool { return m.t != st.table })
	}
	if st.verb == "" || len(measures) != 1 {
		return false
	}

	st.measure = measures[0].field
	if !named {
		st.rows = &rows{table: st.measure.t}
	}

	return st.verb == avg || st.measure.isSummable()
}

// function reads the word for an aggregate.
func (p *parser) function() op {
	if o := p.peek().op; o == sum || o == avg {
		p.pos++
		return o
	}
	return ""
}

// ranked reads "top 10 customers by claimed amount": by the sum of what refers to them. Of "top 1"
// several may be equally first.
func (p *parser) ranked(st *statement) bool {
	st.verb = p.next().op
	limit, ok := number(p.next().text)
	if !ok || limit < 2 || limit > 1000 {
		return false
	}

	p.accept(link)
	of, ok := p.noun()
	if !ok || !p.accept(by) {
		return false
	}

	measures := p.next().columns(field.isSummable)
	if len(measures) != 1 || measures[0].t == of.table {
		return false
	}

	st.limit = int(limit)
	st.measure = measures[0].field
	st.groups = of.table.identity()
	st.rows = &rows{table: st.measure.t, conds: of.conds, event: st.measure.t.eventDate()}
	_, refers := p.s.path(st.table, of.table)
	return refers && len(st.groups) > 0 && st.add(notNull(st.groups[0]))
}

// noun reads a table with the values before it: open claims.
func (p *parser) noun() (*rows, bool) {
	var before []token
	for len(p.peek().values()) > 0 && p.peek().table() == nil {
		before = append(before, p.next())
	}

	t := p.next().table()
	if t == nil {
		return nil, false
	}

	r := &rows{table: t, event: t.eventDate()}
	for _, tok := range before {
		c, ok := p.s.valueCondition(t, tok, false)
		if !ok || c.of.t != t || !r.add(c) {
			return nil, false
		}
	}

	return r, true
}

// conditions reads what follows the rows, to the end of the question.
func (p *parser) conditions(st *statement) bool {
	for !p.end() {
		grouped := p.try(func() bool { return p.group(st) })
		if !grouped && !p.condition(st.rows) {
			return false
		}
	}
	return true
}

// group reads "by cause".
func (p *parser) group(st *statement) bool {
	if !p.accept(by) || len(st.groups) > 0 {
		return false
	}
	columns := p.s.nearest(st.table, p.next().columns(field.isText))
	if len(columns) != 1 {
		return false
	}
	st.groups = []field{columns[0].field}
	return true
}
