package jsonrpc

import (
	"bytes"
	"encoding/json"
	"iter"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// Members iterates over the members of the JSON object v in their order: the name,
// without quotes and escapes, and the value. It copies nothing, and only looks for where
// members begin and end, because Decode has validated the message. Invalid JSON yields
// arbitrary members; anything but an object yields none.
func Members(v json.RawMessage) iter.Seq2[[]byte, json.RawMessage] {
	return func(yield func([]byte, json.RawMessage) bool) {
		i := skipSpace(v, 0)
		if i >= len(v) || v[i] != '{' {
			return
		}
		for i = skipSpace(v, i+1); i < len(v) && v[i] == '"'; i = skipSpace(v, i) {
			end := endOfString(v, i)
			name := v[i:end]
			i = skipSpace(v, skipSpace(v, end)+1) // after the colon
			if i >= len(v) {
				return // invalid JSON
			}
			end = endOfValue(v, i)
			if !yield(unquoted(name), bytes.TrimSpace(v[i:end])) {
				return
			}
			i = min(end+1, len(v)) // after the comma, or the brace
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

func skipSpace(v []byte, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\t' || v[i] == '\n' || v[i] == '\r') {
		i++
	}
	return i
}

// endOfString returns the index after the string that begins at i: after the first quote
// with an even number of backslashes before it.
func endOfString(v []byte, i int) int {
	for i++; i < len(v); {
		n := bytes.IndexByte(v[i:], '"')
		if n < 0 {
			break
		}
		i += n + 1
		slashes := 0
		for v[i-2-slashes] == '\\' {
			slashes++
		}
		if slashes%2 == 0 {
			return i
		}
	}
	return len(v)
}

// endOfValue returns the index of the comma or the bracket that ends the value at i.
func endOfValue(v []byte, i int) int {
	for depth := 0; i < len(v); i++ {
		switch v[i] {
		case '"':
			i = endOfString(v, i) - 1
		case '{', '[':
			depth++
		case ',':
			if depth == 0 {
				return i
			}
		case '}', ']':
			depth--
			if depth < 0 {
				return i
			}
		}
	}
	return i
}

// Array returns the array of the items.
func Array(items []json.RawMessage) json.RawMessage {
	b := []byte{'['}
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, item...)
	}

	return append(b, ']')
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
