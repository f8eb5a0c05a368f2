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
	members, ok := object(raw)
	if !ok {
		return d
	}

	var columns []string
	if i := slices.IndexFunc(members, func(m member) bool { return m.name == "columns" }); i >= 0 {
		_ = json.Unmarshal(members[i].value, &columns) // other columns are no names
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

// fill shows an array of objects or, with columns, of arrays.
func fill(d *templates.DataTable, columns []string, raw json.RawMessage) bool {
	var rows []json.RawMessage
	if json.Unmarshal(raw, &rows) != nil || len(rows) == 0 {
		return false
	}

	var cells [][]string
	var numbers []bool
	names := slices.Clone(columns[:min(len(columns), maxColumns)])
	put := func(row []string, at int, value json.RawMessage) {
		text, _ := cell(value)
		row[at] = text
		for len(numbers) <= at {
			numbers = append(numbers, true)
		}
		numbers[at] = numbers[at] && (text == "" || number(value))
	}
	for _, r := range rows[:min(len(rows), maxRows)] {
		row := make([]string, maxColumns)
		var values []json.RawMessage
		if len(columns) > 0 && json.Unmarshal(r, &values) == nil {
			for i, v := range values[:min(len(values), len(names))] {
				put(row, i, v)
			}
		} else if members, ok := object(r); ok && len(members) > 0 {
			for _, m := range members {
				at := slices.Index(names, m.name)
				if at < 0 && len(names) < maxColumns {
					at = len(names)
					names = append(names, m.name)
				}
				if at >= 0 {
					put(row, at, m.value)
				}
			}
		} else {
			return false
		}
		cells = append(cells, row)
	}

	for i := range cells {
		cells[i] = cells[i][:len(names)]
	}

	for len(numbers) < len(names) {
		numbers = append(numbers, false)
	}

	d.Columns = names
	d.Rows = cells
	d.Numbers = numbers
	if more := len(rows) - maxRows; more > 0 {
		d.More = strconv.Itoa(more)
	}

	return true
}

// object returns the members of a JSON object in their order.
func object(raw json.RawMessage) (all []member, ok bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, false
	}

	for d.More() {
		name, err := d.Token()
		var m member
		if err != nil || d.Decode(&m.value) != nil {
			return nil, false
		}
		m.name, _ = name.(string)
		all = append(all, m)
	}

	return all, true
}

// cell returns a value as text, and whether it is neither an object nor an array.
func cell(raw json.RawMessage) (text string, scalar bool) {
	raw = bytes.TrimSpace(raw)
	switch {
	case len(raw) == 0 || bytes.Equal(raw, []byte("null")):
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

func number(raw json.RawMessage) bool {
	raw = bytes.TrimSpace(raw)
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}
