package tableexpert

import (
	"context"
	"strconv"
	"strings"
	"time"
)

// kind is what all values of a CSV column are.
type kind int

const (
	anything kind = iota // no value seen
	integer
	decimal
	date
	moment
	text
)

// columns returns what each column of a file holds.
func (f *csvFile) columns(ctx context.Context) ([]cells, error) {
	seen := make([]sight, len(f.header))
	err := f.rows(func(row []string) error {
		for i, cell := range row {
			if cell = strings.TrimSpace(cell); cell != "" {
				seen[i].see(cell, f.comma)
			}
		}
		return ctx.Err()
	})
	columns := make([]cells, len(seen))
	for i := range seen {
		columns[i] = seen[i].cells(f.comma)
	}
	return columns, err
}

// kindOf returns the narrowest kind of a value that is no number.
func kindOf(s string) kind {
	if _, ok := parseDate(s); ok {
		return date
	}
	if _, ok := parseMoment(s); ok {
		return moment
	}
	return text
}

// join returns the kind of a column with values of both kinds.
func (k kind) join(other kind) kind {
	switch {
	case k == anything || k == other:
		return other
	case other == anything:
		return k
	case k <= decimal && other <= decimal:
		return decimal
	default:
		return text
	}
}

// sqlType is what the column is declared as.
func (k kind) sqlType() string {
	switch k {
	case integer:
		return "INTEGER"
	case decimal:
		return "REAL"
	case date:
		return "DATE"
	case moment:
		return "DATETIME"
	default:
		return "TEXT"
	}
}

// value returns s as the database stores it; an empty field is NULL.
func (c cells) value(s string) any {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}
	number := func() string {
		digits, _ := unitOf(s)
		n, _ := ungrouped(digits, c.mark)
		return n
	}
	switch c.kind {
	case integer:
		n, _ := strconv.ParseInt(number(), 10, 64)
		return n
	case decimal:
		f, _ := strconv.ParseFloat(number(), 64)
		return f
	case date:
		d, _ := parseDate(s)
		return d
	case moment:
		m, _ := parseMoment(s)
		return m
	default:
		return s
	}
}

// isInteger accepts no leading zero: a code would lose it as a number.
func isInteger(s string) bool {
	digits := strings.TrimPrefix(s, "-")
	if len(digits) == 0 || len(digits) > 18 || digits[0] == '0' && s != "0" {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}

func isDecimal(s string) bool {
	whole, fraction, ok := strings.Cut(strings.TrimPrefix(s, "-"), ".")
	if !ok || fraction == "" || len(whole)+len(fraction) > 17 || strings.Trim(fraction, "0123456789") != "" {
		return false
	}
	return whole == "0" || isInteger(whole) && whole[0] != '-'
}

// parseDate accepts 2026-11-21 and 21.11.2026. The American 11/21/2026 stays
// text: 01/02 could be either day.
func parseDate(s string) (string, bool) {
	if len(s) < 8 || len(s) > 10 {
		return "", false
	}
	for _, layout := range []string{time.DateOnly, "2.1.2006"} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Format(time.DateOnly), true
		}
	}
	return "", false
}

// parseMoment accepts dates with a time, and keeps their zone as written.
func parseMoment(s string) (string, bool) {
	if len(s) < 16 || len(s) > 40 {
		return "", false
	}
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04"} {
		if _, err := time.Parse(layout, s); err == nil {
			return s, true
		}
	}
	return "", false
}
