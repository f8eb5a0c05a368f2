package grammar

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// Query is how a question was read.
type Query struct {
	SQL  string
	Read []string // the parts of the statement, in words
}

// Failure says why a question has no answer here.
type Failure struct {
	Unplaced []string // words of content that have no place in any reading
	Tables   []string // that the question names, also by their columns
	Vague    bool     // nothing is left over, but it does not say what it is about
	Asks     bool     // it asks for a number or a ranking
}

// Read translates a question as of a day. Either the query is nil or the failure.
func (s *Schema) Read(question string, today time.Time) (*Query, *Failure) {
	p := &parser{s: s, toks: s.lex(question), today: today}
	p.leadingTime()
	for _, head := range []func() *statement{p.percentage, p.counted, p.aggregated, p.ranked, p.winner, p.listed} {
		p.pos = 0
		if st := head(); st != nil && p.end() {
			return st.query(s), nil
		}
	}
	return nil, p.failure()
}

// leadingTime puts a time that a question begins with at its end.
func (p *parser) leadingTime() {
	p.accept(link)
	if _, ok := p.anyPeriod(); ok && p.pos < len(p.toks) {
		at := slices.Clone(p.toks[:p.pos])
		p.accept(comma)
		p.toks = append(append(slices.Clone(p.toks[p.pos:]), token{op: link}), at...)
	}
}

func (p *parser) failure() *Failure {
	f := &Failure{}
	vague := strings.Fields("ones one them they it these those cost costs many things data esos esas ellos")
	heads := []op{count, howMuch, sum, avg, largest, smallest, top, most, percent}
	for i, t := range p.toks {
		_, isNumber := number(t.text)
		f.Asks = f.Asks || slices.Contains(heads, t.op) || slices.Contains(vague, t.text)
		for _, n := range t.names {
			if (n.value == "" || n.plural && n.kind()) && !slices.Contains(f.Tables, n.t.Name) {
				f.Tables = append(f.Tables, n.t.Name)
			}
		}
		p.pos = i
		if _, time := p.anyPeriod(); len(t.names) == 0 && t.op == "" && !isNumber && !time && !slices.Contains(vague, t.text) {
			f.Unplaced = append(f.Unplaced, t.said)
		}
	}
	if f.Vague = len(f.Unplaced) == 0 && len(f.Tables) == 0; !f.Vague && len(f.Unplaced) == 0 {
		for _, t := range p.toks[min(p.far, len(p.toks)-1):] {
			f.Unplaced = append(f.Unplaced, t.said)
		}
	}
	return f
}

// statement is a SELECT about a noun.
type statement struct {
	n       *phrase
	what    []string // expressions; nothing means whole rows
	order   string
	measure string // the column of the noun that order is about
	limit   int
	percent []cond // selects the share of the rows that these hold of
	read    string
}

func (st *statement) query(s *Schema) *Query {
	var columns, where []string
	var tables []*Table
	read := []string{st.read}
	for _, g := range st.n.groups {
		columns, tables = append(columns, g.sql+" AS "+ident(g.alias)), append(tables, g.t)
		read = append(read, "by "+g.read)
	}
	for i, c := range st.n.conds {
		where, tables = append(where, c.sql), append(tables, c.tables...)
		read = append(read, map[bool]string{true: "where ", false: "and "}[i == 0]+c.read)
	}
	what := st.what
	if len(st.percent) > 0 {
		var all []string
		for _, c := range st.percent {
			all, tables, read = append(all, c.sql), append(tables, c.tables...), append(read, "of which "+c.read)
		}
		what = []string{"round(100.0 * count(iif(" + strings.Join(all, " AND ") + ", 1, NULL)) / count(*), 2) AS percent"}
	}
	if columns = append(columns, what...); len(columns) == 0 {
		columns = []string{st.n.t.Name + ".*"}
	}
	sql := "SELECT " + strings.Join(columns, ", ") + " FROM " + s.joins(st.n.t, tables)
	if len(where) > 0 {
		sql += " WHERE " + strings.Join(where, " AND ")
	}
	order := st.order
	if n := len(st.n.groups); n > 0 {
		by, byTime := "1", st.n.groups[n-1].time && st.limit == 0
		for i := 2; i <= n; i++ {
			by += ", " + strconv.Itoa(i)
		}
		sql += " GROUP BY " + by
		if byTime {
			order = by
		} else if order == "" {
			order = strconv.Itoa(n+1) + " DESC"
		}
	}
	switch {
	case st.limit == 1 && order != "":
		sql = st.best(sql, strings.HasSuffix(order, " DESC"))
		read = append(read, "all that are equal")
	case order != "":
		sql += " ORDER BY " + order
	}
	if st.limit > 0 && (st.limit > 1 || order == "") {
		sql += " LIMIT " + strconv.Itoa(st.limit)
		read = append(read, "the first "+strconv.Itoa(st.limit))
	}
	return &Query{sql, read}
}

