package term

import (
	"cmp"
	"io"
	"regexp"
	"slices"
	"strings"

	"rialto/bridge/sanitize"
)

// Table is a list for people: headings, and rows in columns. Characters that control a terminal are
// left out: servers and agents have written some of the cells.
type Table struct {
	Head  []string
	Rows  [][]string
	IDs   string   // the heading of the column that a terminal shows last and whole
	Spare []string // headings of columns that a narrow terminal leaves out first
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write writes the table. An empty cell becomes a dash, so that each line has the same columns.
func (t *Table) Write(w io.Writer) error {
	_, err := io.WriteString(w, t.text(StyleOf(w)))
	return err
}

func (t *Table) text(s Style) string {
	head := make([]string, len(t.Head))
	for i, h := range t.Head {
		head[i] = s.Bold(sanitize.Line(h))
	}

	rows := [][]string{head}
	for _, row := range t.Rows {
		shown := make([]string, len(row))
		for i, cell := range row {
			shown[i] = s.State(cmp.Or(sanitize.Line(cell), "-"))
		}
		rows = append(rows, shown)
	}

	return t.grid(s, rows)
}

// grid aligns rows below a head. At a terminal, a line fits: wide cells are cut and, if that is not
// enough, columns are left out.
func (t *Table) grid(s Style, rows [][]string) string {
	if !s.Terminal() || len(rows) == 0 {
		return s.align(rows)
	}

	line := s.columns
	var last []string
	if i := slices.Index(t.Head, t.IDs); i >= 0 {
		last = take(rows, i)
		line -= slices.Max(widthsOf([][]string{last})) + 2
	}
	omitted := t.fit(rows, line)
	for i, cell := range last {
		rows[i] = append(rows[i], cell)
	}

	text := s.align(rows)
	if omitted != nil {
		text += s.Dim("Left out to fit: "+strings.Join(omitted, ", ")+". --json shows all.") + "\n"
	}
	return text
}

// narrowest is how narrow a column may become before columns are left out.
const narrowest = 13

// fit cuts the widest cells until a line fits, and returns the headings of the columns that it
// leaves out: spare ones first, then the last.
func (t *Table) fit(rows [][]string, line int) (omitted []string) {
	widths := widthsOf(rows)
	for len(widths) > 1 && lineOf(widths, narrowest) > line {
		i := slices.IndexFunc(rows[0], func(h string) bool { return slices.Contains(t.Spare, plain(h)) })
		if i < 0 {
			i = len(widths) - 1
		}
		omitted = append(omitted, plain(take(rows, i)[0]))
		widths = slices.Delete(widths, i, i+1)
	}

	most := line
	for most > 1 && lineOf(widths, most) > line {
		most--
	}
	for _, row := range rows {
		for i, cell := range row {
			if width(cell) > most {
				row[i] = sanitize.Truncate(plain(cell), most)
			}
		}
	}
	return omitted
}

// take removes a column and returns its cells.
func take(rows [][]string, column int) (cells []string) {
	for i, row := range rows {
		cell := ""
		if column < len(row) {
			cell = row[column]
			rows[i] = slices.Delete(row, column, column+1)
		}
		cells = append(cells, cell)
	}
	return cells
}

// lineOf returns how long a line is if cells are cut.
func lineOf(widths []int, most int) int {
	sum := 2 * (len(widths) - 1)
	for _, w := range widths {
		sum += min(w, most)
	}
	return sum
}

func widthsOf(rows [][]string) (widths []int) {
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(cell))
		}
	}
	return widths
}

// align puts two spaces between columns, and at a terminal numbers at the right.
func (s Style) align(rows [][]string) string {
	widths := widthsOf(rows)
	right := make([]bool, len(widths))
	for i := range right {
		right[i] = s.columns > 0 && numbers(rows[1:], i)
	}

	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-width(cell))
			switch {
			case right[i]:
				cell = space + cell
			case i < len(row)-1:
				cell += space
			}
			if i > 0 {
				b.WriteString("  ")
			}
			b.WriteString(cell)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

var number = regexp.MustCompile(`^[-+]?[\d.,]*\d[%+]?$`)

// numbers reports whether a column holds numbers alone.
func numbers(rows [][]string, column int) (found bool) {
	for _, row := range rows {
		if column >= len(row) {
			continue
		}
		cell := plain(row[column])
		if number.MatchString(cell) {
			found = true
		} else if cell != "-" && cell != "" {
			return false
		}
	}
	return found
}

// Details writes the properties of one thing, a line each, without empty ones.
func Details(w io.Writer, lines [][2]string) error {
	s := StyleOf(w)
	rows := [][]string{}
	for _, line := range lines {
		if line[1] != "" {
			rows = append(
				rows, []string{s.Dim(sanitize.Text(line[0])), s.State(sanitize.Text(line[1]))},
			)
		}
	}

	_, err := io.WriteString(w, Style{}.align(rows))
	return err
}
