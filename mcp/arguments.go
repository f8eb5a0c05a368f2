package mcp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"rialto/internal/jsonrpc"
)

// problem returns in words that a model can act on what is wrong with the
// arguments of a tool, "" if nothing is.
func (s *schema) problem(tool string, args json.RawMessage) string {
	var f findings
	f.check(s, "", args)
	if len(f) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "The arguments of %s are not right:\n", tool)
	for _, line := range f {
		b.WriteString("- " + line + "\n")
	}
	fmt.Fprintf(&b, "Arguments that would be: %s", s.example(maxSchemaDepth))
	return b.String()
}

// findings are the faults found in arguments, a sentence each.
type findings []string

// mostFindings is more than a model needs to see before it tries again.
const mostFindings = 10

func (f *findings) add(format string, args ...any) {
	if len(*f) < mostFindings {
		*f = append(*f, fmt.Sprintf(format, args...))
	}
}

// check compares v, which the arguments have at path, with its schema.
func (f *findings) check(s *schema, path string, v json.RawMessage) {
	if s == nil || len(*f) >= mostFindings {
		return
	}
	v = bytes.TrimSpace(v)
	if len(s.types) > 0 && !slices.ContainsFunc(s.types, func(t string) bool { return isOf(v, t) }) {
		f.add("%s must be %s, not %s", name(path), alternatives(s.types), show(v))
		return
	}
	if len(s.enum) > 0 && !slices.ContainsFunc(s.enum, func(e json.RawMessage) bool { return same(e, v) }) {
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

func (f *findings) checkObject(s *schema, path string, v json.RawMessage) {
	if len(s.properties) == 0 && len(s.required) == 0 && !s.closed {
		return
	}
	var few [8]member
	members := membersOf(few[:0], v)
	for _, want := range s.required {
		if find(members, want) == nil {
			f.add("%s is missing%s", name(join(path, want)), about(s.properties[want]))
		}
	}
	for _, known := range s.names {
		m := find(members, known)
		// Models write null for what they leave out, and so it is read.
		if left := string(m) == "null" && !slices.Contains(s.required, known); m != nil && !left {
			f.check(s.properties[known], join(path, known), m)
		}
	}
	if s.closed {
		f.unknown(s, path, members)
	}
}

// unknown finds the members that the schema does not have.
func (f *findings) unknown(s *schema, path string, members []member) {
	var rest []string
	for _, m := range members {
		if _, known := s.properties[string(m.name)]; !known {
			rest = append(rest, string(m.name))
		}
	}
	slices.Sort(rest)
	for _, m := range rest {
		if len(s.names) == 0 {
			f.add("%s is not known: none are taken here", name(join(path, m)))
			continue
		}
		f.add("%s is not known: the names are %s", name(join(path, m)), strings.Join(s.names, ", "))
	}
}

func (f *findings) checkArray(s *schema, path string, v json.RawMessage) {
	if s.items == nil && s.minItems == nil && s.maxItems == nil {
		return
	}
	var items []json.RawMessage
	_ = json.Unmarshal(v, &items) // it is an array, by its first byte and the decoder's word
	f.bound(path, "items", len(items), s.minItems, s.maxItems)
	for i, item := range items {
		f.check(s.items, path+"["+strconv.Itoa(i)+"]", item)
	}
}

func (f *findings) checkString(s *schema, path string, v json.RawMessage) {
	if s.minLength == nil && s.maxLength == nil {
		return
	}
	text, _ := jsonrpc.Text(v)
	f.bound(path, "characters", utf8.RuneCountInString(text), s.minLength, s.maxLength)
}

func (f *findings) bound(path, what string, n int, least, most *int) {
	switch {
	case least != nil && n < *least && n == 0:
		f.add("%s must not be empty", name(path))
	case least != nil && n < *least:
		f.add("%s must have at least %d %s, and has %d", name(path), *least, what, n)
	case most != nil && n > *most:
		f.add("%s may have at most %d %s, and has %d", name(path), *most, what, n)
	}
}

func (f *findings) checkNumber(s *schema, path string, v json.RawMessage) {
	if s.minimum == nil && s.maximum == nil || kindOf(v[0]) != "number" {
		return
	}
	n, _ := strconv.ParseFloat(string(v), 64) // one that is too large is infinite, and compares
	switch {
	case s.minimum != nil && n < *s.minimum:
		f.add("%s must be at least %v, and is %s", name(path), *s.minimum, clip(string(v)))
	case s.maximum != nil && n > *s.maximum:
		f.add("%s may be at most %v, and is %s", name(path), *s.maximum, clip(string(v)))
	}
}

// isOf tells whether v is of the JSON Schema type t, which its first byte
// shows, except that 1.0 is an integer too.
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

// same tells whether two values are one. Enumerations hold strings and whole
// numbers, which have one spelling but for escapes.
func same(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var s, t string
	return json.Unmarshal(a, &s) == nil && json.Unmarshal(b, &t) == nil && s == t
}

func name(path string) string {
	if path == "" {
		return "the arguments"
	}
	return strconv.Quote(clip(path))
}

func join(path, member string) string {
	if path == "" {
		return member
	}
	return path + "." + member
}

// alternatives puts types into words.
func alternatives(types []string) string {
	words := make([]string, len(types))
	for i, t := range types {
		words[i] = article(t)
	}
	return strings.Join(words, " or ")
}

func article(t string) string {
	switch t {
	case "null":
		return t
	case "object", "array", "integer":
		return "an " + t
	}
	return "a " + t
}

// show returns a value as far as it helps to recognize it.
func show(v json.RawMessage) string {
	kind := kindOf(v[0])
	if kind == "object" || kind == "array" || kind == "null" || len(v) > 40 {
		return article(kind)
	}
	return article(kind) + " (" + string(v) + ")"
}

// list shows the values of an enumeration.
func list(values []json.RawMessage) string {
	const most = 20
	words := make([]string, 0, most)
	for _, v := range values[:min(len(values), most)] {
		words = append(words, string(v))
	}
	if len(values) > most {
		words = append(words, "...")
	}
	return strings.Join(words, ", ")
}

// about tells what a missing argument is: its type, and its description's
// first line.
func about(s *schema) string {
	if s == nil || len(s.types) == 0 {
		return ""
	}
	text := ", " + alternatives(s.types)
	if line, _, _ := strings.Cut(s.description, "\n"); line != "" && len(line) <= 200 {
		text += ": " + line
	}
	return text
}
