package grammar

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// parser reads the tokens of one question. A method that does not find what it reads
// leaves pos where it was.
type parser struct {
	s     *Schema
	toks  []token
	pos   int
	far   int // the furthest that any reading came
	today time.Time
}

func (p *parser) peek(n int) token {
	if p.pos+n < len(p.toks) {
		return p.toks[p.pos+n]
	}
	return token{}
}

func (p *parser) text(n int) string { return p.peek(n).text }

func (p *parser) end() bool {
	p.far = max(p.far, p.pos)
	return p.pos >= len(p.toks)
}

func (p *parser) accept(o op) bool {
	if p.peek(0).op != o {
		return false
	}
	p.pos++
	p.far = max(p.far, p.pos)
	return true
}

// skip passes over words that only connect.
func (p *parser) skip() {
	for p.accept(link) || p.accept(comma) || p.accept(from) {
	}
}

// cond is a condition on rows.
type cond struct {
	sql, read string
	tables    []*Table // whose columns it reads
	day       bool     // it is about a time
}

// phrase is a noun with what is said of it: open claims in Berlin.
type phrase struct {
	t      *Table
	plural bool
	amount bool // its name is also that of an amount: premiums
	conds  []cond
	groups []group
}

func (n *phrase) add(c cond) { n.conds = append(n.conds, c) }

// table reads the name of one table.
func (p *parser) table() (*Table, bool) {
	var found *Table
	for _, n := range p.peek(0).names {
		if n.c == nil && found != nil || n.c != nil && n.value == "" && !n.plural { // the premium, of the premiums or of the policies
			return nil, false
		}
		if n.c == nil {
			found = n.t
		}
	}
	if found != nil {
		p.pos++
	}
	return found, found != nil
}

// column reads the name of a column: of t, or else of the nearest table that t refers to.
// Without t it must be the only one.
func (p *parser) column(t *Table, good func(place) bool) (place, bool) {
	names := slices.DeleteFunc(slices.Clone(p.peek(0).names), func(n name) bool { return n.c == nil || n.value != "" || good != nil && !good(n.place()) })
	if t != nil {
		names = p.s.nearest(t, names)
	} else if len(names) > 1 { // of the table that the question names
		names = slices.DeleteFunc(names, func(n name) bool {
			return !slices.ContainsFunc(p.toks, func(tok token) bool {
				return slices.ContainsFunc(tok.names, func(o name) bool { return o.c == nil && o.t == n.t })
			})
		})
	}
	if len(names) != 1 {
		return place{}, false
	}
	p.pos++
	return names[0].place(), true
}

// values is a list of values of one column, such as "hail or theft".
type values struct {
	negated bool
	words   []string
	names   [][]name // what each may be
	both    bool     // "and" stands between
	plural  bool
}

func (p *parser) values() (values, bool) {
	start, v := p.pos, values{}
	v.negated = p.accept(not)
	for p.peek(0).op == link {
		p.pos++
	}
	for {
		means := slices.DeleteFunc(slices.Clone(p.peek(0).names), func(n name) bool { return n.value == "" })
		if len(means) == 0 {
			break
		}
		v.words, v.names, v.plural = append(v.words, p.text(0)), append(v.names, means), means[0].plural
		p.pos++
		mark, joined := p.pos, false
		for p.peek(0).op == comma || p.peek(0).op == or || p.peek(0).op == and {
			v.both = v.both || p.peek(0).op == and
			p.pos, joined = p.pos+1, true
		}
		for joined && p.peek(0).op == link {
			p.pos++
		}
		if !joined || !shares(p.peek(0).names, v.names[0]) {
			p.pos = mark
			break
		}
	}
	if len(v.names) == 0 {
		p.pos = start
		return v, false
	}
	p.far = max(p.far, p.pos)
	return v, true
}

func shares(a, b []name) bool {
	return slices.ContainsFunc(a, func(n name) bool {
		return n.value != "" && slices.ContainsFunc(b, func(o name) bool { return o.c == n.c })
	})
}

// condition makes a condition on t of the values: those of its own column, or of the
// nearest table that it refers to.
func (p *parser) condition(t *Table, v values) (cond, bool) {
	near := p.s.nearest(t, v.names[0])
	if len(near) != 1 {
		return cond{}, false
	}
	at := near[0].place()
	if at.t != t && p.partOf(t, at, v.words[0]) {
		return cond{}, false
	}
	var literals, said []string
	for _, names := range v.names {
		i := slices.IndexFunc(names, func(n name) bool { return n.c == at.c })
		if i < 0 {
			return cond{}, false
		}
		literals, said = append(literals, literal(names[i].value)), append(said, names[i].value)
	}
	c := cond{at.sql() + " = " + literals[0], at.name() + " is " + strings.Join(said, " or "), []*Table{at.t}, false}
	if len(literals) > 1 {
		c.sql = at.sql() + " IN (" + strings.Join(literals, ", ") + ")"
	}
	if v.negated {
		c.read = at.name() + " is not " + strings.Join(said, " or ")
		if c.sql = at.sql() + " IS NOT " + literals[0]; len(literals) > 1 {
			c.sql = "(" + at.sql() + " IS NULL OR " + at.sql() + " NOT IN (" + strings.Join(literals, ", ") + "))"
		}
	}
	return c, true
}

