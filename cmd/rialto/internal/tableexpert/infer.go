package tableexpert

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// kind is what all values of a CSV column are.
type kind int

const (
	unknown kind = iota // no value seen
	integer
	decimal
	date
	timestamp
	slashDate // a day such as 21/11/2026, of which the column as a whole says what is the month
	text
)

// columns returns what each column of a file holds.
func (f *csvFile) columns(ctx context.Context) ([]columnFormat, error) {
	seen := make([]columnSample, len(f.header))
	err := f.rows(func(row []string) error {
		for i, cell := range row {
			cell = strings.TrimSpace(cell)
			if cell != "" {
				seen[i].add(cell, f.comma)
			}
		}
		return ctx.Err()
	})
	columns := make([]columnFormat, len(seen))
	mark := commonMark(seen, f.header)
	for i := range seen {
		c := seen[i].format(f.comma, mark)
		numeric := c.kind <= decimal && c.kind != unknown
		if numeric && c.unit == "" && isCodeHeading(f.header[i]) {
			c = columnFormat{kind: text}
		}
		columns[i] = c
	}

	return columns, err
}

// codeWords are in headings of values that are codes, although they consist of digits:
// version 1.10 is not 1.1.
var codeWords = strings.Fields(
	"version phone telephone mobile fax zip zipcode postcode postal plz teléfono telefono",
)

// isCodeHeading reports whether the values under a heading are codes.
func isCodeHeading(heading string) bool {
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	words := strings.FieldsFunc(strings.ToLower(heading), notLetter)
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(codeWords, w) })
}

// kindOf returns the narrowest kind of a value that is no number.
func kindOf(s string) kind {
	if _, ok := parseDate(s); ok {
		return date
	}

	switch {
	case isTimestamp(s):
		return timestamp
	case isTime(s, dayFirst), isTime(s, monthFirst):
		return slashDate
	}

	return text
}

func isTime(s, layout string) bool {
	_, err := time.Parse(layout, s)
	return err == nil
}

// The two ways to write a day with slashes.
const (
	dayFirst   = "2/1/2006"
	monthFirst = "1/2/2006"
)

// join returns the kind of a column with values of both kinds.
func (k kind) join(other kind) kind {
	switch {
	case k == unknown || k == other:
		return other
	case other == unknown:
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
	case timestamp:
		return "DATETIME"
	default:
		return "TEXT"
	}
}

// value returns s as the database stores it; an empty field is NULL.
func (c columnFormat) value(s string) any {
	s = strings.TrimSpace(s)
	if s == "" {
		return nil
	}

	switch c.kind {
	case integer, decimal:
		digits, _ := unitOf(s)
		number, _ := ungrouped(digits, c.mark)
		if c.kind == decimal {
			f, _ := strconv.ParseFloat(number, 64)
			return f
		}
		n, _ := strconv.ParseInt(number, 10, 64)
		return n
	case date:
		if t, err := time.Parse(c.layout, s); err == nil {
			return t.Format(time.DateOnly)
		}
		d, _ := parseDate(s)
		return d
	default:
		return s
	}
}

// Numbers have no leading zero: a code would lose it.
var (
	integerPattern = regexp.MustCompile(`^(0|-?[1-9]\d{0,17})$`)
	decimalPattern = regexp.MustCompile(`^-?(0|[1-9]\d*)\.\d+$`)
)

// maxDecimal is how many digits a decimal number has at most.
const maxDecimal = 17

func isInteger(s string) bool { return integerPattern.MatchString(s) }

func isDecimal(s string) bool {
	return len(strings.Trim(s, "-")) <= maxDecimal+len(".") && decimalPattern.MatchString(s)
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

// timestampLayouts are those of dates with a time.
var timestampLayouts = []string{
	time.RFC3339, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04", "2006-01-02T15:04",
}

func isTimestamp(s string) bool {
	return len(s) >= 16 && len(s) <= 40 &&
		slices.ContainsFunc(timestampLayouts, func(layout string) bool { return isTime(s, layout) })
}
