package bridge_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
)

// TestATextThatOnlyRepeatsItsDataIsLeftOut: a table beside its rows was in every result twice. A
// text that says anything else stays, and a person sees the table.
func TestATextThatOnlyRepeatsItsDataIsLeftOut(t *testing.T) {
	var table strings.Builder
	var rows [][]any
	for i := range 60 {
		rows = append(rows, []any{i, fmt.Sprintf("Año %d|\"x\"", i), nil, true})
		fmt.Fprintf(&table, "| %d | Año %d\\|\"x\" |  | true |\n", i, i)
	}
	data := map[string]any{"columns": []string{"n", "name", "none", "flag"}, "rows": rows}
	whole := "| n | name | none | flag |\n" + table.String()
	for name, c := range map[string]struct {
		text string
		data any
		left bool
	}{
		"a table of the rows":            {whole, data, true},
		"a table and a word more":        {whole + "\nprovisional", data, false},
		"a table in another order":       {table.String() + "\n| n | name | none | flag |", data, false},
		"a table of other rows":          {strings.ReplaceAll(whole, `Año 7\|`, `Año 8\|`), data, false},
		"a part of the rows":             {whole[:len(whole)/3], data, false},
		"a short text":                   {"| 1 | 2 |", [][]any{{1, 2}}, false},
		"a text without words":           {strings.Repeat("| --- ", 200), map[string]any{}, true},
		"a text of words that data have": {strings.Repeat("yes ", 200), map[string]any{"rows": [][]any{{"yes", "no"}}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
				part, err := a2a.DataPart(c.data)
				turn.Artifact(a2a.Artifact{ID: "r", Parts: []a2a.Part{a2a.TextPart(c.text), part}})
				turn.Complete("Done.")
				return err
			})
			r := newRig(t, "", map[string]peer{"one": agent})
			got := r.call("send_task", `{"message":"go"}`)
			parts, line := got.Artifacts[0].Parts, c.text[:6]
			if left := len(parts) == 1; left != c.left || parts[len(parts)-1].Kind != "data" || strings.Contains(got.Text, line) == left {
				t.Errorf("got %d parts and the content %.200s", len(parts), got.Text)
			}
			if doc := r.call("fetch", `{"id":"task:`+got.TaskID+`"}`); strings.Contains(doc.Text, line) == c.left {
				t.Errorf("fetch has %.200s", doc.Text)
			}
			page, err := r.Documents.TaskView(as(t.Context(), "alice"), r.Directory.Access(as(t.Context(), "alice")), got.TaskID)
			if err != nil || len(page.Pieces) < 2 || (page.Pieces[0].Duplicate() || page.Pieces[1].Duplicate()) != c.left {
				t.Errorf("a person sees %+v, %v", page.Pieces, err)
			}
		})
	}
}
