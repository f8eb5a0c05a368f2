package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"rialto/internal/jsonrpc"
)

// problem says in words that a model can act on what is wrong with the arguments
// of a tool. It returns "" if they are valid.
func (s *Schema) problem(tool string, args json.RawMessage) string {
	var f problems
	f.check(s, "", args)
	if len(f) == 0 {
		return ""
	}

	var b strings.Builder
	fmt.Fprintf(&b, "Invalid arguments for %s:\n", tool)
	for _, line := range f {
		b.WriteString("- " + line + "\n")
	}

	if len(s.names) == 0 && s.closed {
		fmt.Fprintf(&b, "%s takes no arguments: leave them out.", tool)
	} else {
		fmt.Fprintf(&b, "Valid arguments, for example: %s", s.corrected(args))
	}
	return b.String()
}

// Allows tells whether v is valid.
func (s *Schema) Allows(v json.RawMessage) bool {
	var f problems
	f.check(s, "", v)
	return len(f) == 0
}

// problems describes what is wrong with a value, one sentence each.
type problems []string

// maxProblems is more than a model needs to see before it tries again.
const maxProblems = 10

func (f *problems) add(format string, args ...any) {
	if len(*f) < maxProblems {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// check compares the value v at path with its schema.
func (f *problems) check(s *Schema, path string, v json.RawMessage) {
	if s == nil || len(*f) >= maxProblems {
		return
	}
	v = bytes.TrimSpace(v)
	if len(s.types) > 0 &&
		!slices.ContainsFunc(s.types, func(t string) bool { return isOf(v, t) }) {
		f.add("%s must be %s, not %s", name(path), alternatives(s.types), show(v))
		return
	}
	if len(s.enum) > 0 &&
		!slices.ContainsFunc(s.enum, func(e json.RawMessage) bool { return same(e, v) }) {
		f.add("%s must be one of %s, not %s", name(path), list(s.enum), show(v))
		return
	}
	switch v[0] {
	case '{':
		f.checkObject(s, path, v)
	case '[':
		f.checkArray(s, path, v)
	case '"':
		f.checkString(s, path, v)
	default:
		f.checkNumber(s, path, v)
	}
}

func (f *problems) checkObject(s *Schema, path string, v json.RawMessage) {
	if len(s.properties) == 0 && len(s.required) == 0 && !s.closed {
		return
	}
	members := map[string]json.RawMessage{} // a name cannot occur twice: jsonrpc refuses such messages
	for name, value := range jsonrpc.Members(v) {
		members[string(name)] = value
	}
	for _, want := range s.required {
		if members[want] == nil {
			f.add("%s is missing%s", name(join(path, want)), about(s.properties[want]))
		}
	}
	for _, known := range s.names {
		m := members[known]
		// Models write null for an argument that they leave out.
		if left := string(m) == "null" && !slices.Contains(s.required, known); m != nil && !left {
			f.check(s.properties[known], join(path, known), m)
		}
		delete(members, known)
	}

	if s.closed && len(members) > 0 {
		f.unknown(s, path, members)
	}
}

// unknown describes members that the schema does not name.
func (f *problems) unknown(s *Schema, path string, members map[string]json.RawMessage) {
	taken := "none are taken here"
	if len(s.names) > 0 {
		taken = "the names are " + strings.Join(s.names, ", ")
	}
	for _, m := range slices.Sorted(maps.Keys(members)) {
		f.add("%s is not known: %s", name(join(path, m)), taken)
	}
}

func (f *problems) checkArray(s *Schema, path string, v json.RawMessage) {
	if s.items == nil && s.minItems == nil && s.maxItems == nil {
		return
	}
	var items []json.RawMessage
	_ = json.Unmarshal(v, &items) // the message is valid JSON and v begins with [
	f.bound(path, "items", len(items), s.minItems, s.maxItems)
	for i, item := range items {
		f.check(s.items, path+"["+strconv.Itoa(i)+"]", item)
	}
}

func (f *problems) checkString(s *Schema, path string, v json.RawMessage) {
	if s.minLength == nil && s.maxLength == nil {
		return
	}
	text, _ := jsonrpc.Text(v)
	f.bound(path, "characters", utf8.RuneCountInString(text), s.minLength, s.maxLength)
}

func (f *problems) bound(path, what string, n int, least, most *int) {
	switch {
	case least != nil && n < *least && n == 0:
		f.add("%s must not be empty", name(path))
	case least != nil && n < *least:
		f.add("%s must have at least %d %s, and has %d", name(path), *least, what, n)
	case most != nil && n > *most:
		f.add("%s may have at most %d %s, and has %d", name(path), *most, what, n)
	}
}

func (f *problems) checkNumber(s *Schema, path string, v json.RawMessage) {
	if kindOf(v[0]) != "number" {
		return
	}

	n, _ := strconv.ParseFloat(
		string(v), 64,
	) // a number that is too large becomes infinite, and compares
	switch {
	case s.minimum != nil && n < *s.minimum:
		f.add("%s must be at least %v, and is %s", name(path), *s.minimum, shorten(string(v)))
	case s.maximum != nil && n > *s.maximum:
		f.add("%s may be at most %v, and is %s", name(path), *s.maximum, shorten(string(v)))
	}
}

// isOf tells whether v is of the JSON Schema type t. The first byte tells, except
// for an integer: 1.0 is one too.
func isOf(v json.RawMessage, t string) bool {
	if len(v) == 0 {
		return false
	}

	switch kind := kindOf(v[0]); {
	case t != "integer":
		return kind == t
	case kind != "number":
		return false
	case !bytes.ContainsAny(v, ".eE"):
		return true
	}

	n, err := strconv.ParseFloat(string(v), 64)
	return err == nil && n == math.Trunc(n)
}

func kindOf(first byte) string {
	switch first {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case 't', 'f':
		return "boolean"
	case 'n':
		return "null"
	}
	return "number"
}

// same tells whether two values are equal. Enumerations hold strings and integers,
// which have one spelling except for escapes.
func same(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var s, t string
	return json.Unmarshal(a, &s) == nil && json.Unmarshal(b, &t) == nil && s == t
}
