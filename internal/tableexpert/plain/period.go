package plain

import (
	"cmp"
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
	open     bool // no year was said, so it is that of today unless a later time has one
}

// parseDay reads 2025-06-13, 13.6.2025, 2025/06/13 and 13/6/2025 or 6/13/2025, but not
// 5/6/2025: it could be either day.
func parseDay(s string) (time.Time, bool) {
	for _, layout := range []string{time.DateOnly, "2.1.2006", "2006/1/2"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	european, err1 := time.Parse("2/1/2006", s)
	american, err2 := time.Parse("1/2/2006", s)
	switch {
	case err1 == nil && (err2 != nil || european.Equal(american)):
		return european, true
	case err2 == nil && err1 != nil:
		return american, true
	}
	return time.Time{}, false
}

var months = []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

var spanishMonths = []string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre", "noviembre", "diciembre"}

// month returns the month that a word names, 0 if none.
func month(w string) time.Month {
	for _, names := range [][]string{months, spanishMonths} {
		for i, name := range names {
			if w == name || len(w) == 3 && w == name[:3] && w != "ago" { // in English, that is said of the past
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
	"weekday": "weekday", "day of week": "weekday", "day of the week": "weekday", "día de la semana": "weekday",
	"día": "day", "dia": "day", "semana": "week", "mes": "month", "mese": "month", "trimestre": "quarter", "año": "year",
}

// periodAt reads a span of time at the beginning of ts, and says how many
// tokens it took.
func periodAt(ts []token, today time.Time) (p period, n int) {
	for _, read := range []func([]token, time.Time) (period, int){exactDay, dayOfMonth, partOfYear, yearAndPart, monthAndYear, aYear, relative} {
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
	case "tomorrow", "mañana":
		return period{from: start.AddDate(0, 0, 1), to: start.AddDate(0, 0, 2)}, 1
	}
	return period{}, 0
}

// monthAndYear reads "March 2025", "marzo de 2025", "2025-03" and, as of this
// year, "March".
func monthAndYear(ts []token, today time.Time) (period, int) {
	if t, err := time.Parse("2006-01", ts[0].word); err == nil {
		return period{from: t, to: t.AddDate(0, 1, 0)}, 1
	}
	m := month(ts[0].word)
	if m == 0 || ts[0].kind != isWord {
		return period{}, 0
	}
	year, n := yearAt(ts[1:])
	if n == 0 && ts[0].word == "may" { // more often a verb than the month of this year
		return period{}, 0
	}
	return monthsFrom(cmp.Or(year, today.Year()), m, 1, n == 0), 1 + n
}

// monthsFrom is n months from one on.
func monthsFrom(year int, m time.Month, n int, open bool) period {
	from := time.Date(year, m, 1, 0, 0, 0, 0, time.UTC)
	return period{from: from, to: from.AddDate(0, n, 0), open: open}
}

// yearAt reads a year, "of" before it or not, and says how many tokens it took.
func yearAt(ts []token) (year, n int) {
	if len(ts) > 1 && slices.Contains([]string{"of", "in", "de", "del"}, ts[0].word) {
		ts, n = ts[1:], 1
	}
	if len(ts) == 0 {
		return 0, 0
	}
	if y, ok := asYear(ts[0]); ok {
		return y, n + 1
	}
	return 0, 0
}

// dayOfMonth reads "5 May 2025", "5th of May", "5 de mayo de 2025" and "May 5, 2025".
func dayOfMonth(ts []token, today time.Time) (period, int) {
	d, m, n := 0, time.Month(0), 0
	switch {
	case len(ts) > 1 && dayNumber(ts[0]) > 0:
		d, n = dayNumber(ts[0]), 1
		if slices.Contains([]string{"of", "de"}, ts[1].word) && len(ts) > 2 {
			n = 2
		}
		m = month(ts[n].word)
		n++
	case len(ts) > 1 && dayNumber(ts[1]) > 0:
		d, m, n = dayNumber(ts[1]), month(ts[0].word), 2
	}
	if d == 0 || m == 0 {
		return period{}, 0
	}
	year, more := yearAt(ts[n:])
	from := time.Date(cmp.Or(year, today.Year()), m, d, 0, 0, 0, 0, time.UTC)
	if from.Day() != d {
		return period{}, 0 // the 31st of April
	}
	return period{from: from, to: from.AddDate(0, 0, 1), open: more == 0}, n + more
}

// dayNumber reads 5, 5th and 21st; 0 is none.
func dayNumber(t token) int {
	w := t.word
	for _, ending := range []string{"st", "nd", "rd", "th"} {
		w = strings.TrimSuffix(w, ending)
	}
	d, err := strconv.Atoi(w)
	if err != nil || t.cash || d < 1 || d > 31 {
		return 0
	}
	return d
}

var ordinals = map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "last": -1, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4,
	"primer": 1, "segundo": 2, "tercer": 3, "cuarto": 4, "último": -1}

// partOfYear reads "Q3 2024", "2024-Q3", "H1 2024", "the third quarter of 2024" and
// "the last month of 2024".
func partOfYear(ts []token, today time.Time) (period, int) {
	w, year, n := ts[0].word, 0, 1
	if short, long, ok := strings.Cut(w, "-"); ok { // 2024-q3, q3-2024
		if y, err := strconv.Atoi(short); err == nil {
			w, year = long, y
		} else if y, err := strconv.Atoi(long); err == nil {
			w, year = short, y
		}
		if year < 1900 || year >= 2100 {
			return period{}, 0
		}
	}
	i, size := 0, 0
	switch o := ordinals[w]; {
	case len(w) == 2 && w[0] == 'q' && w[1] >= '1' && w[1] <= '4':
		i, size = int(w[1]-'0'), 3
	case len(w) == 2 && w[0] == 'h' && (w[1] == '1' || w[1] == '2'):
		i, size = int(w[1]-'0'), 6
	case o != 0 && len(ts) > 1:
		i, size, n = o, map[string]int{"quarter": 3, "trimestre": 3, "half": 6, "semestre": 6, "month": 1, "mes": 1}[ts[1].word], 2
	}
	if size == 0 || i*size > 12 {
		return period{}, 0
	}
	if year == 0 {
		y, more := yearAt(ts[n:])
		if more == 0 && n == 2 && (i < 0 || size == 1) { // last quarter is that before this one
			return period{}, 0
		}
		year, n = y, n+more
	}
	if i < 0 {
		i = 12 / size
	}
	return monthsFrom(cmp.Or(year, today.Year()), time.Month((i-1)*size+1), size, year == 0), n
}

// yearAndPart reads "2024 Q3" and "2024 March".
func yearAndPart(ts []token, today time.Time) (period, int) {
	y, ok := asYear(ts[0])
	if !ok || len(ts) < 2 {
		return period{}, 0
	}
	for _, read := range []func([]token, time.Time) (period, int){partOfYear, monthAndYear} {
		if p, n := read(ts[1:], time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC)); n > 0 && p.open {
			p.open = false
			return p, n + 1
		}
	}
	return period{}, 0
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

// behind are the Spanish words that follow a unit of time, and what precedes it.
var behind = map[string]string{"pasado": "last", "pasada": "last", "anterior": "last", "actual": "this", "próximo": "next", "próxima": "next"}

// relative reads "last year", "this month" and "the last 30 days".
func relative(ts []token, today time.Time) (period, int) {
	if len(ts) > 1 && units[singular(ts[0].word)] != "" && behind[ts[1].word] != "" { // el mes pasado
		p, _ := relative([]token{{word: behind[ts[1].word]}, ts[0]}, today)
		return p, 2
	}
	w := ts[0].word
	last := slices.Contains([]string{"last", "past", "previous", "último", "última", "últimos", "últimas"}, w)
	this := slices.Contains([]string{"this", "current", "este", "esta"}, w)
	if !last && !this && w != "next" || len(ts) < 2 {
		return period{}, 0
	}
	if unit, ok := units[singular(ts[1].word)]; ok && unit != "weekday" {
		from := beginning(today, unit)
		switch {
		case last:
			from = step(from, unit, -1)
		case !this:
			from = step(from, unit, 1)
		}
		return period{from: from, to: step(from, unit, 1)}, 2
	}
	if days := weekdays[singular(ts[1].word)]; len(days) == 1 || days == weekend {
		by := 0
		switch {
		case last:
			by = -1
		case !this:
			by = 1
		}
		return daysAround(today, days, by), 2
	}
	if len(ts) < 3 || !last || ts[1].kind != isNumber || ts[1].num < 1 || ts[1].num > 1000 {
		return period{}, 0
	}
	unit, ok := units[singular(ts[2].word)]
	if !ok || unit == "weekday" {
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
		return "strftime('%G-W%V', " + date + ")"
	case "month":
		return "strftime('%Y-%m', " + date + ")"
	case "weekday":
		u := "strftime('%u', " + date + ")"
		return u + " || ' ' || substr('MonTueWedThuFriSatSun', 3 * " + u + " - 2, 3)"
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
