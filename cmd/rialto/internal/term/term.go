// Package term writes for people at a terminal: colors, tables, Markdown, progress and questions.
// It writes no escape sequences where no terminal is, or where NO_COLOR or TERM=dumb forbids them.
package term

import (
	"cmp"
	"io"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/term"

	"rialto/bridge/sanitize"
)

// Is tells whether a reader or writer is a terminal.
func Is(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Style colors text. The zero Style leaves text as it is.
type Style struct{ on bool }

// StyleOf returns the style for a writer (https://no-color.org).
func StyleOf(w any) Style {
	return Style{Is(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s Style) paint(code, text string) string {
	if !s.on || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// Bold is for headings.
func (s Style) Bold(text string) string { return s.paint("1", text) }

// Dim is for what matters less.
func (s Style) Dim(text string) string { return s.paint("2", text) }

// Code is for literals.
func (s Style) Code(text string) string { return s.paint("36", text) }

// colors of words that say how things stand.
var colors = map[string]string{
	"completed": "32", "ok": "32", "live": "32", "enabled": "32",
	"submitted": "34", "working": "34",
	"input-required": "33", "auth-required": "33", "denied": "33", "expired": "33",
	"failed": "31", "rejected": "31", "revoked": "31", "disabled": "31",
	"canceled": "2", "skipped": "2",
}

// State colors a word that says how something stands; other words stay as they are.
func (s Style) State(word string) string { return s.As(word, word) }

// As colors a text as State colors a word.
func (s Style) As(word, text string) string {
	if code, ok := colors[word]; ok {
		return s.paint(code, text)
	}
	return text
}

var escape = regexp.MustCompile("\x1b\\[[0-9;]*m")

// width returns how many columns a text takes.
func width(s string) int { return utf8.RuneCountInString(escape.ReplaceAllString(s, "")) }

// Table is a list for people: headings, and rows in columns. Characters that control a terminal are
// left out: servers and agents have written some of the cells.
type Table struct {
	Head []string
	Rows [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// Write writes the table. An empty cell becomes a dash, so that each line has the same columns.
func (t *Table) Write(w io.Writer) error {
	s := StyleOf(w)
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

	_, err := w.Write([]byte(columns(rows)))
	return err
}

// columns aligns rows, with two spaces between columns.
func columns(rows [][]string) string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], width(cell))
		}
	}

	var b strings.Builder
	for _, row := range rows {
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-width(cell)+2))
			}
		}
		b.WriteByte('\n')
	}

	return b.String()
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

	_, err := w.Write([]byte(columns(rows)))
	return err
}
