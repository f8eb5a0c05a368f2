// Package interop keeps the table of docs/interop.md: tests with A2A peers report to it
// which features they try, and it prints the results and compares them with the document.
// It runs no tests itself.
package interop

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Feature is a column of the table.
type Feature string

// The features, in the order of the columns.
const (
	Send        Feature = "send"
	Stream      Feature = "stream"
	MultiTurn   Feature = "multi-turn"
	Get         Feature = "get"
	Cancel      Feature = "cancel"
	Resubscribe Feature = "resubscribe"
	Push        Feature = "push"
	Error       Feature = "error"
)

func (x *Table) columns() []Feature {
	if x.Columns != nil {
		return x.Columns
	}
	return []Feature{Send, Stream, MultiTurn, Get, Cancel, Resubscribe, Push, Error}
}

// Row is a pair that talks: which side is ours, the peer, and what they speak.
type Row struct {
	Ours, Theirs, Spoken string
}

// Table is what the tests of one package find out. Name is required; it is the
// heading of its part of the document. Without Columns, they are the features;
// Heads are the headings of a row's members, if they are others.
type Table struct {
	Name    string
	Columns []Feature
	Heads   []string

	mu      sync.Mutex
	rows    map[Row]map[Feature]*cell
	partial bool // a test was skipped
}

// cell is what is known of a feature between two. The zero value is that nothing is.
type cell struct {
	tried, failed bool
	reason        string // why it is not tried, or a remark
}

// Tries says that t tries the features between the two of row: the cells are
// green if no such test fails.
func (x *Table) Tries(t testing.TB, row Row, tried ...Feature) {
	t.Cleanup(func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.partial = x.partial || t.Skipped()
		for _, f := range tried {
			c := x.cell(row, f)
			c.tried = true
			c.failed = c.failed || t.Failed()
		}
	})
}

// Without says why no test tries the features between the two of row, or, of
// those that are tried, which part the peer cannot do.
func (x *Table) Without(row Row, reason string, untried ...Feature) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, f := range untried {
		x.cell(row, f).reason = reason
	}
}

func (x *Table) cell(row Row, f Feature) *cell {
	if x.rows == nil {
		x.rows = map[Row]map[Feature]*cell{}
	}
	if x.rows[row] == nil {
		x.rows[row] = map[Feature]*cell{}
	}
	if x.rows[row][f] == nil {
		x.rows[row][f] = &cell{}
	}
	return x.rows[row][f]
}

// Main runs the tests, prints the table, and returns the code to exit with. If all tests ran and
// passed, each cell must be green or have a reason, and the part of the document that has this name
// must be this table; with update it is made so.
func (x *Table) Main(run func() int, document string, update bool) int {
	code := run()
	x.print()
	if code != 0 || len(x.rows) == 0 || selected() { // no rows: what the tests need is not here
		return code
	}
	if err := x.check(document, update); err != nil {
		fmt.Fprintln(os.Stderr, "interop:", err)
		return 1
	}
	return 0
}

// Hold is what Main does after the tests, for a table that t alone fills.
func (x *Table) Hold(t testing.TB, document string, update bool) {
	t.Helper()
	x.print()
	if only := flag.Lookup("test.run"); t.Failed() || strings.Contains(only.Value.String(), "/") {
		return
	}
	if err := x.check(document, update); err != nil {
		t.Error(err)
	}
}

func (x *Table) print() { fmt.Printf("%s:\n\n%s\n", x.Name, x) }

// selected reports whether only some of the tests ran.
func selected() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if f := flag.Lookup(name); f != nil && f.Value.String() != "" {
			return true
		}
	}
	return false
}

func (x *Table) check(document string, update bool) error {
	if x.partial {
		return nil
	}
	table := x.String()
	for row, cells := range x.rows {
		for _, f := range x.columns() {
			if c := cells[f]; c == nil || !c.tried && c.reason == "" {
				return fmt.Errorf("nothing tries %s between %s and %s (%s), and nothing says why", f, row.Ours, row.Theirs, row.Spoken)
			}
		}
	}
	b, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(b), x.mark("begin"))
	_, after, ended := strings.Cut(rest, x.mark("end"))
	if !ok || !ended {
		return fmt.Errorf("%s has no place for this table: %s%s", document, x.mark("begin"), x.mark("end"))
	}
	want := before + x.mark("begin") + table + x.mark("end") + after
	switch {
	case want == string(b):
		return nil
	case update:
		return os.WriteFile(document, []byte(want), 0o644)
	default:
		return fmt.Errorf("%s says something else: run the tests with -update", document)
	}
}

func (x *Table) mark(which string) string { return "<!-- " + which + " " + x.Name + " -->\n" }

// String returns the table in Markdown: a check mark where a test passed, a
// cross where one failed, and the number of the reason below, if there is one.
func (x *Table) String() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	var out strings.Builder
	var reasons []string
	heads := x.Heads
	if heads == nil {
		heads = []string{"Ours", "Theirs", "Spoken"}
	}
	fmt.Fprintf(&out, "| %s |", strings.Join(heads, " | "))
	for _, f := range x.columns() {
		fmt.Fprintf(&out, " %s |", f)
	}
	out.WriteString("\n|---|---|---|" + strings.Repeat("---|", len(x.columns())) + "\n")
	for _, row := range x.sorted() {
		fmt.Fprintf(&out, "| %s | %s | %s |", row.Ours, row.Theirs, row.Spoken)
		for _, f := range x.columns() {
			word := ""
			word, reasons = x.rows[row][f].word(reasons)
			fmt.Fprintf(&out, " %s |", word)
		}
		out.WriteString("\n")
	}
	for i, reason := range reasons {
		fmt.Fprintf(&out, "\n%d. %s", i+1, reason)
	}
	if len(reasons) > 0 {
		out.WriteString("\n")
	}
	return out.String()
}

// word returns what stands in the cell, and the reasons with its own.
func (c *cell) word(reasons []string) (string, []string) {
	switch {
	case c == nil, !c.tried && c.reason == "":
		return "?", reasons
	case c.failed:
		return "✗", reasons
	case c.reason == "":
		return "✓", reasons
	}
	i := slices.Index(reasons, c.reason)
	if i < 0 {
		i, reasons = len(reasons), append(reasons, c.reason)
	}
	if c.tried {
		return fmt.Sprintf("✓ [%d]", i+1), reasons
	}
	return fmt.Sprintf("[%d]", i+1), reasons
}

func (x *Table) sorted() []Row {
	var rows []Row
	for row := range x.rows {
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(strings.Compare(a.Ours, b.Ours), strings.Compare(a.Theirs, b.Theirs), strings.Compare(b.Spoken, a.Spoken))
	})
	return rows
}
