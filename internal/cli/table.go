package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"text/tabwriter"

	"rialto/bridge/sanitize"
)

// table is a list for people: headings, and rows in columns.
type table struct {
	head []string
	rows [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// write prints the table. An empty cell is printed as a dash, so that each line has the
// same number of columns.
func (t *table) write(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for i, row := range append([][]string{t.head}, t.rows...) {
		for j, cell := range row {
			if i > 0 && cell == "" {
				row[j] = "-"
			}
		}
		if _, err := io.WriteString(w, strings.Join(row, "\t")+"\n"); err != nil {
			return err
		}
	}
	return w.Flush()
}

// details prints the properties of one thing, a line each, without empty ones.
func details(out io.Writer, lines [][2]string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, line := range lines {
		if line[1] == "" {
			continue
		}
		if _, err := io.WriteString(w, line[0]+"\t"+line[1]+"\n"); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeJSON prints JSON without control characters, which agents could use to steer a terminal.
func writeJSON(out io.Writer, v any) error {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return err
	}
	_, err := out.Write(sanitize.JSON(b.Bytes()))
	return err
}
