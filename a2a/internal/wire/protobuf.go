package wire

import (
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"
)

// The types of fields, which stand behind their numbers in tags. A field whose
// type is another than its number promises is unknown, and passed over.
const (
	varint = int(protowire.VarintType)
	fixed  = int(protowire.Fixed64Type)
	sized  = int(protowire.BytesType)
)

var (
	errNotProtobuf = errors.New("not a message of protocol buffers")
	errNotUTF8     = errors.New("a text is not in UTF-8")
)

// fields reads the fields of a message of protocol buffers, one after the other.
// It is for the caller to look at err in the end.
type fields struct {
	left   []byte
	tag    int    // number and type: 3<<3 | sized
	number uint64 // the value of a varint, or of a fixed
	bytes  []byte // the value of a sized; it is part of the message
	room   *int   // for what is read, as maxRoom says; nil if there is enough
	err    error
}

// newFields returns the fields of a whole message.
func newFields(b []byte) fields {
	const shortest = 2 // a field that is empty
	f := fields{left: b}
	if len(b)/shortest*(objectRoom+valueRoom) > maxRoom {
		room := maxRoom
		f.room = &room
	}
	return f
}

// inner returns the fields of a sized that is a message.
func (f *fields) inner() fields { return fields{left: f.bytes, room: f.room} }

// spend takes from the room that there is.
func (f *fields) spend(n int) {
	if f.room == nil {
		return
	}
	if *f.room -= n; *f.room < 0 {
		f.check(ErrTooMany)
	}
}

// next goes to the next field. It reports whether there is one.
func (f *fields) next() bool {
	if len(f.left) == 0 || f.err != nil {
		return false
	}
	num, typ, n := protowire.Number(f.left[0]>>3), protowire.Type(f.left[0]&7), 1
	if num == 0 || f.left[0] >= 1<<7 { // a tag of one byte is the common case
		num, typ, n = protowire.ConsumeTag(f.left)
	}
	if n < 0 {
		f.err = errNotProtobuf
		return false
	}
	f.left, f.tag = f.left[n:], int(num)<<3|int(typ)
	if f.room != nil {
		f.spend(valueRoom)
	}
	switch typ {
	case protowire.VarintType:
		f.number, n = protowire.ConsumeVarint(f.left)
	case protowire.Fixed64Type:
		f.number, n = protowire.ConsumeFixed64(f.left)
	case protowire.BytesType:
		if len(f.left) > 0 && f.left[0] < 1<<7 && int(f.left[0]) < len(f.left) { // and so is a size
			n = 1 + int(f.left[0])
			f.bytes = f.left[1:n]
		} else {
			f.bytes, n = protowire.ConsumeBytes(f.left)
		}
	default:
		n = protowire.ConsumeFieldValue(num, typ, f.left)
	}
	if n < 0 {
		f.err = errNotProtobuf
		return false
	}
	f.left = f.left[n:]
	return true
}

// check keeps what went wrong inside of a field.
func (f *fields) check(err error) {
	if f.err == nil {
		f.err = err
	}
}

// text returns a sized as a string.
func (f *fields) text() string {
	if !utf8.Valid(f.bytes) {
		f.check(errNotUTF8)
	}
	return string(f.bytes)
}

// flag returns a varint as a bool, int as a number of 32 bits.
func (f *fields) flag() bool { return f.number != 0 }
func (f *fields) int() int   { return int(int32(f.number)) }

// time returns a sized, a google.protobuf.Timestamp, as a time. One that is none
// is left out, for nobody should lose a task over it.
func (f *fields) time() time.Time {
	var seconds, nanos int64
	in := f.inner()
	for in.next() {
		switch in.tag {
		case 1<<3 | varint:
			seconds = int64(in.number)
		case 2<<3 | varint:
			nanos = int64(int32(in.number))
		}
	}
	f.check(in.err)
	if seconds < firstSecond || seconds > lastSecond || nanos < 0 || nanos >= int64(time.Second) {
		return time.Time{}
	}
	return time.Unix(seconds, nanos).UTC()
}

// The seconds that a google.protobuf.Timestamp may say: from the year 1 to the
// year 9999.
const (
	firstSecond = -62135596800
	lastSecond  = 253402300799
)

// buffer is a message of protocol buffers that is being written. Fields that are
// empty are left out, as proto3 has it.
type buffer struct {
	b   []byte
	err error // the first that went wrong
}

// text writes a string. What is not UTF-8 in it is replaced: a message that
// holds it cannot be read.
func (w *buffer) text(num protowire.Number, s string) {
	if s != "" {
		w.oneText(num, s)
	}
}

// oneText writes a string even if it is empty: one of a list, or of a oneof.
func (w *buffer) oneText(num protowire.Number, s string) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	w.b = protowire.AppendString(protowire.AppendTag(w.b, num, protowire.BytesType), s)
}

func (w *buffer) raw(num protowire.Number, b []byte) {
	w.b = protowire.AppendBytes(protowire.AppendTag(w.b, num, protowire.BytesType), b)
}

func (w *buffer) texts(num protowire.Number, all []string) {
	for _, s := range all {
		w.oneText(num, s)
	}
}

func (w *buffer) flag(num protowire.Number, v bool) {
	if v {
		w.int(num, 1)
	}
}

// int writes a number, 0 too. optional leaves out what is nil.
func (w *buffer) int(num protowire.Number, v int) {
	w.b = protowire.AppendVarint(protowire.AppendTag(w.b, num, protowire.VarintType), uint64(v))
}

func (w *buffer) optional(num protowire.Number, v *int) {
	if v != nil {
		w.int(num, *v)
	}
}

// time writes t in milliseconds, as formatTime does.
func (w *buffer) time(num protowire.Number, t time.Time) {
	if t.IsZero() {
		return
	}
	at := w.begin(num)
	if s := t.Unix(); s != 0 {
		w.int(1, int(s))
	}
	if ms := t.Nanosecond() / int(time.Millisecond); ms != 0 {
		w.int(2, ms*int(time.Millisecond))
	}
	w.end(at)
}

// begin begins a message inside of the message. What is written until end is
// called with what begin returned belongs to it.
func (w *buffer) begin(num protowire.Number) (at int) {
	w.b = append(protowire.AppendTag(w.b, num, protowire.BytesType), 0)
	return len(w.b)
}

func (w *buffer) end(at int) {
	size := uint64(len(w.b) - at)
	if more := protowire.SizeVarint(size) - 1; more > 0 { // than the one byte that was left for it
		w.b = append(w.b, make([]byte, more)...)
		copy(w.b[at+more:], w.b[at:])
	}
	protowire.AppendVarint(w.b[:at-1], size)
}

// check keeps what went wrong.
func (w *buffer) check(err error) {
	if w.err == nil {
		w.err = err
	}
}