// best selects the first rows of a ranking, which may be several: ten policies can have the
// highest deductible.
func (st *statement) best(sql string, falling bool) string {
	measure, f := st.measure, "min"
	if len(st.what) > 0 {
		_, measure, _ = strings.Cut(st.what[0], " AS ")
	}
	if falling {
		f = "max"
	}
	return "WITH r AS (" + sql + ") SELECT * FROM r WHERE " + measure + " = (SELECT " + f + "(" + measure + ") FROM r)"
}

// counted reads "how many open claims".
func (p *parser) counted() *statement {
	if !p.accept(count) && !(p.accept(list) && p.accept(count)) {
		return nil
	}
	n, ok := p.noun(nil)
	if !ok {
		return nil
	}
	return &statement{n: n, what: []string{"count(*) AS count"}, read: "the number of " + n.t.Bare}
}

// percentage reads "percentage of open claims" and "what percentage of claims are open".
func (p *parser) percentage() *statement {
	if !p.accept(percent) {
		return nil
	}
	if v, ok := p.values(); ok && !v.negated {
		if t, ok := p.table(); ok {
			n := &phrase{t: t}
			c, ok := p.condition(t, v)
			if !ok || hasDate(v, t) && p.atPeriod() || !p.conditions(n, nil, false) || slices.ContainsFunc(n.conds, func(c cond) bool { return !c.day }) {
				return nil
			}
			if len(n.groups) > 0 { // the base may be each group, or all
				return nil
			}
			return &statement{n: n, percent: []cond{c}, read: "the percentage of " + t.Bare}
		}
		return nil
	}
	t, ok := p.table()
	if !ok {
		return nil
	}
	n := &phrase{t: t}
	if !p.conditions(n, nil, false) || len(n.conds) != 1 || len(n.groups) > 0 {
		return nil
	}
	return &statement{n: &phrase{t: t}, percent: n.conds, read: "the percentage of " + t.Bare}
}

// function reads the word for an aggregate.
func (p *parser) function() (op, bool) {
	switch o := p.peek(0).op; o {
	case sum, avg, largest, smallest:
		p.pos++
		return o, true
	}
	return "", false
}

func measures(c place) bool { return c.measure() }

// aggregate writes an aggregate of a column, and its name.
func aggregate(f op, col place) (sql, said string, ok bool) {
	if f == sum && !col.adds() {
		return "", "", false
	}
	said = map[op]string{sum: "total", avg: "average", largest: "largest", smallest: "smallest"}[f]
	sql = map[op]string{sum: "sum", avg: "avg", largest: "max", smallest: "min"}[f] + "(" + col.sql() + ")"
	if col.cents() {
		sql = "round(" + sql + " / 100.0, 2)"
	} else if f == avg {
		sql = "round(" + sql + ", 2)"
	}
	return sql + " AS " + ident(said+"_"+col.bare()), said, true
}

// aggregated reads "total paid for theft", "average deductible by line", "prima media" and
// "how much was paid".
func (p *parser) aggregated() *statement {
	p.accept(list)
	f, named := p.function()
	if !named && p.accept(howMuch) {
		f, named = sum, true
	}
	p.accept(link)
	col, ok := p.column(nil, measures)
	if !ok {
		return nil
	}
	if !named {
		if f, named = p.function(); !named {
			return nil
		}
	}
	sql, said, ok := aggregate(f, col)
	n := &phrase{t: col.t}
	if !ok || !p.scope(n, f) || p.undated(n) {
		return nil
	}
	return &statement{n: n, what: []string{sql}, read: "the " + said + " of " + col.name()}
}

