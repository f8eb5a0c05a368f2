package grammar

import (
	"slices"
	"strings"
)

// amount reads a number, with the words for its size and its currency.
func (p *parser) amount() (n float64, money, ok bool) {
	start := p.pos
	t := strings.TrimSuffix(p.text(0), "%")
	if n, ok = number(t); !ok {
		if !dotted.MatchString(t) || !euros(p.text(1)) {
			return 0, false, false
		}
		n, ok = number(strings.ReplaceAll(t, ".", ""))
	}
	if !ok {
		p.pos = start
		return 0, false, false
	}
	p.pos++
	switch p.text(0) {
	case "thousand", "mil":
		n, p.pos = n*1e3, p.pos+1
	case "million", "millions", "millon", "millones":
		n, p.pos = n*1e6, p.pos+1
	}
	if money = euros(p.text(0)); money {
		p.pos++
	}
	return n, money, true
}

func euros(s string) bool {
	return s == "euro" || s == "euros" || s == "eur"
}

// comparison is "over 1000", "between 1 and 5", "3 or more" or "3".
type comparison struct {
	op       op
	n, m     float64
	money    bool
	explicit bool // not just a number
}

func (p *parser) comparison() (comparison, bool) {
	start, c := p.pos, comparison{op: exactly}
	ok := false
	switch o := p.peek(0).op; o {
	case between:
		p.pos++
		c.op, c.explicit = between, true
		if c.n, _, ok = p.amount(); ok && p.accept(and) {
			c.m, c.money, ok = p.amount()
		} else {
			ok = false
		}
	case over, atLeast, under, atMost, exactly:
		p.pos++
		c.op, c.explicit = o, true
		c.n, c.money, ok = p.amount()
	default:
		if c.n, c.money, ok = p.amount(); ok && p.accept(orMore) {
			c.op, c.explicit = atLeast, true
		} else if ok && p.accept(orLess) {
			c.op, c.explicit = atMost, true
		}
	}
	if !ok {
		p.pos = start
	}
	return c, ok
}

func (c comparison) sql(left string, factor float64) string {
	if c.op == between {
		return left + " BETWEEN " + decimal(c.n*factor) + " AND " + decimal(c.m*factor)
	}
	return left + " " + string(c.op) + " " + decimal(c.n*factor)
}

func (c comparison) read(of string) string {
	if c.op == between {
		return of + " between " + decimal(c.n) + " and " + decimal(c.m)
	}
	return of + " " + string(c.op) + " " + decimal(c.n)
}

// compared reads "deductible under 200", "over 10,000 euros" and "less than 2000 km".
func (p *parser) compared(t *Table) (cond, bool) {
	start := p.pos
	measure := func(c place) bool { return c.t == t && (c.measure() || c.yearly()) }
	negated := p.accept(not)
	col, named := p.column(t, measure)
	for named && p.accept(link) {
	}
	c, ok := p.comparison()
	switch {
	case !ok || !c.explicit:
		p.pos = start
		return cond{}, false
	case named:
	case start > 0 && (p.toks[start-1].op == and || slices.ContainsFunc(p.toks[start-1].names, func(n name) bool { return n.t != t && n.kind() })): // trucks over 50,000 euros
		p.pos = start
		return cond{}, false
	default:
		mark := p.pos
		p.skip()
		if col, named = p.column(t, measure); named {
			break
		}
		p.pos = mark
		next := p.peek(0)
		if len(next.names) > 0 || next.text != "" && next.op == "" { // of something else
			p.pos = start
			return cond{}, false
		}
		year := c.n >= 1900 && c.n <= 2100 && !c.money
		if col, ok = t.principal(c.money); !ok || year {
			p.pos = start
			return cond{}, false
		}
	}
	factor := 1.0
	if col.cents() {
		factor = 100
	} else if c.money && !col.money() {
		p.pos = start
		return cond{}, false
	}
	out := cond{c.sql(col.sql(), factor), c.read(col.name()), []*Table{t}, false}
	if negated {
		out.sql, out.read = "NOT ("+out.sql+")", "not "+out.read
	}
	return out, true
}

// related reads what rows of other tables a row has: with hail claims, without claims,
// with more than 3 claims, of customers in Berlin. It is not sure of a relation that it
// cannot follow.
func (p *parser) related(n *phrase, outer *Table, linked bool) (ok, sure bool) {
	start := p.pos
	none := p.accept(without) || p.accept(not)
	p.skip()
	c, counted := p.comparison()
	if counted && !c.explicit && c.n != float64(int(c.n)) || none && counted {
		p.pos = start
		return false, true
	}
	p.skip()
	inner, found := p.noun(n.t)
	if !found || len(inner.groups) > 0 || !linked && !counted && !none {
		p.pos = start
		return false, true
	}
	if refs, up := p.s.path(n.t, inner.t); up && len(refs) > 0 {
		if counted || none {
			return false, false
		}
		n.conds = append(n.conds, inner.conds...)
		if len(inner.conds) == 0 {
			n.add(cond{n.t.Name + "." + quoted(refs[0].Column) + " IS NOT NULL", "which have " + inner.t.Bare, []*Table{n.t}, false})
		}
		return true, true
	}
	refs, down := p.s.path(inner.t, n.t)
	if !down || len(refs) == 0 || inner.t == outer {
		return false, false
	}
	if outer != nil {
		if _, also := p.s.path(inner.t, outer); also { // customers with policies without claims
			return false, false
		}
	}
	sql, fine := p.s.subquery(inner, n.t, refs)
	if !fine {
		return false, false
	}
	what := inner.read()
	switch {
	case none:
		n.add(cond{"NOT EXISTS (SELECT 1 " + sql + ")", "without " + what, []*Table{n.t}, false})
	case counted:
		n.add(cond{c.sql("(SELECT count(*) "+sql+")", 1), c.read("the number of their " + what), []*Table{n.t}, false})
	default:
		n.add(cond{"EXISTS (SELECT 1 " + sql + ")", "with " + what, []*Table{n.t}, false})
	}
	return true, true
}

// read says in words what a phrase is about.
func (n *phrase) read() string {
	out := n.t.Bare
	for i, c := range n.conds {
		out += map[bool]string{true: " where ", false: " and "}[i == 0] + c.read
	}
	return out
}

// subquery selects the rows of a phrase that belong to the row of the table outside.
func (s *Schema) subquery(n *phrase, outside *Table, refs []Ref) (string, bool) {
	last := refs[len(refs)-1]
	at := n.t
	for _, r := range refs[:len(refs)-1] {
		at = s.table(r.Table)
	}
	needed, where := []*Table{at}, []string{at.Name + "." + quoted(last.Column) + " = " + outside.Name + "." + quoted(last.ToColumn)}
	for _, c := range n.conds {
		for _, t := range c.tables {
			steps, _ := s.path(n.t, t)
			for _, r := range steps {
				if s.table(r.Table) == outside {
					return "", false // it would say something of the row outside
				}
			}
		}
		needed, where = append(needed, c.tables...), append(where, c.sql)
	}
	return "FROM " + s.joins(n.t, needed) + " WHERE " + strings.Join(where, " AND "), true
}
