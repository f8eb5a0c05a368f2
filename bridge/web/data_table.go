package web

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"rialto/bridge/sanitize"
	"rialto/templates"
)

// How much of JSON is shown as tables; all of it is shown as JSON.
const (
	maxRows    = 1000
	maxColumns = 20
	maxCell    = 300 // bytes
)

// member is a member of a JSON object, in the order in which it came.
type member struct {
	name  string
	value json.RawMessage
}

// dataTable shows JSON as a list of names and values, and as a table: of an array of objects, or of
// an object with "columns" and "rows", or with a member that is an array of objects.
func dataTable(text string) *templates.DataTable {
	d := &templates.DataTable{JSON: text}
	raw := json.RawMessage(text)
	if fill(d, nil, raw) {
		return d
	}
	members := object(raw)
	var columns []string
	for _, m := range members {
		if m.name == "columns" {
			_ = json.Unmarshal(m.value, &columns) // other columns are no names
			break
		}
	}

	for _, m := range members {
		if value, scalar := cell(m.value); scalar && len(d.Pairs) < maxColumns {
			d.Pairs = append(d.Pairs, [2]string{m.name, value})
		} else if len(d.Rows) == 0 && (m.name != "columns" || len(columns) == 0) {
			fill(d, columns, m.value)
		}
	}

	return d
}

// fill makes d the table of an array of objects or, with columns, of arrays. If raw is neither, it
// returns false and leaves d as it is.
func fill(d *templates.DataTable, columns []string, raw json.RawMessage) bool {
	var rows []json.RawMessage
	if json.Unmarshal(raw, &rows) != nil || len(rows) == 0 {
		return false
	}

	table := *d
	table.Columns = slices.Clone(columns[:min(len(columns), maxColumns)])
	for _, r := range rows[:min(len(rows), maxRows)] {
		if !addRow(&table, len(columns) > 0, r) {
			return false
		}
	}

	for i, row := range table.Rows {
		table.Rows[i] = row[:len(table.Columns)]
	}
	for len(table.Numbers) < len(table.Columns) {
		table.Numbers = append(table.Numbers, false)
	}
	if more := len(rows) - maxRows; more > 0 {
		table.More = strconv.Itoa(more)
	}

	*d = table
	return true
}

// addRow adds a row to t: an array, if the columns were given, or an object, whose members may name
// further columns. It returns false for anything else.
func addRow(t *templates.DataTable, given bool, raw json.RawMessage) bool {
	row := make([]string, maxColumns) // fill cuts it when all columns are known
	t.Rows = append(t.Rows, row)
	var values []json.RawMessage
	if given && json.Unmarshal(raw, &values) == nil {
		for i, v := range values[:min(len(values), len(t.Columns))] {
			setCell(t, row, i, v)
		}
		return true
	}

	members := object(raw)
	for _, m := range members {
		at := slices.Index(t.Columns, m.name)
		if at < 0 && len(t.Columns) < maxColumns {
			at = len(t.Columns)
			t.Columns = append(t.Columns, m.name)
		}
		if at >= 0 {
			setCell(t, row, at, m.value)
		}
	}
	return len(members) > 0
}

// setCell puts a value into a row of t. A column holds numbers until it gets anything else but "".
func setCell(t *templates.DataTable, row []string, at int, value json.RawMessage) {
	row[at], _ = cell(value)
	for len(t.Numbers) <= at {
		t.Numbers = append(t.Numbers, true)
	}
	if row[at] != "" && !number(value) {
		t.Numbers[at] = false
	}
}

// object returns the members of a JSON object in their order, none if raw is anything else.
func object(raw json.RawMessage) (all []member) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil
	}

	for d.More() {
		name, err := d.Token()
		var m member
		if err != nil || d.Decode(&m.value) != nil {
			return nil
		}
		m.name, _ = name.(string)
		all = append(all, m)
	}

	return all
}

// cell returns a value as text, and whether it is neither an object nor an array.
func cell(raw json.RawMessage) (text string, scalar bool) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || string(raw) == "null":
		return "", true
	case raw[0] == '"':
		_ = json.Unmarshal(raw, &text) // it was read as JSON
		return sanitize.Truncate(sanitize.Text(text), maxCell), true
	}

	var flat bytes.Buffer
	if json.Compact(&flat, raw) != nil {
		return "", false
	}

	return sanitize.Truncate(flat.String(), maxCell), raw[0] != '{' && raw[0] != '['
}

// number reports whether a JSON value is a number.
func number(raw json.RawMessage) bool {
	return bytes.IndexAny(bytes.TrimSpace(raw), "-0123456789") == 0
}
