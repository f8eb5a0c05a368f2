package wire

import (
	"bytes"
	"errors"
	"strings"
)

// What is decoded may take more than its bytes: sixteen megabytes of empty parts are
// five million of them. So there is as much room for the objects and values of one
// body as they take at least, in bytes. The bytes of texts, files and data that stay
// as they are do not count; data over gRPC counts as the JSON that it becomes.
const (
	maxRoom    = 64 << 20
	objectRoom = 256 // of a part, message, artifact or anything else with members
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

// roomOf returns how much room b needs, as far as it is less than maxRoom.
func roomOf(b []byte) (room int) {
	depth := 0
	metadata := -1 // the depth at which there is metadata, which is read whole; -1 is none
	for i := 0; i < len(b) && room <= maxRoom; i++ {
		switch b[i] {
		case '"':
			end := endOfText(b, i)
			name, rest := string(b[i+1:end]), bytes.TrimLeft(b[min(end+1, len(b)):], " \t\r\n")
			i = end
			switch {
			case len(rest) == 0 || rest[0] != ':' || metadata >= 0:
			case name == "data": // stays as it is
				s := scan{left: rest[1:]}
				s.skip()
				i = len(b) - len(s.left) - 1
			case strings.EqualFold(name, "metadata") || strings.EqualFold(name, "params") || strings.ContainsRune(name, '\\'):
				metadata = depth
			}
		case '{':
			depth++
			room += objectRoom
		case '[':
			depth++
			room += valueRoom
		case '}', ']':
			if depth--; depth < metadata {
				metadata = -1
			}
		case ',':
			room += valueRoom
			if depth == metadata {
				metadata = -1
			}
		}
	}
	return room
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
