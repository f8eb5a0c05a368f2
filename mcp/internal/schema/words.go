package schema

import (
	"encoding/json"
	"strconv"
	"strings"
)

func name(path string) string {
	if path == "" {
		return "the arguments"
	}
	return strconv.Quote(shorten(path))
}

func join(path, member string) string {
	if path == "" {
		return member
	}
	return path + "." + member
}

// alternatives names types in words: "a string or null".
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

// show returns the type of a value, and the value itself if it is short.
func show(v json.RawMessage) string {
	kind := kindOf(v[0])
	if kind == "object" || kind == "array" || kind == "null" || len(v) > 40 {
		return article(kind)
	}
	return article(kind) + " (" + string(v) + ")"
}

// list names the values of an enumeration.
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

// about describes a missing argument: its type, and the first line of its description.
func about(s *Schema) string {
	if s == nil || len(s.types) == 0 {
		return ""
	}
	text := ", " + alternatives(s.types)
	if line, _, _ := strings.Cut(s.description, "\n"); line != "" && len(line) <= 200 {
		text += ": " + line
	}
	return text
}

// shorten bounds what a client wrote.
func shorten(s string) string { return s[:min(len(s), 64)] }
