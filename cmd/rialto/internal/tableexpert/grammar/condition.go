package grammar

import (
	"slices"
	"strconv"
	"strings"
)

// condition is a condition on rows.
type condition struct {
	of        field
	sql, read string
	dated     bool // its value is also the name of a date: closed claims have the day of their closing
	assumed   bool // it is about a date that the question does not name
}

// add adds a condition, but no second one on a column: "in Berlin in Munich" has two readings.
func (r *rows) add(c condition) bool {
	if slices.ContainsFunc(r.conds, func(o condition) bool { return o.of == c.of }) {
		return false
	}
	r.conds = append(r.conds, c)
	return true
}

// condition reads one condition, with the word that connects it.
func (p *parser) condition(r *rows) bool {
	linked := p.accept(link)
	return p.try(func() bool { return p.value(r, linked) }) ||
		p.try(func() bool { return p.time(r, linked) }) ||
		p.try(func() bool { return p.size(r) })
}

// value reads "open", "in Berlin" and "outside Berlin". A value of another table needs a word that
// connects it, and so does one before a year: what was cancelled in 2025 may be older.
func (p *parser) value(r *rows, linked bool) bool {
	negated := p.accept(not)
	if negated {
		p.accept(link)
	}

	tok := p.next()
	c, ok := p.s.valueCondition(r.table, tok, negated)
	if !ok || len(p.peek().names) > 0 { // hail, of hail claims
		return false
	}
	if linked {
		return !negated && r.add(c)
	}

	dated := p.try(func() bool {
		p.accept(link)
		return p.year() != 0
	})
	foreign := c.of.t != r.table && !negated
	if dated || foreign || tok.table() != nil {
		return false
	}

	return r.add(c)
}

// valueCondition makes the condition that a column of t, or of the nearest table that t refers to, has a value.
// Part of a value is not a value of another table: commercial policies may be of commercial motor.
func (s *Schema) valueCondition(t *Table, tok token, negated bool) (condition, bool) {
	near := s.nearest(t, tok.values())
	if len(near) != 1 {
		return condition{}, false
	}

	at := near[0]
	c := condition{
		of:    at.field,
		sql:   at.sql() + " = " + literal(at.value),
		read:  at.String() + " is " + at.value,
		dated: len(tok.columns(field.isDate)) > 0,
	}
	if negated {
		c.sql = at.sql() + " IS NOT " + literal(at.value)
		c.read = at.String() + " is not " + at.value
	}

	return c, at.t == t || !s.parts[tok.text]
}

// notNull is the condition that a column has a value.
func notNull(f field) condition {
	return condition{of: f, sql: f.sql() + " IS NOT NULL", read: f.String() + " is known"}
}

// time reads "in 2025" and "reported in 2025".
func (p *parser) time(r *rows, linked bool) bool {
	day, named := p.column(r.table, field.isDate)
	if named {
		linked = p.accept(link)
	} else {
		day = r.event
	}

	year := p.year()
	if day.c == nil || !linked || year == 0 {
		return false
	}

	first := strconv.Itoa(year)
	next := strconv.Itoa(year + 1)
	return r.add(condition{
		of:      day,
		sql:     day.sql() + " >= '" + first + "-01-01' AND " + day.sql() + " < '" + next + "-01-01'",
		read:    day.String() + " from " + first + "-01-01 to " + first + "-12-31",
		assumed: !named,
	})
}

// year reads a year; 0 is none.
func (p *parser) year() int {
	said := p.next().text
	y, err := strconv.Atoi(said)
	if err != nil || len(said) != 4 || y < 1900 || y > 2100 {
		return 0
	}
	return y
}

// column reads the name of a column of t that is good, and is no value.
func (p *parser) column(t *Table, good func(field) bool) (field, bool) {
	columns := p.peek().columns(func(f field) bool { return f.t == t && good(f) })
	if len(columns) != 1 || len(p.peek().values()) > 0 {
		return field{}, false
	}
	p.pos++
	return columns[0].field, true
}

// size reads "deductible under 200 euros".
func (p *parser) size(r *rows) bool {
	at, named := p.column(r.table, field.isMeasure)
	p.accept(link)
	o, n, ok := p.comparison()
	if !ok || !named {
		return false
	}

	stored := n
	if at.isCents() {
		stored *= 100
		p.accept(euros)
	}

	return r.add(condition{
		of:   at,
		sql:  at.sql() + o + decimal(stored),
		read: at.String() + o + decimal(n),
	})
}

// comparison reads "over 1,000", and returns the operator between spaces.
func (p *parser) comparison() (operator string, n float64, ok bool) {
	o := p.next().op
	n, ok = number(p.next().text)
	return " " + string(o) + " ", n, ok && strings.ContainsAny(string(o), "<>=")
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
