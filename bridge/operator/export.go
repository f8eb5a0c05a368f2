package operator

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"rialto/internal/audit"
	"rialto/internal/usage"
)

// Format is what an export is written in.
type Format string

// The formats.
const (
	CSV  Format = "csv"
	JSON Format = "json" // an array, one object to a line
	OCSF Format = "ocsf" // of the audit log alone: one object to a line (audit.Event.OCSF)
)

// MediaType returns the Content-Type of a format.
func (f Format) MediaType() string {
	if f == CSV {
		return "text/csv; charset=utf-8"
	}
	return "application/json"
}

// SetHeader sets the headers of an answer that is a file of this format.
func (f Format) SetHeader(h http.Header, name string) {
	h.Set("Content-Type", f.MediaType())
	h.Set("Content-Disposition", `attachment; filename="`+name+"."+string(f)+`"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// WriteCalls writes calls as they are read. It holds one of them in memory.
func WriteCalls(w io.Writer, f Format, calls iter.Seq2[usage.Record, error]) error {
	return export(
		w,
		f,
		Columns[usage.Record](),
		calls,
	)
}

// WriteSums writes sums. by names the first column.
func WriteSums(w io.Writer, f Format, by usage.By, sums []usage.Sum) error {
	head := Columns[usage.Sum]()
	head[0] = cmp.Or(string(by), "all")
	return export(
		w,
		f,
		head,
		all(sums),
	)
}

// WriteBill writes the lines of a bill.
func WriteBill(w io.Writer, f Format, lines []BillLine) error {
	return export(
		w,
		f,
		Columns[BillLine](),
		all(lines),
	)
}

// WriteEvents writes events of the audit log as they are read.
func WriteEvents(w io.Writer, f Format, events iter.Seq2[audit.Event, error]) error {
	if f == OCSF {
		return writeOCSF(w, events)
	}

	return export(
		w,
		f,
		Columns[audit.Event](),
		events,
	)
}

func writeOCSF(w io.Writer, events iter.Seq2[audit.Event, error]) error {
	out := json.NewEncoder(w)
	for e, err := range events {
		if err != nil {
			return err
		}
		if err := out.Encode(e.OCSF()); err != nil {
			return err
		}
	}

	return nil
}

func all[T any](rows []T) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for _, r := range rows {
			if !yield(r, nil) {
				return
			}
		}
	}
}

func formatTime(t time.Time) string {
	return t.UTC().Format("2006-01-02T15:04:05.000Z")
}

// Columns returns the names of the members of T in JSON, which are the columns of a table.
func Columns[T any]() (names []string) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[T]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "-" {
			names = append(names, name)
		}
	}
	return names
}

// Cells returns the members of a row in JSON as text. One that JSON omits is empty.
func Cells(row any) (cells []string) {
	members := reflect.ValueOf(row)
	for i := range members.NumField() {
		tag := members.Type().Field(i).Tag.Get("json")
		value := members.Field(i)
		cell := fmt.Sprint(value)
		switch v := value.Interface().(type) {
		case time.Time:
			cell = formatTime(v)
		case float64:
			cell = strconv.FormatFloat(v, 'f', 1, 64)
		}
		if value.IsZero() && strings.Contains(tag, ",omit") {
			cell = ""
		}
		if tag != "-" {
			cells = append(cells, cell)
		}
	}

	return cells
}

// export writes rows as they are read. After an error a CSV file ends early, and JSON
// without its bracket. After ErrTooMany, a last row has the cursor of the rest.
func export[T any](
	w io.Writer,
	f Format,
	head []string,
	rows iter.Seq2[T, error],
) error {
	buffered := bufio.NewWriterSize(w, 32<<10)
	var err error
	switch f {
	case CSV:
		err = exportCSV(buffered, head, rows)
	case JSON:
		err = exportJSON(buffered, rows)
	default:
		return errFormat.with(string(f))
	}

	if err != nil {
		return err
	}

	return buffered.Flush()
}

// truncated is the first cell of the last row of a CSV file that does not have all
// rows; the second cell is the cursor of the rest.
const truncated = "truncated"

// truncatedRow is that row in JSON.
type truncatedRow struct {
	Truncated bool   `json:"truncated"`
	Next      string `json:"next_page_token"`
}

func exportCSV[T any](
	w io.Writer,
	head []string,
	rows iter.Seq2[T, error],
) error {
	out := csv.NewWriter(w)
	if err := out.Write(head); err != nil {
		return err
	}

	for row, err := range rows {
		if more, ok := errors.AsType[ErrTooMany](err); ok {
			if err := out.Write(
				append([]string{truncated, more.Cursor}, make([]string, len(head)-2)...),
			); err != nil {
				return err
			}
			break
		}
		if err != nil {
			return err
		}
		line := Cells(row)
		for i, cell := range line {
			line[i] = escapeFormula(cell)
		}
		if err := out.Write(line); err != nil {
			return err
		}
	}

	out.Flush()
	return out.Error()
}

// hiddenFormula matches the start of a formula after a semicolon or tab, where a spreadsheet
// that separates cells by these starts a new cell, whatever is quoted.
var hiddenFormula = regexp.MustCompile(`([;\t\r\n][\s"]*)([=+\-@＝＋－＠])`)

// noFormula matches numbers, and IDs that begin with a minus: a formula of nothing else calls nothing.
var noFormula = regexp.MustCompile(`^-[0-9A-Za-z_.-]*$`)

// escapeFormula escapes a cell that a spreadsheet would take for a formula: clients and
// agents choose their names (OWASP, "CSV Injection").
func escapeFormula(cell string) string {
	if noFormula.MatchString(cell) {
		return cell
	}
	cell = hiddenFormula.ReplaceAllString(cell, "$1'$2")
	if strings.IndexAny(cell, "=+-@\t\r\n＝＋－＠") == 0 {
		return "'" + cell
	}
	return cell
}

func exportJSON[T any](w io.Writer, rows iter.Seq2[T, error]) error {
	before := "["
	for row, err := range rows {
		var line any = row
		if more, ok := errors.AsType[ErrTooMany](err); ok {
			line = truncatedRow{true, more.Cursor}
			err = nil
		}
		if err != nil {
			return err
		}
		b, err := json.Marshal(line)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, before+"\n"+string(b)); err != nil {
			return err
		}
		before = ","
	}

	end := "\n]\n"
	if before == "[" {
		end = "[]\n"
	}

	_, err := io.WriteString(w, end)
	return err
}
