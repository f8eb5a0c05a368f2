package term

import (
	"strings"
	"testing"
)

// tasks is a list with a long message.
func tasks() *Table {
	t := &Table{Head: []string{"ID", "AGENT", "CALLS", "MESSAGE"}, IDs: "ID"}
	t.Add("01a20000-0000", "claims", "7", strings.Repeat("word ", 30))
	t.Add("01a20000-0001", "front", "1200", "")
	return t
}

func TestATableFitsTheTerminal(t *testing.T) {
	got := tasks().text(Style{columns: 60})
	want := strings.Join([]string{
		"AGENT   CALLS  MESSAGE                         ID",
		"claims      7  word word word word word word…  01a20000-0000",
		"front    1200  -                               01a20000-0001",
		"",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	wide := tasks().text(Style{columns: 1000})
	if !strings.Contains(wide, strings.Repeat("word ", 29)) || strings.Contains(wide, "…") {
		t.Errorf("got\n%s\nwant the whole message", wide)
	}
}

// TestATableForProgramsIsWhole: scripts read the columns, in their order.
func TestATableForProgramsIsWhole(t *testing.T) {
	got := tasks().text(Style{})
	want := "ID             AGENT   CALLS  MESSAGE\n" +
		"01a20000-0000  claims  7      " + strings.Repeat("word ", 30) + "\n" +
		"01a20000-0001  front   1200   -\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestColumnsWithoutRoomAreNamed(t *testing.T) {
	table := &Table{Head: []string{"FIRST", "SECOND", "THIRD", "ID"}, IDs: "ID"}
	table.Add(strings.Repeat("a", 30), strings.Repeat("b", 30), strings.Repeat("c", 30), "1")
	got := table.text(Style{columns: 40})
	if strings.Contains(got, "ccc") || !strings.Contains(got, "Left out to fit: THIRD.") || !strings.Contains(got, "  ID\n") {
		t.Errorf("got\n%s", got)
	}
	table.Spare = []string{"FIRST"}
	if got := table.text(Style{columns: 40}); strings.Contains(got, "aaa") || !strings.Contains(got, "out to fit: FIRST.") {
		t.Errorf("got\n%s", got)
	}
	for line := range strings.Lines(got) {
		if width(strings.TrimSuffix(line, "\n")) > 40 && !strings.HasPrefix(line, "Left out") {
			t.Errorf("too wide: %s", line)
		}
	}
}

func TestMarkdownAtATerminal(t *testing.T) {
	text := strings.Join([]string{
		"## Claims of *March*",
		"There are **160**, see [the list](https://x.example/) and `snake_case`, 2 * 3 * 4.",
		"- first thing that is long enough to need more than one line here",
		"- [x] done",
		"- [ ] _open_",
		"> said",
		"---",
		"```go",
		"**not bold**",
		"```",
		"| cause | count |",
		"|---|---|",
		"| *fire* | 1,107 |",
		"| theft | 9 |",
	}, "\n")
	want := strings.Join([]string{
		"Claims of March",
		"There are 160, see the list",
		"(https://x.example/) and snake_case, 2 *",
		"3 * 4.",
		"• first thing that is long enough to",
		"  need more than one line here",
		"☑ done",
		"☐ open",
		"│ said",
		"────────",
		"  **not bold**",
		"cause  count",
		"fire   1,107",
		"theft      9",
		"",
	}, "\n")
	if got := (Style{columns: 40}).Markdown(text); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := (Style{}).Markdown("- *a* **b**\n```\nc\n```"); got != "- *a* b\n```\nc\n```\n" {
		t.Errorf("for programs: got %q", got)
	}
	if got := (Style{color: true, columns: 40}).Markdown("*a*"); got != "\x1b[3ma\x1b[0m\n" {
		t.Errorf("in color: got %q", got)
	}
}
