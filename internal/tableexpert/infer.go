package tableexpert

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// kind is what all values of a CSV column are.
type kind int

const (
	anything kind = iota // no value seen
	integer
	decimal
	date
	moment
	slashed // a day such as 21/11/2026, of which the column as a whole says what is the month
	text
)

// columns returns what each column of a file holds.
func (f *csvFile) columns(ctx context.Context) ([]cells, error) {
	seen := make([]sight, len(f.header))
	err := f.rows(func(row []string) error {
		for i, cell := range row {
			cell = strings.TrimSpace(cell)
			if cell != "" {
				seen[i].see(cell, f.comma)
			}
		}
		return ctx.Err()
	})
	columns := make([]cells, len(seen))
	mark := agreed(seen, f.header)
	for i := range seen {
		c := seen[i].cells(f.comma, mark)
		numeric := c.kind <= decimal && c.kind != anything
		if numeric && c.unit == "" && codes(f.header[i]) {
			c = cells{kind: text}
		}
		columns[i] = c
	}
	return columns, err
}

// codes reports whether the values under a heading are codes, although they consist of
// digits: version 1.10 is not 1.1.
func codes(heading string) bool {
	return slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(heading), func(r rune) bool { return !unicode.IsLetter(r) }), func(w string) bool {
		return slices.Contains([]string{"version", "phone", "telephone", "mobile", "fax", "zip", "zipcode", "postcode", "postal", "plz", "teléfono", "telefono"}, w)
	})
}

// kindOf returns the narrowest kind of a value that is no number.
func kindOf(s string) kind {
	if _, ok := parseDate(s); ok {
		return date
	}
	if _, ok := parseMoment(s); ok {
		return moment
	}
	if _, err := time.Parse(dayFirst, s); err == nil {
		return slashed
	}
	if _, err := time.Parse(monthFirst, s); err == nil {
		return slashed
	}
	return text
}

// The two ways to write a day with slashes.
const (
	dayFirst   = "2/1/2006"
	monthFirst = "1/2/2006"
)

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
		if t, err := time.Parse(c.layout, s); c.layout != "" && err == nil {
			return t.Format(time.DateOnly)
		}
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
	if len(digits) == 0 || len(digits) > 18 {
		return false
	}
	if digits[0] == '0' && s != "0" {
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

// parseDate accepts 2026-11-21 and 21.11.2026. What 01/02/2026 is, other values of its
// column may tell; else it stays text.
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
