package wire

import (
	"encoding/json"
	"errors"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"rialto/a2a"
)

// maxDepth bounds how deep lists and objects may lie in each other.
const maxDepth = 1000

var (
	errTooDeep  = errors.New("lists and objects lie too deep in each other")
	errNoNumber = errors.New("a number that JSON does not have") // nor has a google.protobuf.Value
)

// object returns a sized, a google.protobuf.Struct, as a map.
func (f *fields) object() map[string]any {
	m, err := readStruct(f.inner(), maxDepth)
	f.check(err)
	return m
}

func readStruct(f fields, depth int) (map[string]any, error) {
	m := map[string]any{}
	f.spend(objectRoom)
	for f.next() {
		if f.tag == 1<<3|sized {
			f.check(readEntry(f.inner(), m, depth))
		}
	}
	return m, f.err
}

func readEntry(f fields, m map[string]any, depth int) error {
	var key string
	var value any
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			key = f.text()
		case 2<<3 | sized:
			v, err := readValue(f.inner(), depth)
			f.check(err)
			value = v
		}
	}
	m[key] = value
	return f.err
}

// readValue reads a google.protobuf.Value. One that says nothing is null.
func readValue(f fields, depth int) (v any, err error) {
	if depth == 0 {
		return nil, errTooDeep
	}
	for f.next() {
		switch f.tag {
		case 1<<3 | varint:
			v = nil
		case 2<<3 | fixed:
			n := math.Float64frombits(f.number)
			if math.IsNaN(n) || math.IsInf(n, 0) {
				f.check(errNoNumber)
			}
			v = n
		case 3<<3 | sized:
			v = f.text()
		case 4<<3 | varint:
			v = f.flag()
		case 5<<3 | sized:
			v, err = readStruct(f.inner(), depth-1)
			f.check(err)
		case 6<<3 | sized:
			v, err = readList(f.inner(), depth-1)
			f.check(err)
		}
	}
	return v, f.err
}

func readList(f fields, depth int) ([]any, error) {
	list := []any{}
	for f.next() {
		if f.tag == 1<<3|sized {
			v, err := readValue(f.inner(), depth)
			f.check(err)
			list = append(list, v)
		}
	}
	return list, f.err
}

// metadata writes m as a google.protobuf.Struct.
func (w *buffer) metadata(num protowire.Number, m a2a.Metadata) {
	if len(m) > 0 {
		w.object(num, m)
	}
}

func (w *buffer) object(num protowire.Number, m map[string]any) {
	object := w.begin(num)
	for k, v := range m {
		entry := w.begin(1)
		w.text(1, k)
		w.value(2, v)
		w.end(entry)
	}
	w.end(object)
}

// jsonObject writes what is an object in JSON as a google.protobuf.Struct.
func (w *buffer) jsonObject(num protowire.Number, object []byte) {
	var m map[string]any
	w.check(json.Unmarshal(object, &m))
	w.object(num, m)
}

// data writes what is JSON as a google.protobuf.Value. Nothing is null.
func (w *buffer) data(num protowire.Number, d []byte) {
	var v any
	if len(d) > 0 {
		w.check(json.Unmarshal(d, &v))
	}
	w.value(num, v)
}

// value writes v as a google.protobuf.Value. What is not as JSON is read becomes
// so before.
func (w *buffer) value(num protowire.Number, v any) {
	at := w.begin(num)
	switch v := v.(type) {
	case nil:
		w.int(1, 0)
	case float64:
		w.b = protowire.AppendFixed64(protowire.AppendTag(w.b, 2, protowire.Fixed64Type), math.Float64bits(v))
	case string:
		w.oneText(3, v)
	case bool:
		w.int(4, int(protowire.EncodeBool(v)))
	case map[string]any:
		w.object(5, v)
	case []any:
		list := w.begin(6)
		for _, one := range v {
			w.value(1, one)
		}
		w.end(list)
	default:
		w.b = w.b[:at-1-protowire.SizeTag(num)]
		b, err := json.Marshal(v)
		w.check(err)
		if err == nil {
			w.data(num, b)
		}
		return
	}
	w.end(at)
}
