package tableexpert

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"unicode/utf8"
)

// What a CSV file may be.
const (
	maxCSVColumns = 300
	maxCSVRows    = 5_000_000
	maxCell       = 200 << 10 // below what sqlbox reads back
	maxDetect     = 64 << 10  // bytes that the delimiter is found in
)

// csvFile is a file with a header row, read as often as needed.
type csvFile struct {
	dir    fs.FS
	name   string
	comma  rune
	header []string
}

// newCSV looks at the beginning of a file.
func newCSV(dir fs.FS, name string) (*csvFile, error) {
	f := &csvFile{dir: dir, name: name}
	r, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	head, err := io.ReadAll(io.LimitReader(r, maxDetect))
	if err != nil {
		return nil, f.fault(err)
	}
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		return nil, fmt.Errorf("%s: is in UTF-16; save it as UTF-8", name)
	}

	f.comma = detectDelimiter(head)
	err = f.each(func(record []string) error {
		f.header = slices.Clone(record)
		return io.EOF
	})
	switch {
	case err != nil:
		return nil, err
	case len(f.header) == 0:
		return nil, fmt.Errorf("%s: is empty; the first line must name the columns", name)
	case len(f.header) > maxCSVColumns:
		return nil, fmt.Errorf(
			"%s: line 1: %d columns; at most %d are read",
			name,
			len(f.header),
			maxCSVColumns,
		)
	}

	return f, nil
}

// detectDelimiter finds the delimiter: the one that divides the most of the first lines
// into as many fields as the header has. If several do, it takes the one with the most
// fields. A file with one column has none, and any delimiter works.
func detectDelimiter(head []byte) rune {
	if i := bytes.LastIndexByte(head, '\n'); i > 0 && len(head) >= maxDetect {
		head = head[:i+1] // the last line may be cut
	}

	best := ','
	bestScore := 0
	for _, comma := range ",;\t|" {
		if score := delimiterScore(head, comma); score > bestScore {
			best = comma
			bestScore = score
		}
	}

	return best
}

// delimiterScore scores a delimiter.
func delimiterScore(head []byte, comma rune) int {
	r := csv.NewReader(bytes.NewReader(trimBOM(head)))
	r.Comma = comma
	r.FieldsPerRecord = -1
	r.ReuseRecord = true
	fields := 0
	same := 0
	all := 0
	for ; all < 50; all++ {
		record, err := r.Read()
		if err != nil {
			break
		}
		if all == 0 {
			fields = len(record)
		}
		if len(record) == fields {
			same++
		}
	}
	if fields < 2 {
		return 0
	}

	return same*1000/all*1000 + min(fields, 999)
}

func trimBOM(b []byte) []byte { return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")) }

// rows calls do for each row after the header. The row is only valid during
// the call.
func (f *csvFile) rows(do func(row []string) error) error {
	n := 0
	return f.each(func(record []string) error {
		n++
		switch {
		case n == 1:
			return nil
		case n > maxCSVRows:
			return fmt.Errorf("%s: has more than %d rows", f.name, maxCSVRows)
		}
		return do(record)
	})
}

// each calls do for each record until it returns an error; io.EOF ends the
// reading without one. The record is only valid during the call.
func (f *csvFile) each(do func(record []string) error) error {
	file, err := f.dir.Open(f.name)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, 64<<10)
	if b, _ := in.Peek(3); len(trimBOM(b)) < len(b) {
		in.Discard(3)
	}

	r := csv.NewReader(in)
	r.Comma = f.comma
	r.ReuseRecord = true
	for {
		record, err := r.Read()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return f.fault(err)
		}
		line, _ := r.FieldPos(0)
		if err := f.checkRecord(line, record); err != nil {
			return err
		}
		err = do(record)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (f *csvFile) checkRecord(line int, record []string) error {
	for i, cell := range record {
		fault := ""
		switch {
		case len(cell) > maxCell:
			fault = fmt.Sprintf(
				"is longer than %d KiB; is a quotation mark not closed?", maxCell>>10,
			)
		case !utf8.ValidString(cell):
			fault = "is not UTF-8; save the file as UTF-8"
		case strings.IndexByte(cell, 0) >= 0:
			fault = "contains a NUL character; is this a text file?"
		default:
			continue
		}
		return fmt.Errorf("%s: line %d: field %d %s", f.name, line, i+1, fault)
	}
	return nil
}

// fault says which line is wrong, and what to do about it.
func (f *csvFile) fault(err error) error {
	var p *csv.ParseError
	switch {
	case !errors.As(err, &p):
		return fmt.Errorf("%s: %w", f.name, err)
	case errors.Is(p.Err, csv.ErrFieldCount):
		return fmt.Errorf(
			"%s: line %d: has another number of fields than the header, which has %d (delimiter %q)",
			f.name,
			p.Line,
			max(len(f.header), 1),
			f.comma,
		)
	default:
		return fmt.Errorf("%s: line %d: %w", f.name, p.StartLine, p.Err)
	}
}