// partOf reports whether another column near t has values that a word is a part of: the
// commercial policies may be those of commercial motor.
func (p *parser) partOf(t *Table, at place, word string) bool {
	for i := range p.s.Tables {
		other := &p.s.Tables[i]
		if _, ok := p.s.path(t, other); !ok {
			continue
		}
		for _, c := range other.places() {
			if c != at && slices.ContainsFunc(c.c.Values, func(v string) bool {
				ws := strings.Fields(fold(v))
				return len(ws) > 1 && slices.Contains(ws, word)
			}) {
				return true
			}
		}
	}
	return false
}

// noun reads a table with what is said of it: values before it, and conditions after it.
// Values in the plural may stand for their table: trucks are vehicles.
func (p *parser) noun(outer *Table) (*phrase, bool) {
	start := p.pos
	var before []values
	p.accept(link)
	n := &phrase{}
	for n.t == nil {
		if t, ok := p.table(); ok {
			names := p.toks[p.pos-1].names
			n.t, n.plural = t, names[0].plural || !slices.ContainsFunc(names, func(o name) bool { return !o.plural })
			n.amount = slices.ContainsFunc(names, func(o name) bool { return o.c != nil && o.value == "" && o.place().measure() })
			break
		}
		if len(before) > 0 && p.peek(0).op == link { // trucks in Bremen
			break
		}
		v, ok := p.values()
		if !ok {
			break
		}
		before = append(before, v)
		if mark := p.pos; p.accept(and) || p.accept(comma) { // large, open claims
			if len(p.peek(0).names) == 0 {
				p.pos = mark
			}
		}
	}
	implied := n.t == nil
	linked := start < len(p.toks) && p.toks[start].op == link
	switch {
	case !implied:
	case len(before) == 1 && before[0].plural && !before[0].negated && len(before[0].names[0]) == 1 && before[0].names[0][0].kind():
		n.t, n.plural = before[0].names[0][0].t, true
	case len(p.s.Tables) == 1 && outer == nil && (linked || len(before) == 0): // coffees may be counted by their quantity
		n.t, n.plural = &p.s.Tables[0], true
	default:
		p.pos = start
		return nil, false
	}
	for _, v := range before {
		c, ok := p.condition(n.t, v)
		if !ok || v.both && outer != nil {
			p.pos = start
			return nil, false
		}
		n.add(c)
	}
	happened := slices.ContainsFunc(before, func(v values) bool { return hasDate(v, n.t) })
	if !p.conditions(n, outer, happened) {
		p.pos = start
		return nil, false
	}
	return n, true
}

// hasDate reports whether a value also is the name of a date: closed claims have a day on
// which they were closed, and which day "in 2025" is of is open.
func hasDate(v values, t *Table) bool {
	return slices.ContainsFunc(t.places(), func(p place) bool {
		return p.c.Kind == Date && slices.ContainsFunc(v.words, func(w string) bool {
			return slices.ContainsFunc(append(p.spoken(), p.c.Aliases...), func(s string) bool { return slices.Contains(Forms(fold(s)), w) })
		})
	})
}

// conditions reads what follows a noun, as far as it can. It fails where a word is read
// that leaves two readings.
func (p *parser) conditions(n *phrase, outer *Table, happened bool) bool {
	for {
		start := p.pos
		p.skip()
		p.accept(and)
		p.skip()
		if names := p.peek(1).names; p.text(0) == "por" && len(names) > 0 && !slices.ContainsFunc(names, func(n name) bool { return n.value == "" }) {
			p.pos++ // siniestros por robo
		}
		mark := p.pos
		linked := slices.ContainsFunc(p.toks[start:mark], func(t token) bool { return t.op == link || t.op == from || t.op == by })
		switch ok, sure := p.oneCondition(n, outer, linked, happened); {
		case !sure:
			return false
		case !ok:
			if p.pos = mark; outer == nil && p.group(n) {
				continue
			}
			p.pos = start
			return true
		}
		p.far = max(p.far, p.pos)
	}
}

