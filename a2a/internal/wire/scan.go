package wire

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// scan reads JSON in one pass, without reflection, if it is as we know it. What
// is not makes it bad, wrong or merely unusual; then unmarshal reads it all again
// and decides. Nothing that a bad scan has read counts.
type scan struct {
	left  []byte
	depth int
	bad   bool
}

// maxScan is how deep objects may lie in each other in what a scan reads.
const maxScan = 64

// unknown passes over the value of a member that we do not know, unless it is one
// of those to encoding/json, which does not look at capitals.
func (s *scan) unknown(name []byte, known []string) {
	for _, k := range known {
		s.bad = s.bad || strings.EqualFold(k, string(name))
	}
	s.raw()
}

// forgiving goes by the rules of encoding/json.
var forgiving = jsontext.AllowDuplicateNames(true)

// good reports whether all has been read, and nothing of it is bad.
func (s *scan) good() bool { return !s.bad && s.peek() == 0 && len(s.left) == 0 }

// peek returns the byte with which the next token begins, 0 if there is none.
func (s *scan) peek() byte {
	for i, c := range s.left {
		if c != ' ' && c != '\n' && c != '\t' && c != '\r' {
			s.left = s.left[i:]
			return c
		}
	}
	s.left = nil
	return 0
}

// take goes past c, if that is next, and reports whether it was.
func (s *scan) take(c byte) bool {
	if s.peek() != c || s.bad {
		return false
	}
	s.left = s.left[1:]
	return true
}

// members goes through the names of an object. Who is told of one reads its value.
func (s *scan) members(yield func(name []byte) bool) {
	if s.depth++; s.depth > maxScan || !s.take('{') {
		s.bad = true
		return
	}
	defer func() { s.depth-- }()
	for more := !s.take('}'); more; more = s.take(',') {
		name := s.quoted()
		if !s.take(':') || !yield(name) {
			s.bad = true
		}
		if s.bad || s.take('}') {
			return
		}
		if s.peek() != ',' {
			s.bad = true
		}
	}
}

// elements goes through an array. Who is told of an element reads it.
func (s *scan) elements(yield func() bool) {
	if !s.take('[') {
		s.bad = true
		return
	}
	if s.take(']') {
		return
	}
	for !s.bad {
		if !yield() || s.take(']') {
			return
		}
		if !s.take(',') {
			s.bad = true
		}
	}
}

// quoted returns what a string says. It is part of what is read, unless something
// in it is escaped.
func (s *scan) quoted() []byte {
	if !s.take('"') {
		s.bad = true
		return nil
	}
	end := bytes.IndexByte(s.left, '"')
	if end < 0 {
		s.bad = true
		return nil
	}
	inner := s.left[:end]
	if !literal(inner) {
		return s.escaped()
	}
	s.left = s.left[end+1:]
	return inner
}

// literal reports whether a string that says b holds it as it is.
func literal(b []byte) bool {
	ascii := true
	for _, c := range b {
		if c < ' ' || c == '\\' {
			return false
		}
		ascii = ascii && c < utf8.RuneSelf
	}
	return ascii || utf8.Valid(b)
}

// escaped is quoted for a string that needs a closer look, behind its first quote.
func (s *scan) escaped() []byte {
	end := 0
	for end < len(s.left) && s.left[end] != '"' {
		if s.left[end] == '\\' {
			end++
		}
		end++
	}
	if end >= len(s.left) {
		s.bad = true
		return nil
	}
	whole := make([]byte, 0, end+2)
	whole = append(append(append(whole, '"'), s.left[:end]...), '"')
	b, err := jsontext.AppendUnquote(nil, whole)
	s.bad = s.bad || err != nil
	s.left = s.left[end+1:]
	return b
}

// text returns a string, texts an array of them, flag a bool.
func (s *scan) text() string { return string(s.quoted()) }

// scanText returns a string that may be missing.
func scanText(s *scan) *string {
	text := s.text()
	return &text
}

func scanTexts[T ~string](s *scan, so []T) []T {
	s.bad = s.bad || so != nil
	all := []T{}
	for range s.elements {
		all = append(all, T(s.quoted()))
	}
	return all
}

func (s *scan) flag() bool {
	s.peek()
	switch {
	case bytes.HasPrefix(s.left, []byte("true")):
		s.left = s.left[4:]
		return true
	case bytes.HasPrefix(s.left, []byte("false")):
		s.left = s.left[5:]
	default:
		s.bad = true
	}
	return false
}

// raw returns a value as it is, if it is valid.
func (s *scan) raw() []byte {
	v := s.skip()
	s.bad = s.bad || !jsontext.Value(v).IsValid(forgiving)
	return v
}

// skip returns a value as it is, where everything is known to be valid.
func (s *scan) skip() []byte {
	s.peek()
	end, depth := 0, 0
	for quoted := false; end < len(s.left); end++ {
		c := s.left[end]
		switch {
		case quoted && c == '\\':
			end++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case (c == ',' || c == '}' || c == ']') && depth == 0:
			return s.value(end)
		case c == '}', c == ']':
			depth--
		}
	}
	return s.value(len(s.left))
}

func (s *scan) value(end int) []byte {
	end = min(end, len(s.left))
	v := bytes.TrimRight(s.left[:end], " \t\r\n")
	s.left = s.left[end:]
	return v
}
