package tableexpert

import (
	"fmt"
	"regexp"
	"strings"

	"rialto/internal/similar"
)

var (
	missingTable  = regexp.MustCompile(`no (?:such table:|table) "?([^" ]+)"?`)
	missingColumn = regexp.MustCompile(`no such column: (\S+)`)
)

// withHint adds to a message about a name that does not exist the one that
// was probably meant.
func (c *catalog) withHint(message string) string {
	if m := missingTable.FindStringSubmatch(message); m != nil {
		return sentence(message) + " " + c.suggest(m[1])
	}
	if m := missingColumn.FindStringSubmatch(message); m != nil {
		return sentence(message) + " " + c.suggestColumn(m[1])
	}
	return message
}

// suggest names the nearest table, and all of them.
func (c *catalog) suggest(name string) string {
	best := ""
	near := 0
	for _, t := range c.tables {
		if d := distance(name, t.bare); best == "" || d < near {
			best = t.Name
			near = d
		}
	}
	return suggestion(best, name, near) + "The tables are " + c.list() + "."
}

// suggestColumn names the nearest column, and where it is.
func (c *catalog) suggestColumn(name string) string {
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		name = name[i+1:]
	}

	best := ""
	near := 0
	for _, t := range c.tables {
		for _, column := range t.Columns {
			if d := distance(name, column.Name); best == "" || d < near {
				best = t.Name + "." + column.Name
				near = d
			}
		}
	}

	return suggestion(best, name, near) +
		"The schema skill lists the columns; a text needs single quotation marks."
}

func suggestion(best, name string, distance int) string {
	if distance > max(2, len(name)/2) {
		return ""
	}
	return fmt.Sprintf("Did you mean %s? ", best)
}

// distance is the number of letters by which two names differ, of their first
// 64; a name that begins the other is near to it.
func distance(a, b string) int {
	a, b = strings.ToLower(a[:min(len(a), 64)]), strings.ToLower(b[:min(len(b), 64)])
	if len(a) > 2 && strings.HasPrefix(b, a) {
		return min(1, len(b)-len(a))
	}
	return similar.Distance(a, b)
}