// oneCondition reads one condition. It is not sure where what it reads has two readings.
func (p *parser) oneCondition(n *phrase, outer *Table, linked, happened bool) (ok, sure bool) {
	start := p.pos
	if v, found := p.values(); found {
		if start > 0 && p.toks[start-1].op == and && slices.ContainsFunc(v.names[0], func(o name) bool { return o.t != n.t && o.kind() }) {
			return false, false // claims and trucks
		}
		c, ok := p.condition(n.t, v)
		if next := p.peek(0); !ok || len(next.names) > 0 && next.names[0].c == nil { // with hail claims
			p.pos = start
			return p.related(n, outer, linked)
		}
		if v.both && outer != nil {
			return false, false
		}
		n.add(c)
		return true, linked || v.negated || !p.atPeriod()
	}
	if c, found := p.time(n.t, happened); found {
		again := slices.ContainsFunc(n.conds, func(o cond) bool { return o.day && o.tables[0] == c.tables[0] })
		n.add(c)
		return true, !again && !p.atPeriod()
	}
	p.pos = start
	if c, found := p.compared(n.t); found {
		n.add(c)
		return true, linked || !p.atPeriod()
	}
	p.pos = start
	if col, found := p.column(n.t, nil); found {
		if v, found := p.values(); found && slices.ContainsFunc(v.names[0], func(o name) bool { return o.c == col.c }) {
			for i := range v.names {
				v.names[i] = slices.DeleteFunc(v.names[i], func(o name) bool { return o.c != col.c })
			}
			if c, found := p.condition(n.t, v); found {
				n.add(c)
				return true, true
			}
		}
	}
	p.pos = start
	return p.related(n, outer, linked)
}

// time reads a time, with the date that it is of if one is named.
func (p *parser) time(t *Table, happened bool) (cond, bool) {
	start := p.pos
	negated := p.accept(not)
	day, ok := p.column(t, func(c place) bool { return c.t == t && (c.c.Kind == Date || c.yearly()) })
	if !ok {
		if day, ok = t.event(); !ok {
			day, ok = t.year()
			in := p.peek(0).op == link || start > 0 && p.toks[start-1].op == link
			ok = ok && (strings.EqualFold(day.c.Name, "year") || !in)
		}
		ok = ok && !happened
	}
	if ok {
		if start > 0 && p.toks[start-1].op == from && p.pos == start {
			p.pos-- // skipped as a link: from 2024 on
		}
		if c, found := p.when(day); found {
			if negated {
				c.sql, c.read = "("+c.sql+") IS NOT TRUE", "not "+c.read
			}
			return c, true
		}
	}
	p.pos = start
	return cond{}, false
}

// atPeriod reports whether a time comes next.
func (p *parser) atPeriod() bool {
	start := p.pos
	defer func() { p.pos = start }()
	p.skip()
	switch p.peek(0).op {
	case since, before, after:
		return true
	case between:
		p.pos++
	}
	_, ok := p.anyPeriod()
	return ok
}

// group is what an answer is divided by.
type group struct {
	sql, alias, read string
	t                *Table
	time             bool
}

// group reads "by cause", "per month" and "by customer".
func (p *parser) group(n *phrase) bool {
	start := p.pos
	if !p.accept(by) && (len(n.groups) == 0 || p.toks[max(p.pos-1, 0)].op != and && p.toks[max(p.pos-1, 0)].op != comma) {
		return false
	}
	p.accept(by)
	unit := map[string]string{"year": "year", "ano": "year", "month": "month", "mes": "month", "quarter": "quarter", "trimestre": "quarter"}[p.text(0)]
	if col, ok := p.column(n.t, func(c place) bool { return c.c.Kind == Text || c.yearly() }); ok {
		n.groups = append(n.groups, group{col.sql(), col.c.Name, col.name(), col.t, col.yearly()})
		return true
	}
	if day, ok := n.t.event(); ok && unit != "" {
		p.pos++
		sql := map[string]string{"year": "strftime('%Y', " + day.sql() + ")", "month": "strftime('%Y-%m', " + day.sql() + ")",
			"quarter": "strftime('%Y', " + day.sql() + ") || '-Q' || ((strftime('%m', " + day.sql() + ") + 2) / 3)"}[unit]
		n.groups = append(n.groups, group{sql, unit, "the " + unit + " of " + day.name(), n.t, true})
		return true
	}
	if t, ok := p.table(); ok {
		if _, connected := p.s.path(n.t, t); connected && t != n.t && t.Key != "" {
			n.groups = append(n.groups, entity(t)...)
			return true
		}
	}
	p.pos = start
	return false
}

// entity groups by the rows of a table.
func entity(t *Table) []group {
	out := []group{{t.Name + "." + quoted(t.Key), t.Key, t.Bare, t, false}}
	if label, ok := t.label(); ok && label.c.Name != t.Key {
		out = append(out, group{label.sql(), label.c.Name, label.name(), t, false})
	}
	return out
}

func ident(s string) string {
	return quoted(strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '_' {
			return r
		}
		return '_'
	}, strings.ToLower(s)), "_"))
}

func decimal(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
