package tableexpert

import (
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// emit hands over an artifact of text and data.
func emit(t *a2aexec.Turn, name, text string, data any) error {
	part, err := a2a.DataPart(data)
	if err != nil {
		return err
	}
	t.Artifact(a2a.Artifact{ID: name, Name: name, Parts: []a2a.Part{a2a.TextPart(text), part}})
	return nil
}

// finish emits an artifact and ends the turn.
func finish(t *a2aexec.Turn, name, text string, data any, said string) error {
	if err := emit(t, name, text, data); err != nil {
		return err
	}
	t.Complete(said)
	return nil
}

// markdown writes rows as a table that people and language models read.
func markdown(res *sqlbox.Result) string {
	if len(res.Columns) == 0 {
		return "(no columns)"
	}

	lines := [][]string{mapped(res.Columns, cell), slices.Repeat([]string{"---"}, len(res.Columns))}
	for _, row := range res.Rows {
		lines = append(lines, mapped(row, func(v any) string { return cell(formatValue(v)) }))
	}

	texts := mapped(
		lines, func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |" },
	)
	return strings.Join(texts, "\n")
}

var cellEscapes = strings.NewReplacer("|", `\|`, "\r\n", " ", "\n", " ", "\r", " ")

func cell(s string) string { return cellEscapes.Replace(sqlbox.Clip(s, 300)) }

// formatValue writes a value for people.
func formatValue(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case float64:
		return strconv.FormatFloat(v, 'g', 15, 64)
	case []byte:
		return blob(v)
	default:
		return fmt.Sprint(v)
	}
}

// encodable makes values fit for JSON, which has neither bytes nor infinity.
func encodable(rows [][]any) [][]any {
	for _, row := range rows {
		for i, v := range row {
			switch v := v.(type) {
			case []byte:
				row[i] = blob(v)
			case float64:
				if math.IsInf(v, 0) || math.IsNaN(v) {
					row[i] = formatValue(v)
				}
			}
		}
	}
	return rows
}

func blob(b []byte) string {
	if len(b) <= 32 {
		return "x'" + hex.EncodeToString(b) + "'"
	}
	return fmt.Sprintf("(%d bytes)", len(b))
}

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
