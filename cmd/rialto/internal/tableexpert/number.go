package tableexpert

import (
	"slices"
	"strings"
	"time"
)

// columnFormat is what a column of a CSV file holds.
type columnFormat struct {
	kind kind
	mark byte   // what stands before the fraction of its numbers
	unit string // "€", "%", or nothing

	layout string // of days with slashes
}

// columnSample is what was seen of a column so far: one whose numbers have groups of digits
// may have to be seen whole until it is known which mark is which.
type columnSample struct {
	plain   kind    // of values that are no numbers
	numbers [2]kind // kinds of the numbers, if marks[i] stands before the fraction
	either  [2]bool // a number was seen in which marks[i] could be both: 1.234
	units   []string

	pairs, decimals bool    // seen were 30,00, and 1.200,50
	slashDates      [2]bool // 21/11/2026, and 11/21/2026
}

// marks stand before the fraction of a number, or else between its groups.
var marks = [2]byte{'.', ','}

// add looks at a value that is not empty. Where commas divide fields, "1,2" may as well be
// two numbers, unless the column has numbers such as "1.200,50".
func (s *columnSample) add(cell string, delimiter rune) {
	if s.plain == text {
		return
	}

	digits, unit := unitOf(cell)
	dot := numberKind(digits, '.')
	comma := numberKind(digits, ',')
	if delimiter == ',' && unit == "" && strings.Trim(digits, "-0123456789") == "," {
		s.pairs = s.pairs || dot == text
		if dot != text {
			comma = text
		}
	}

	s.decimals = s.decimals ||
		comma != text && strings.Contains(digits, ".") && strings.Contains(digits, ",")
	if dot == text && comma == text {
		s.plain = s.plain.join(kindOf(cell))
		if s.plain == slashDate {
			_, day := time.Parse(dayFirst, cell)
			_, month := time.Parse(monthFirst, cell)
			s.slashDates[0] = s.slashDates[0] || month != nil
			s.slashDates[1] = s.slashDates[1] || day != nil
		}
		return
	}

	s.numbers[0], s.numbers[1] = s.numbers[0].join(dot), s.numbers[1].join(comma)
	if dot != comma && dot != text && comma != text {
		s.either[0] = s.either[0] || strings.Contains(digits, ".")
		s.either[1] = s.either[1] || strings.Contains(digits, ",")
	}
	if !slices.Contains(s.units, unit) && len(s.units) < 2 {
		s.units = append(s.units, unit)
	}
}

// mark returns which of the marks alone stands before the fraction in the column, if its
// numbers tell: 12,50 does, and 1.234 does not.
func (s *columnSample) mark() (byte, bool) {
	switch {
	case s.plain != unknown || len(s.units) == 0 || s.pairs && !s.decimals:
	case s.numbers[0] == text && s.numbers[1] != text:
		return marks[1], true
	case s.numbers[1] == text && s.numbers[0] != text:
		return marks[0], true
	}
	return 0, false
}

// commonMark returns the mark before the fractions of a file, if some of its columns tell and
// no other tells otherwise; else 0.
func commonMark(columns []columnSample, header []string) byte {
	var mark byte
	for i := range columns {
		m, ok := columns[i].mark()
		ok = ok && !isCodeHeading(header[i])
		if ok && mark != 0 && m != mark {
			return 0
		}
		if ok {
			mark = m
		}
	}

	return mark
}

// format returns how to read the column. Numbers with two units are text, because they do
// not add up, and so are ambiguous numbers. The mark is the one that the other columns
// agree on, or 0.
func (s *columnSample) format(delimiter rune, mark byte) columnFormat {
	switch {
	case s.plain == slashDate && len(s.units) == 0 && s.slashDates[0] != s.slashDates[1]:
		return columnFormat{
			kind:   date,
			layout: map[bool]string{true: dayFirst, false: monthFirst}[s.slashDates[0]],
		}
	case s.plain == slashDate:
		return columnFormat{kind: text}
	case len(s.units) == 0:
		return columnFormat{kind: s.plain}
	case s.plain != unknown || len(s.units) > 1 || s.either[0] && s.either[1] || s.pairs && !s.decimals:
		return columnFormat{kind: text}
	}

	i := 0
	decimalComma := s.either[1] && delimiter != ',' // a decimal comma does not divide fields
	priced := s.units[0] != "" && s.units[0] != "%"
	switch {
	case s.numbers[0] == text:
		i = 1
	case s.numbers[1] == text:
	case mark != 0:
		i = slices.Index(marks[:], mark)
	case priced && (s.either[0] || decimalComma): // €1.234 is one thousand, or a price of fuel
		return columnFormat{kind: text}
	case decimalComma:
		i = 1
	}

	return columnFormat{kind: s.numbers[i], mark: marks[i], unit: s.units[0]}
}

// units of numbers as people write them beside the digits.
var units = []string{"€", "$", "£", "¥", "EUR", "USD", "GBP", "CHF"}

// unitOf divides a value into its digits and its unit: -€5 and 5 € are -5 and €.
func unitOf(cell string) (digits, unit string) {
	digits, negative := strings.CutPrefix(cell, "-")
	for _, u := range append([]string{"%"}, units...) {
		rest, ok := strings.CutSuffix(digits, u)
		if !ok && u != "%" {
			rest, ok = strings.CutPrefix(digits, u)
		}
		if ok {
			digits = strings.Trim(rest, " \u00a0\u202f")
			unit = u
			break
		}
	}

	if negative && !strings.HasPrefix(digits, "-") {
		digits = "-" + digits
	}

	return digits, unit
}

// numberKind returns what kind of number the digits are, or text.
func numberKind(digits string, mark byte) kind {
	n, ok := ungrouped(digits, mark)
	switch {
	case !ok:
		return text
	case isInteger(n):
		return integer
	case isDecimal(n):
		return decimal
	}

	return text
}

// ungrouped writes a number without groups and with a dot before its fraction.
func ungrouped(digits string, mark byte) (string, bool) {
	whole, fraction, parted := strings.Cut(digits, string(mark))
	sign := ""
	if rest, ok := strings.CutPrefix(whole, "-"); ok {
		sign = "-"
		whole = rest
	}
	if i := strings.IndexAny(whole, ",.'\u00a0\u202f"); i >= 0 {
		groups := strings.Split(whole, string([]rune(whole[i:])[0]))
		address := len(groups) > 3 && whole[i] == '.' && !parted // 192.168.100.101
		if address || len(groups[0]) == 0 || len(groups[0]) > 3 {
			return "", false
		}
		for _, g := range groups[1:] {
			if len(g) != 3 {
				return "", false
			}
		}
		whole = strings.Join(groups, "")
	}
	if parted {
		whole += "." + fraction
	}

	return sign + whole, true
}
