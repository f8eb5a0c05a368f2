package wire

import (
	"bytes"
	"math"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"rialto/a2a"
)

// dataWriter writes a google.protobuf.Value as JSON while it reads it, so that data
// takes no more than its bytes, as it does where it comes in JSON. The members of
// an object are sorted, for peers send them in any order.
type dataWriter struct {
	out  []byte
	room int      // for out
	held []member // of the objects that are being written, the outer ones first
	err  error    // the first that went wrong
}

// member is a member of a google.protobuf.Struct; its value is a Value.
type member struct{ name, value []byte }

// maxHeld bounds the members of objects that lie in each other.
const maxHeld = 1 << 19

// data returns a sized, a google.protobuf.Value, as JSON.
func (f *fields) data() a2a.Data { return f.written((*dataWriter).value) }

// dataObject is data for a google.protobuf.Struct.
func (f *fields) dataObject() a2a.Data { return f.written((*dataWriter).object) }

func (f *fields) written(write func(w *dataWriter, b []byte, depth int)) a2a.Data {
	w := dataWriter{out: make([]byte, 0, len(f.bytes)), room: maxRoom}
	if f.room != nil {
		w.room = *f.room
	}
	write(&w, f.bytes, maxDepth)
	f.check(w.err)
	f.spend(len(w.out))
	return w.out
}

// value writes a Value. One that says nothing is null; of many the last counts.
func (w *dataWriter) value(b []byte, depth int) {
	var last fields
	f := fields{left: b}
	for f.next() {
		switch f.tag {
		case 1<<3 | varint, 2<<3 | fixed, 3<<3 | sized, 4<<3 | varint, 5<<3 | sized, 6<<3 | sized:
			last = f
		}
	}
	w.check(f.err)
	if depth == 0 {
		w.check(errTooDeep)
	}
	if w.err != nil {
		return
	}
	switch last.tag {
	case 2<<3 | fixed:
		w.number(math.Float64frombits(last.number))
	case 3<<3 | sized:
		w.text(last.bytes)
	case 4<<3 | varint:
		w.plain(strconv.FormatBool(last.flag()))
	case 5<<3 | sized:
		w.object(last.bytes, depth-1)
	case 6<<3 | sized:
		w.list(last.bytes, depth-1)
	default:
		w.plain("null")
	}
}

func (w *dataWriter) list(b []byte, depth int) {
	w.plain("[")
	f := fields{left: b}
	for more := false; w.err == nil && f.next(); {
		if f.tag != 1<<3|sized {
			continue
		}
		if more {
			w.plain(",")
		}
		more = true
		w.value(f.bytes, depth)
	}
	w.check(f.err)
	w.plain("]")
}

// object writes a Struct. Of members with one name the last counts.
func (w *dataWriter) object(b []byte, depth int) {
	first := len(w.held)
	w.hold(b)
	slices.SortStableFunc(w.held[first:], func(a, b member) int { return bytes.Compare(a.name, b.name) })
	w.plain("{")
	more := false
	for i, last := first, len(w.held); i < last && w.err == nil; i++ {
		m := w.held[i]
		if i+1 < last && bytes.Equal(m.name, w.held[i+1].name) {
			continue
		}
		if more {
			w.plain(",")
		}
		more = true
		w.text(m.name)
		w.plain(":")
		w.value(m.value, depth)
	}
	w.plain("}")
	w.held = w.held[:first]
}

// hold keeps the members of a Struct.
func (w *dataWriter) hold(b []byte) {
	f := fields{left: b}
	for w.err == nil && f.next() {
		if f.tag != 1<<3|sized {
			continue
		}
		var m member
		entry := fields{left: f.bytes}
		for entry.next() {
			switch entry.tag {
			case 1<<3 | sized:
				m.name = entry.bytes
			case 2<<3 | sized:
				m.value = entry.bytes
			}
		}
		w.check(entry.err)
		if w.held = append(w.held, m); len(w.held) > maxHeld {
			w.check(ErrTooMany)
		}
	}
	w.check(f.err)
}

func (w *dataWriter) number(n float64) {
	if math.IsNaN(n) || math.IsInf(n, 0) {
		w.check(errNoNumber)
		return
	}
	w.plain(jsontext.Float(n).String())
}

// text writes a string, for which it looks first how much room that may take.
func (w *dataWriter) text(b []byte) {
	const escaped = len(`\u0000`)
	size := len(`""`)
	for _, c := range b {
		switch {
		case c < ' ':
			size += escaped
		case c == '"', c == '\\':
			size += 2
		default:
			size++
		}
	}
	switch {
	case !utf8.Valid(b):
		w.check(errNotUTF8)
	case w.fits(size):
		out, err := jsontext.AppendQuote(slices.Grow(w.out, size), b)
		w.out = out
		w.check(err)
	}
}

func (w *dataWriter) plain(s string) {
	if w.fits(len(s)) {
		w.out = append(w.out, s...)
	}
}

func (w *dataWriter) fits(size int) bool {
	if len(w.out)+size > w.room {
		w.check(ErrTooMany)
	}
	return w.err == nil
}

// check keeps what went wrong.
func (w *dataWriter) check(err error) {
	if w.err == nil {
		w.err = err
	}
}
