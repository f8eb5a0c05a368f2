package wire

import (
	"bytes"
	"errors"
	"strings"
)

// Decoding may take more memory than the bytes of a body: sixteen megabytes of empty
// parts are five million of them. So the estimated cost of one body is bounded, in bytes.
// The bytes of texts, files and data, which are kept unchanged, do not count.
const (
	maxCost    = 64 << 20
	objectCost = 256 // a part, message, artifact or any other object
	valueCost  = 32
)

// ErrTooMany is the error for a body that costs more.
var ErrTooMany = errors.New("it holds too many parts or values")

// fits reports whether decoding the JSON b stays within maxCost. b need not be valid. Most
// bodies are short, or long because of few texts or files, and need no exact count.
func fits(b []byte) bool {
	const shortest = len(`{},`)
	if len(b)/shortest*(objectCost+2*valueCost) <= maxCost {
		return true
	}
	objects := bytes.Count(b, []byte{'{'})
	values := bytes.Count(b, []byte{'['}) + bytes.Count(b, []byte{','})
	return objects*objectCost+values*valueCost <= maxCost || cost(b) <= maxCost
}

// cost returns the estimated cost of b, up to maxCost. The value of a member called data is not
// counted, because it is kept unchanged. Names do not matter in metadata, which is decoded whole.
func cost(b []byte) (sum int) {
	const data, metadata = 1, 2
	depth := 0
	in := 0
	since := 0 // in data or metadata since that depth
	for i := 0; i < len(b) && sum <= maxCost; i++ {
		switch b[i] {
		case '"':
			end := endOfText(b, i)
			name := string(b[i+1 : end])
			i = end
			switch {
			case in != 0 || !isName(b[min(end+1, len(b)):]):
			case name == "data":
				in = data
				since = depth
			case strings.EqualFold(name, "metadata"),
				strings.EqualFold(name, "params"),
				strings.ContainsRune(name, '\\'):
				in = metadata
				since = depth
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth < since {
				in = 0
			}
		case ',':
			if depth == since {
				in = 0
			}
		}
		if in != data {
			sum += costOfByte(b[i])
		}
	}

	return sum
}

func costOfByte(c byte) int {
	switch c {
	case '{':
		return objectCost
	case '[', ',':
		return valueCost
	default:
		return 0
	}
}

// isName reports whether a text before rest is the name of a member.
func isName(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// endOfText returns where the text that begins at i ends: at its last quote, or at the end of b.
func endOfText(b []byte, i int) int {
	for i++; i < len(b); i++ {
		next := bytes.IndexAny(b[i:], `"\`)
		if next < 0 {
			return len(b)
		}
		i += next
		if b[i] == '"' {
			return i
		}
		i++
	}
	return len(b)
}
