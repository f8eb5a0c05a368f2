package wire

import (
	"bytes"
	"errors"
	"strings"
)

// What is decoded may take more than its bytes: sixteen megabytes of empty parts are
// five million of them. So there is as much room for the objects and values of one
// body as they take at least, in bytes. The bytes of texts, files and data, which are
// kept unchanged, do not count.
const (
	maxRoom    = 64 << 20
	objectRoom = 256 // a part, message, artifact or any other object
	valueRoom  = 32
)

// ErrTooMany is returned for what would take more room than that.
var ErrTooMany = errors.New("it holds too many parts or values")

// fits reports whether what the JSON b holds has room. It need not be valid. Most
// fits at first sight: it is short, or long for a few texts or files.
func fits(b []byte) bool {
	const shortest = len(`{},`)
	if len(b)/shortest*(objectRoom+2*valueRoom) <= maxRoom {
		return true
	}
	objects, values := bytes.Count(b, []byte{'{'}), bytes.Count(b, []byte{'['})+bytes.Count(b, []byte{','})
	return objects*objectRoom+values*valueRoom <= maxRoom || roomOf(b) <= maxRoom
}

// roomOf returns how much room b needs, as far as it is less than maxRoom. The value of
// a member called data is not counted, for it stays as it is. Names do not count in
// metadata, which is read whole.
func roomOf(b []byte) (room int) {
	const data, metadata = 1, 2
	depth, in, since := 0, 0, 0 // in data or metadata since that depth
	for i := 0; i < len(b) && room <= maxRoom; i++ {
		switch b[i] {
		case '"':
			end := endOfText(b, i)
			name := string(b[i+1 : end])
			switch i = end; {
			case in != 0 || !isName(b[min(end+1, len(b)):]):
			case name == "data":
				in, since = data, depth
			case strings.EqualFold(name, "metadata") || strings.EqualFold(name, "params") || strings.ContainsRune(name, '\\'):
				in, since = metadata, depth
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < since {
				in = 0
			}
		case ',':
			if depth == since {
				in = 0
			}
		}
		if in != data {
			room += roomOfByte(b[i])
		}
	}
	return room
}

func roomOfByte(c byte) int {
	switch c {
	case '{':
		return objectRoom
	case '[', ',':
		return valueRoom
	default:
		return 0
	}
}

// isName reports whether a text before rest is the name of a member.
func isName(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return len(rest) > 0 && rest[0] == ':'
}

// endOfText returns where the text that begins at i ends: at its last quote, or at
// the end of b.
func endOfText(b []byte, i int) int {
	for i++; i < len(b); i++ {
		next := bytes.IndexAny(b[i:], `"\`)
		if next < 0 {
			return len(b)
		}
		if i += next; b[i] == '"' {
			return i
		}
		i++
	}
	return len(b)
}
