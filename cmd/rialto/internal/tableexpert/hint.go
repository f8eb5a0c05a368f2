package tableexpert

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
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

// suggest names the table that was probably meant, and all of them.
func (c *catalog) suggest(name string) string {
	tables := map[string]string{}
	for _, t := range c.tables {
		tables[t.bare] = t.Name
	}
	return didYouMean(name, tables) + "The tables are " + c.list() + "."
}

// suggestColumn names the column that was probably meant, and where it is.
func (c *catalog) suggestColumn(name string) string {
	columns := map[string]string{}
	for _, t := range c.tables {
		for _, column := range t.Columns {
			columns[column.Name] = t.Name + "." + column.Name
		}
	}
	return didYouMean(name[strings.LastIndexByte(name, '.')+1:], columns) +
		"The schema skill lists the columns; a text needs single quotation marks."
}

// didYouMean names what has the nearest name, if it is near. The keys are the names.
func didYouMean(name string, all map[string]string) string {
	nearest, apart := similar.Nearest(name, slices.Sorted(maps.Keys(all)))
	if apart > max(2, len(name)/2) {
		return ""
	}
	return fmt.Sprintf("Did you mean %s? ", all[nearest])
}
