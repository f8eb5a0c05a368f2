package sqlbox

import (
	"regexp"
	"slices"
	"strings"
)

// Quote returns name as an SQL identifier.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

var plainName = regexp.MustCompile(`^[a-z_][a-z_0-9]*$`)

// Spelled returns name as people write it in SQL: in quotes only if it needs them.
func Spelled(name string) string {
	if plainName.MatchString(name) && !Reserved(name) {
		return name
	}
	return Quote(name)
}

// Reserved reports whether SQLite takes a name for a keyword where a name could stand, or for one of
// its own databases.
func Reserved(name string) bool {
	return slices.Contains(strings.Fields(`
		add all alter and as autoincrement between case check collate commit constraint create cross
		current current_date current_time current_timestamp default deferrable delete distinct drop
		else escape except exists for foreign from full group having if in index inner insert
		intersect into is isnull join left limit main natural not notnull null on or order outer
		over partition primary references returning right rowid select set table temp then to transaction
		union unique update using values when where window with`), name)
}
