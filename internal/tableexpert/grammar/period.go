package grammar

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// period is a span of days, from the first to before the last.
type period struct {
	from, to time.Time
	year     int // if it is that year
}

func days(y int, m time.Month, d, years, months, add int) period {
	start := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	return period{from: start, to: start.AddDate(years, months, add)}
}

func yearOf(y int) period {
	p := days(y, 1, 1, 1, 0, 0)
	p.year = y
	return p
}

var months = [][]string{
	strings.Fields("january february march april may june july august september october november december"),
	strings.Fields("enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre"),
}

func month(s string) (time.Month, bool) {
	for _, names := range months {
		if i := slices.Index(names, s); i >= 0 {
			return time.Month(i + 1), true
		}
	}
	return 0, false
}

func aYear(s string) (int, bool) {
	y, err := strconv.Atoi(s)
	return y, err == nil && len(s) == 4 && y >= 1900 && y <= 2100
}

// spans are the times that are counted from today.
var spans = map[string][2]string{
	"last year": {"year", "-1"}, "previous year": {"year", "-1"}, "ano pasado": {"year", "-1"}, "this year": {"year", "0"}, "este ano": {"year", "0"},
	"last month": {"month", "-1"}, "mes pasado": {"month", "-1"}, "this month": {"month", "0"}, "este mes": {"month", "0"},
	"last quarter": {"quarter", "-1"}, "trimestre pasado": {"quarter", "-1"}, "this quarter": {"quarter", "0"}, "este trimestre": {"quarter", "0"},
	"today": {"day", "0"}, "hoy": {"day", "0"}, "yesterday": {"day", "-1"}, "ayer": {"day", "-1"},
}

func span(unit string, n int, today time.Time) period {
	y, m, d := today.Date()
	switch unit {
	case "year":
		return yearOf(y + n)
	case "quarter":
		return days(y, (m-1)/3*3+1+time.Month(3*n), 1, 0, 3, 0)
	case "month":
		return days(y, m+time.Month(n), 1, 0, 1, 0)
	}
	return days(y, m, d+n, 0, 0, 1)
}

// period reads a span of time.
func (p *parser) period(col place) (period, bool) {
	start := p.pos
	t, ok := p.anyPeriod()
	if ok && col.yearly() && t.year == 0 {
		p.pos, ok = start, false
	}
	return t, ok
}

func (p *parser) anyPeriod() (period, bool) {
	a, b := p.text(0), p.text(1)
	if p.peek(1).op == link {
		b = p.text(2)
	}
	skipped := func(n int) int { // tokens of n words, with the "of" between the first two
		if n > 1 && p.peek(1).op == link {
			return n + 1
		}
		return n
	}
	if u, ok := spans[a+" "+p.text(1)]; ok {
		n, _ := strconv.Atoi(u[1])
		p.pos += 2
		return span(u[0], n, p.today), true
	}
	if u, ok := spans[a]; ok {
		n, _ := strconv.Atoi(u[1])
		p.pos++
		return span(u[0], n, p.today), true
	}
	if m, ok := month(a); ok {
		if y, ok := aYear(b); ok {
			p.pos += skipped(2)
			return days(y, m, 1, 0, 1, 0), true
		}
		return period{}, false
	}
	if t, err := time.Parse(time.DateOnly, a); err == nil {
		p.pos++
		return days(t.Year(), t.Month(), t.Day(), 0, 0, 1), true
	}
	if t, err := time.Parse("2006-01", a); err == nil {
		p.pos++
		return days(t.Year(), t.Month(), 1, 0, 1, 0), true
	}
	if y, ok := aYear(a); ok {
		p.pos++
		return yearOf(y), true
	}
	return period{}, false
}

// when reads what a question says of a time, and returns the condition on a column.
func (p *parser) when(col place) (cond, bool) {
	sql, said, ok := p.oneTime(col)
	return cond{sql, said, []*Table{col.t}, true}, ok
}

func (p *parser) oneTime(col place) (sql, said string, ok bool) {
	start := p.pos
	switch {
	case p.accept(since):
		if t, ok := p.period(col); ok {
			return p.limit(col, ">=", t.from), col.name() + " from " + t.from.Format(time.DateOnly), true
		}
	case p.accept(before):
		if t, ok := p.period(col); ok {
			return p.limit(col, "<", t.from), col.name() + " before " + t.from.Format(time.DateOnly), true
		}
	case p.accept(after):
		if t, ok := p.period(col); ok {
			return p.limit(col, ">=", t.to), col.name() + " from " + t.to.Format(time.DateOnly), true
		}
	case p.accept(between):
		if a, b, ok := p.range2(col, and); ok {
			return p.inside(col, period{from: a.from, to: b.to}), said2(col, a, b), true
		}
	default:
		wasFrom := p.accept(from)
		if !wasFrom && !p.accept(link) {
			p.accept(on)
		}
		if a, b, ok := p.range2(col, to); ok && wasFrom {
			return p.inside(col, period{from: a.from, to: b.to}), said2(col, a, b), true
		}
		if t, ok := p.period(col); ok {
			if wasFrom && p.accept(on) {
				return p.limit(col, ">=", t.from), col.name() + " from " + t.from.Format(time.DateOnly), true
			}
			if wasFrom && t.to.Sub(t.from) < 25*time.Hour { // that day, or since then
				break
			}
			return p.inside(col, t), said2(col, t, t), true
		}
	}
	p.pos = start
	return "", "", false
}

func said2(col place, a, b period) string {
	if last := b.to.AddDate(0, 0, -1); a.from != last {
		return col.name() + " from " + a.from.Format(time.DateOnly) + " to " + last.Format(time.DateOnly)
	}
	return col.name() + " on " + a.from.Format(time.DateOnly)
}

// range2 reads two periods with a word between them.
func (p *parser) range2(col place, between op) (a, b period, ok bool) {
	start := p.pos
	if a, ok = p.period(col); ok && p.accept(between) {
		if b, ok = p.period(col); ok && b.to.After(a.from) {
			return a, b, true
		}
	}
	p.pos = start
	return a, b, false
}

// limit and inside compare a column of days or of years.
func (p *parser) limit(col place, op string, t time.Time) string {
	if col.yearly() {
		return col.sql() + " " + op + " " + strconv.Itoa(t.Year())
	}
	return col.sql() + " " + op + " " + literal(t.Format(time.DateOnly))
}

func (p *parser) inside(col place, t period) string {
	if last := t.to.AddDate(0, 0, -1); col.yearly() && last.Year() == t.from.Year() {
		return col.sql() + " = " + strconv.Itoa(t.from.Year())
	}
	return p.limit(col, ">=", t.from) + " AND " + p.limit(col, "<", t.to)
}
