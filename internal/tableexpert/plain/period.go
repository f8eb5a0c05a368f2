package plain

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// period is a span of days, from the first to before the last.
type period struct {
	from, to time.Time
	words    string
	year     bool // a number that may count something else, too
}

func parseDay(s string) (time.Time, bool) {
	t, err := time.Parse(time.DateOnly, s)
	return t, err == nil
}

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

var spanishMonths = []string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}

// month returns the month that a word names, 0 if none.
func month(w string) time.Month {
	for _, names := range [][]string{months, spanishMonths} {
		for i, name := range names {
			if w == name || len(w) == 3 && w == name[:3] {
				return time.Month(i + 1)
			}
		}
	}
	return 0
}

// units are the lengths of time that people name.
var units = map[string]string{
	"day": "day", "week": "week", "month": "month", "quarter": "quarter", "year": "year",
	"daily": "day", "weekly": "week", "monthly": "month", "quarterly": "quarter", "yearly": "year", "annually": "year",
	"día": "day", "dia": "day", "semana": "week", "mes": "month", "mese": "month", "trimestre": "quarter", "año": "year",
}

// periodAt reads a span of time at the beginning of ts, and says how many
// tokens it took.
func periodAt(ts []token, today time.Time) (p period, n int) {
	for _, read := range []func([]token, time.Time) (period, int){exactDay, monthAndYear, quarterAndYear, aYear, relative} {
		if p, n = read(ts, today); n > 0 {
			p.words = join(ts[:n])
			return p, n
		}
	}
	return period{}, 0
}

func exactDay(ts []token, today time.Time) (period, int) {
	if ts[0].kind == isDay {
		d, _ := parseDay(ts[0].word)
		return period{from: d, to: d.AddDate(0, 0, 1)}, 1
	}
	start := day(today)
	switch ts[0].word {
	case "today", "hoy":
		return period{from: start, to: start.AddDate(0, 0, 1)}, 1
	case "yesterday", "ayer":
		return period{from: start.AddDate(0, 0, -1), to: start}, 1
	}
	return period{}, 0
}

// monthAndYear reads "March 2025", "marzo de 2025" and, as of this year,
// "March".
func monthAndYear(ts []token, today time.Time) (period, int) {
	m := month(ts[0].word)
	if m == 0 || ts[0].kind != isWord {
		return period{}, 0
	}
	year, n := today.Year(), 1
	rest := ts[1:]
	if len(rest) > 1 && slices.Contains([]string{"of", "de", "del"}, rest[0].word) {
		if _, ok := asYear(rest[1]); ok {
			rest, n = rest[1:], 2
		}
	}
	if len(rest) > 0 {
		if y, ok := asYear(rest[0]); ok {
			year, n = y, n+1
		}
	}
	if n == 1 && ts[0].word == "may" { // more often a verb than the month of this year
		return period{}, 0
	}
	from := time.Date(year, m, 1, 0, 0, 0, 0, time.UTC)
	return period{from: from, to: from.AddDate(0, 1, 0)}, n
}

func quarterAndYear(ts []token, today time.Time) (period, int) {
	w := ts[0].word
	if len(w) != 2 || w[0] != 'q' || w[1] < '1' || w[1] > '4' {
		return period{}, 0
	}
	year, n := today.Year(), 1
	if len(ts) > 1 {
		if y, ok := asYear(ts[1]); ok {
			year, n = y, 2
		}
	}
	from := time.Date(year, time.Month(3*(w[1]-'1')+1), 1, 0, 0, 0, 0, time.UTC)
	return period{from: from, to: from.AddDate(0, 3, 0)}, n
}

func aYear(ts []token, _ time.Time) (period, int) {
	y, ok := asYear(ts[0])
	if !ok {
		return period{}, 0
	}
	from := time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)
	return period{from: from, to: from.AddDate(1, 0, 0), year: true}, 1
}

func asYear(t token) (int, bool) {
	y, err := strconv.Atoi(t.word)
	return y, err == nil && t.kind == isNumber && !t.cash && len(t.word) == 4 && y >= 1900 && y < 2100
}

// relative reads "last year", "this month" and "the last 30 days".
func relative(ts []token, today time.Time) (period, int) {
	w := ts[0].word
	last := slices.Contains([]string{"last", "past", "previous", "último", "última", "últimos", "últimas"}, w)
	this := slices.Contains([]string{"this", "current", "este", "esta"}, w)
	if !last && !this || len(ts) < 2 {
		return period{}, 0
	}
	if unit, ok := units[singular(ts[1].word)]; ok {
		from := beginning(today, unit)
		if this {
			return period{from: from, to: step(from, unit, 1)}, 2
		}
		return period{from: step(from, unit, -1), to: from}, 2
	}
	if len(ts) < 3 || !last || ts[1].kind != isNumber || ts[1].num < 1 || ts[1].num > 1000 {
		return period{}, 0
	}
	unit, ok := units[singular(ts[2].word)]
	if !ok {
		return period{}, 0
	}
	end := day(today).AddDate(0, 0, 1)
	return period{from: step(end, unit, -int(ts[1].num)), to: end}, 3
}

func day(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
}

// beginning returns the first day of the unit of time that t is in.
func beginning(t time.Time, unit string) time.Time {
	d := day(t)
	switch unit {
	case "week":
		return d.AddDate(0, 0, -(int(d.Weekday())+6)%7)
	case "month":
		return d.AddDate(0, 0, 1-d.Day())
	case "quarter":
		return time.Date(d.Year(), (d.Month()-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	case "year":
		return time.Date(d.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return d
}

func step(t time.Time, unit string, n int) time.Time {
	switch unit {
	case "week":
		return t.AddDate(0, 0, 7*n)
	case "month":
		return t.AddDate(0, n, 0)
	case "quarter":
		return t.AddDate(0, 3*n, 0)
	case "year":
		return t.AddDate(n, 0, 0)
	}
	return t.AddDate(0, 0, n)
}

// unitSQL is the unit of time that a date is in, such as 2026-03 or 2026-Q1.
func unitSQL(date, unit string) string {
	switch unit {
	case "day":
		return "date(" + date + ")"
	case "week":
		return "strftime('%Y-W%W', " + date + ")"
	case "month":
		return "strftime('%Y-%m', " + date + ")"
	case "quarter":
		return "strftime('%Y', " + date + ") || '-Q' || ((strftime('%m', " + date + ") + 2) / 3)"
	}
	return "strftime('%Y', " + date + ")"
}

func join(ts []token) string {
	words := make([]string, len(ts))
	for i, t := range ts {
		words[i] = t.word
	}
	return strings.Join(words, " ")
}
