package jsonrpc

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Members iterates over the members of the JSON object v in their order: the name,
// without quotes and escapes, and the value, which is a part of v. Invalid JSON yields the
// members before the error; anything but an object yields none.
func Members(v json.RawMessage) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		d := jsontext.NewDecoder(bytes.NewBuffer(v), lenient)
		open, err := d.ReadToken()
		if err != nil || open.Kind() != '{' {
			return
		}
		for d.PeekKind() == '"' {
			name, err := d.ReadValue()
			if err != nil {
				return
			}
			value, err := d.ReadValue()
			if err != nil || !yield(unquoted(name), json.RawMessage(value)) {
				return
			}
		}
	}
}

// Text returns the value of v, and whether v is a JSON string. V belongs to a message
// that has been validated.
func Text(v json.RawMessage) (string, bool) {
	if len(v) < 2 || v[0] != '"' {
		return "", false
	}
	return string(unquoted(v)), true
}

// unquoted returns the value of a JSON string. Bytes that are not UTF-8 become
// U+FFFD, and so do unpaired surrogates.
func unquoted(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil // invalid JSON
	}
	if inner := quoted[1 : len(quoted)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return inner
	}
	b, _ := jsontext.AppendUnquote(nil, quoted) // the only error reports the replacement
	return b
}