// undated reports whether a question names a time, but neither the rows nor the date that
// it is of: what was paid in 2024 may have been claimed before.
func (p *parser) undated(n *phrase) bool {
	dates := 0
	for _, c := range n.t.Columns {
		if c.Kind == Date {
			dates++
		}
	}
	return dates > 1 && slices.ContainsFunc(n.conds, func(c cond) bool { return c.day }) &&
		!slices.ContainsFunc(p.toks, func(t token) bool {
			return slices.ContainsFunc(t.names, func(o name) bool { return o.t == n.t && (o.c == nil || o.c.Kind == Date && o.value == "") })
		})
}

// scope reads the rows that an aggregate is about: those of the table itself, or of one
// that it refers to.
func (p *parser) scope(n *phrase, f op) bool {
	start := p.pos
	p.skip()
	linked := p.pos > start || strings.HasSuffix(p.toks[start-1].text, " de") || strings.HasSuffix(p.toks[start-1].text, " of")
	if inner, ok := p.noun(n.t); ok && !linked { // the total of paid claims, or the total paid
		return false
	} else if ok {
		if _, up := p.s.path(n.t, inner.t); up && (inner.t == n.t || f != avg) {
			n.conds = inner.conds
			return p.conditions(n, nil, false)
		}
		return false
	}
	p.pos = start
	return p.conditions(n, nil, false)
}

// howMany reads the number of rows to list: of "top 5" or "the 3 largest".
func (p *parser) howMany(otherwise int) int {
	if n, ok := number(p.text(0)); ok && n >= 1 && n <= 1000 && n == float64(int(n)) {
		if _, isYear := aYear(p.text(0)); !isYear {
			p.pos++
			return int(n)
		}
	}
	return otherwise
}

// several is how many rows are listed where a question says "the largest" in the plural.
const several = 10

// ranked reads "top 10 customers by premium", "the 5 largest claims in 2024", "latest 3
// claims" and "la póliza más cara".
func (p *parser) ranked() *statement {
	p.accept(list)
	limit := p.howMany(0)
	o, price := p.peek(0).op, priced(p.peek(0))
	switch o {
	case top, largest, smallest, latest, earliest:
		p.pos++
	default:
		o = ""
	}
	limit = p.howMany(limit)
	if n, ok := p.textColumn(); o == top && ok && limit > 0 && p.accept(by) {
		return p.by(n, limit, top)
	}
	n, ok := p.noun(&Table{})
	if !ok {
		return nil
	}
	switch {
	case o == top:
		if limit == 0 || !p.accept(by) {
			return nil
		}
		return p.by(n, limit, top)
	case o == "":
		if o = p.peek(0).op; o != largest && o != smallest && o != latest && o != earliest {
			return nil
		}
		price = priced(p.peek(0))
		p.pos++
	}
	if limit == 0 {
		limit = map[bool]int{true: several, false: 1}[n.plural]
	}
	col, ok := n.t.principal(price)
	if o == latest || o == earliest {
		if col, ok = n.t.event(); !ok {
			col, ok = n.t.year()
		}
	}
	if !ok || !p.conditions(n, nil, false) || len(n.groups) > 0 {
		return nil
	}
	return ordered(n, col, o == largest || o == latest, limit)
}

// priced reports whether a ranking is by money: the most expensive.
func priced(t token) bool {
	return slices.ContainsFunc(strings.Fields(t.text), func(w string) bool {
		return slices.Contains(strings.Fields("expensive costliest cheapest caro cara caros caras barato barata baratos baratas"), w)
	})
}

func ordered(n *phrase, col place, falling bool, limit int) *statement {
	direction, read := "", "lowest"
	if falling {
		direction, read = " DESC", "highest"
	}
	n.add(cond{col.sql() + " IS NOT NULL", col.name() + " is known", []*Table{n.t}, false})
	return &statement{n: n, order: col.sql() + direction, measure: quoted(col.c.Name), limit: limit, read: n.t.Bare + " with the " + read + " " + col.name()}
}

