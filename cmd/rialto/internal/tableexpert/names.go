package tableexpert

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
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
	case name[0] >= '0' && name[0] <= '9', reserved(name):
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

// reserved reports whether SQLite takes name for a keyword where a name
// could stand, or for one of its own databases.
func reserved(name string) bool {
	return slices.Contains(strings.Fields(`
		add all alter and as autoincrement between case check collate commit constraint create cross
		current current_date current_time current_timestamp default deferrable delete distinct drop
		else escape except exists for foreign from full group having if in index inner insert
		intersect into is isnull join left limit main natural not notnull null on or order outer
		over partition primary references returning right rowid select set table temp then to transaction
		union unique update using values when where window with`), name)
}
