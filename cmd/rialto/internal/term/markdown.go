package term

import (
	"regexp"
	"strings"
)

var (
	heading = regexp.MustCompile(`^#{1,6} +`)
	rule    = regexp.MustCompile(`^\|?[ :|-]*-[ :|-]*\|[ :|-]*$`)
	link    = regexp.MustCompile(`\[([^\]\n]+)\]\((https?://[^)\s]+)\)`)
	strong  = regexp.MustCompile(`\*\*([^*\n]+)\*\*`)
	literal = regexp.MustCompile("`([^`\n]+)`")
)

// Markdown makes Markdown readable in a terminal: it aligns tables, and shows headings, strong
// text, code and links. The rest of the text stays as it is.
func (s Style) Markdown(text string) string {
	var b strings.Builder
	var table [][]string
	fenced := false
	flush := func() {
		b.WriteString(s.table(table))
		table = nil
	}
	for line := range strings.Lines(strings.TrimRight(text, "\n") + "\n") {
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
		}
		if row := strings.TrimSpace(line); !fenced && len(row) > 2 && row[0] == '|' {
			table = append(table, cells(row))
			continue
		}
		flush()
		if !fenced {
			line = s.line(line)
		}
		b.WriteString(line + "\n")
	}
	flush()
	return b.String()
}

func (s Style) line(line string) string {
	if mark := heading.FindString(line); mark != "" {
		return s.Bold(line[len(mark):])
	}

	line = link.ReplaceAllString(line, "$1 ($2)")
	line = strong.ReplaceAllStringFunc(
		line, func(m string) string { return s.Bold(m[2 : len(m)-2]) },
	)
	return literal.ReplaceAllStringFunc(
		line, func(m string) string { return s.Code(m[1 : len(m)-1]) },
	)
}

// cells splits a row of a table. A line under the headings has none.
func cells(row string) (cells []string) {
	if rule.MatchString(row) {
		return nil
	}
	row = strings.ReplaceAll(strings.Trim(row, "|"), `\|`, "\x00")
	for cell := range strings.SplitSeq(row, "|") {
		cells = append(cells, strings.TrimSpace(strings.ReplaceAll(cell, "\x00", "|")))
	}
	return cells
}

// table writes a table whose first row is its head.
func (s Style) table(rows [][]string) string {
	var shown [][]string
	for i, row := range rows {
		if row == nil {
			continue
		}
		for j, cell := range row {
			row[j] = s.line(cell)
			if i == 0 {
				row[j] = s.Bold(cell)
			}
		}
		shown = append(shown, row)
	}

	return columns(shown)
}
