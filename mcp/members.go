package mcp

import (
	"bytes"
	"encoding/json"
)

// member is one member of a JSON object.
type member struct {
	name  []byte // without quotes and escapes
	value json.RawMessage
}

// membersOf returns the members of v, a JSON object that is known to be one and
// valid, in their order. It does no more than to find where they begin and end:
// arguments have been validated with the message, and nothing is copied.
func membersOf(v json.RawMessage) []member {
	members := make([]member, 0, 4)
	for i := skipSpace(v, 1); i < len(v) && v[i] == '"'; i = skipSpace(v, i) {
		end := endOfString(v, i)
		name := unquoted(v[i:end])
		i = skipSpace(v, skipSpace(v, end)+1) // behind the colon
		if i >= len(v) {
			break // it is not valid after all
		}
		end = endOfValue(v, i)
		members = append(members, member{name, bytes.TrimRight(v[i:end], " \t\r\n")})
		i = min(end+1, len(v)) // behind the comma, or the brace
	}
	return members
}

// find returns the value of the member, nil if there is none. Messages in which
// a name occurs twice have been refused.
func find(members []member, name string) json.RawMessage {
	for _, m := range members {
		if string(m.name) == name {
			return m.value
		}
	}
	return nil
}

func skipSpace(v []byte, i int) int {
	for i < len(v) && (v[i] == ' ' || v[i] == '\t' || v[i] == '\n' || v[i] == '\r') {
		i++
	}
	return i
}

// endOfString returns the index behind the string that begins at i.
func endOfString(v []byte, i int) int {
	for i++; i < len(v) && v[i] != '"'; i++ {
		if v[i] == '\\' {
			i++
		}
	}
	return min(i+1, len(v))
}

// endOfValue returns the index of the comma or the bracket that ends the value
// at i.
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
			if depth--; depth < 0 {
				return i
			}
		}
	}
	return i
}

// unquoted returns what a JSON string says.
func unquoted(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil // it is not valid after all
	}
	if !bytes.ContainsRune(quoted, '\\') {
		return quoted[1 : len(quoted)-1]
	}
	var s string
	_ = json.Unmarshal(quoted, &s) // it is a valid string
	return []byte(s)
}
