package tableexpert

import (
	"fmt"
	"strings"
	"unicode"

	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// safeName makes of a file's name or a column's heading a name that needs no
// quotes in SQL: lower case, letters, digits and underscores.
func safeName(s, otherwise string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(s)) {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) && r < 128:
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}
	name := strings.TrimRight(b.String(), "_")
	if r := []rune(name); len(r) > 60 {
		name = string(r[:60])
	}

	switch {
	case name == "":
		return otherwise
	case name[0] >= '0' && name[0] <= '9', sqlbox.Reserved(name):
		return otherwise + "_" + name
	case strings.HasPrefix(name, "sqlite_"), strings.HasPrefix(name, "pragma_"):
		return otherwise + "_" + name
	}

	return name
}

// uniqueName returns name, with a number after it if it is taken.
func uniqueName(name string, taken map[string]bool) string {
	free := name
	for i := 2; taken[free]; i++ {
		free = fmt.Sprintf("%s_%d", name, i)
	}
	return free
}
