package tableexpert

import (
	"strings"

	"rialto/internal/i18n"
)

// withHint adds to a message of SQLite about a name that does not exist where the names are.
func (c *catalog) withHint(message string) string {
	switch {
	case strings.Contains(message, "no such table"), strings.Contains(message, "no table"):
		return i18n.Sentence(message) + " " + c.tablesAre()
	case strings.Contains(message, "no such column"):
		return i18n.Sentence(message) +
			" The schema skill lists the columns; a text needs single quotation marks."
	}
	return message
}

// tablesAre names all tables.
func (c *catalog) tablesAre() string { return "The tables are " + c.list() + "." }
