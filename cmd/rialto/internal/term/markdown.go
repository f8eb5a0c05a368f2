package term

import (
	"regexp"
	"strings"
)

var (
	heading = regexp.MustCompile(`^#{1,6} +`)
	rule    = regexp.MustCompile(`^\|?[ :|-]*-[ :|-]*\|[ :|-]*$`)
	inline  = regexp.MustCompile("`([^`]+)`" +
		`|\*\*([^*]+)\*\*` +
		`|\[([^\]]+)\]\((https?://[^)\s]+)\)` +
		`|\*([^\s*](?:[^*]*[^\s*])?)\*` +
		`|\b_([^\s_](?:[^_]*[^\s_])?)_\b`)
	hanging = regexp.MustCompile(`^ *(?:(?:[•☐☑│]|\d+[.)]) +)?`)
)

// blocks are the beginnings of lines, with what a terminal shows in their place.
var blocks = []struct {
	mark *regexp.Regexp
	sign string
}{
	{regexp.MustCompile(`^ {0,3}(?:[-*_] *){3,}$`), "────────"},
	{regexp.MustCompile(`^> ?`), "│ "},
	{regexp.MustCompile(`^( *)[-*+] +\[ \] +`), "$1☐ "},
	{regexp.MustCompile(`^( *)[-*+] +\[[xX]\] +`), "$1☑ "},
	{regexp.MustCompile(`^( *)[-*+] +`), "$1• "},
}

// Markdown makes Markdown readable: it aligns tables, and shows headings, strong text, code and
// links. At a terminal, it also shows emphasis, lists and blocks of code, and breaks lines between
// words. The rest of the text stays as it is.
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
		fence := strings.HasPrefix(line, "```")
		fenced = fenced != fence
		if row := strings.TrimSpace(line); !fenced && len(row) > 2 && row[0] == '|' {
			table = append(table, cells(row))
			continue
		}
		flush()
		switch {
		case fence && s.columns > 0:
			continue
		case fenced && s.columns > 0:
			line = "  " + s.Code(line)
		case !fenced && !fence:
			line = s.line(line)
		}
		b.WriteString(line + "\n")
	}
	flush()
	return b.String()
}

func (s Style) line(line string) string {
	if mark := heading.FindString(line); mark != "" {
		return s.Bold(s.inline(line[len(mark):]))
	}
	if s.columns == 0 {
		return s.inline(line)
	}

	for _, b := range blocks {
		line = b.mark.ReplaceAllString(line, b.sign)
	}
	return s.wrap(s.inline(line))
}

func (s Style) inline(text string) string {
	return inline.ReplaceAllStringFunc(text, func(marked string) string {
		part := inline.FindStringSubmatch(marked)
		switch {
		case part[1] != "":
			return s.Code(part[1])
		case part[2] != "":
			return s.Bold(s.inline(part[2]))
		case part[3] != "":
			return s.inline(part[3]) + " (" + part[4] + ")"
		case s.columns > 0:
			return s.Italic(part[5] + part[6])
		}
		return marked
	})
}

// wrap breaks a line between words where it exceeds the terminal. The item of a list continues below
// its text.
func (s Style) wrap(line string) string {
	indent := strings.Repeat(" ", width(hanging.FindString(line)))
	var b strings.Builder
	used := 0
	for i, word := range strings.Split(line, " ") {
		switch {
		case i == 0:
		case used+1+width(word) > s.columns:
			b.WriteString("\n" + indent)
			used = len(indent)
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += width(word)
	}
	return b.String()
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
			row[j] = s.inline(cell)
			if i == 0 {
				row[j] = s.Bold(cell)
			}
		}
		shown = append(shown, row)
	}

	return new(Table).grid(s, shown)
}