// by reads the measure of a ranking: a number of rows that refer to the noun, a total, or
// a column of its own. The op says how the question ranks: top, most, largest or smallest.
func (p *parser) by(n *phrase, limit int, how op) *statement {
	counting := p.accept(count)
	measured := slices.ContainsFunc(p.peek(0).names, func(o name) bool { return o.c != nil && o.value == "" })
	if t, ok := p.table(); ok && (counting || !measured) {
		if how != top && how != most { // the largest claims of a customer, or most of them
			return nil
		}
		return p.grouped(n, t, "count(*) AS count", "the number of "+t.Bare, limit)
	} else if ok {
		p.pos--
	}
	f, named := p.function()
	col, ok := p.column(nil, measures)
	switch {
	case !ok || counting || how == most || named && f != sum && f != avg:
		return nil
	case !named && col.t == n.t && len(n.groups) == 0:
		if !p.conditions(n, nil, false) || len(n.groups) > 0 {
			return nil
		}
		return ordered(n, col, how != smallest, limit)
	case !named && how != top: // the highest of each, or in all
		return nil
	case !named:
		f = sum
	}
	sql, said, ok := aggregate(f, col)
	st := p.grouped(n, col.t, sql, "the "+said+" of "+col.name(), limit)
	if !ok || st == nil {
		return nil
	}
	if how == smallest {
		st.order = strconv.Itoa(len(st.n.groups) + 1)
	}
	return st
}

// grouped counts or adds up the rows of t for each row, or each value, of the noun.
func (p *parser) grouped(n *phrase, t *Table, what, read string, limit int) *statement {
	groups := n.groups
	if len(groups) == 0 {
		if t == n.t || n.t.Key == "" {
			return nil
		}
		groups = entity(n.t)
	}
	if _, ok := p.s.path(t, n.t); !ok {
		return nil
	}
	rest := &phrase{t: t}
	if !p.conditions(rest, nil, false) || len(rest.groups) > 0 {
		return nil
	}
	if len(n.groups) > 0 || limit > 0 {
		rest.add(cond{sql: groups[0].sql + " IS NOT NULL", read: groups[0].read + " is known", tables: []*Table{groups[0].t}})
	}
	return &statement{n: &phrase{t: t, conds: append(slices.Clone(n.conds), rest.conds...), groups: groups}, what: []string{what}, limit: limit, read: read}
}

// winner reads "which city has the most customers" and "which vehicle has the highest
// value".
func (p *parser) winner() *statement {
	p.accept(list)
	limit := p.howMany(0)
	if limit == 0 {
		if names := p.peek(0).names; len(names) > 0 && names[0].plural { // all that are equal, or some
			return nil
		}
		limit = 1
	}
	n, ok := p.textColumn()
	if t, found := p.table(); !ok && found {
		n, ok = &phrase{t: t}, true
	}
	p.skip()
	how := p.peek(0).op
	if !ok || how != most && how != largest && how != smallest {
		return nil
	}
	p.pos++
	return p.by(n, limit, how)
}

// textColumn reads a column whose values are ranked.
func (p *parser) textColumn() (*phrase, bool) {
	col, ok := p.column(nil, func(c place) bool { return c.c.Kind == Text })
	if !ok {
		return nil, false
	}
	return &phrase{t: col.t, groups: []group{{col.sql(), col.c.Name, col.name(), col.t, false}}}, true
}

// listed reads "claims in Berlin" and "show 3 policies".
func (p *parser) listed() *statement {
	asked := p.accept(list) || len(p.toks) == 1
	limit := p.howMany(0)
	if n, ok := p.noun(nil); ok && p.end() && (asked || len(n.conds) > 0 || len(n.groups) > 0) {
		if len(n.groups) > 0 && n.amount { // how many premiums, or how much
			return nil
		}
		if len(n.groups) > 0 {
			return &statement{n: n, what: []string{"count(*) AS count"}, read: "the number of " + n.t.Bare}
		}
		return &statement{n: n, limit: limit, read: n.t.Bare}
	}
	return nil
}
