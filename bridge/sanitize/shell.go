package sanitize

import (
	"regexp"
	"strings"
)

var plainWord = regexp.MustCompile(`^[\w/.-]+$`)

// ShellWord returns s as one word of a POSIX shell, in quotes where it needs them.
func ShellWord(s string) string {
	if plainWord.MatchString(s) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
