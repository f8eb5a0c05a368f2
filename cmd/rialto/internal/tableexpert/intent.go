package tableexpert

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// sqlStatement are the beginnings of SQL statements, including those that will
// be refused: the caller gets the reason.
var sqlStatement = regexp.MustCompile(`(?is)^(` +
	`select\b|values\s*\(|explain\b|` +
	`with\s+(recursive\s+)?\S+\s*(\([^)]*\)\s*)?as\s+(not\s+)?(materialized\s+)?\(|` +
	`insert\s+(or\s+\w+\s+)?into\b|replace\s+into\b|update\s.+\sset\s|delete\s+from\b|` +
	`(create|drop|alter)\s+(temp\w*\s+|unique\s+|virtual\s+)?(table|index|view|trigger)\b|` +
	`pragma\b|attach\b|detach\b|vacuum\b|begin\b|commit\b|savepoint\b|reindex\b|analyze\b)`)

// beforeStatement is what may stand before a statement.
var beforeStatement = regexp.MustCompile(`^(\s|;|\(|--[^\n]*(\n|$)|/\*(?s:.*?)\*/)+`)

// looksLikeSQL tells a statement from a question.
func looksLikeSQL(s string) bool {
	return sqlStatement.MatchString(beforeStatement.ReplaceAllString(s, ""))
}

var (
	// write finds what a command that changes tables is about, however little
	// it is SQL otherwise.
	writeCommand = regexp.MustCompile(
		`(?i)^(?:insert|replace|update|delete|drop|alter|truncate|merge)\s+` +
			`(?:or\s+\w+\s+)?(?:into\s+|from\s+|table\s+)?["\x60[]?([\pL\d_.]+)`,
	)

	// embedded is a SELECT in the wrong place.
	embeddedSelect = regexp.MustCompile(`(?i)\bselect\s+(distinct\b|\*|\w+\()`)

	// clauses is what follows a SELECT, and operators what no question has.
	selectClause = regexp.MustCompile(`(?i)\b(from|where)\b|[*=;(]`)
	sqlOperator  = regexp.MustCompile(`\(\*|=|;\s*$|\w\(|^\w+\s*\(`)

	// firstWord is a word, and what follows it.
	firstWord = regexp.MustCompile(`(?s)^(\pL+)(.*)$`)
)

// isSQL tells what is a statement, or was to be one, from a question:
// a caller who misspells SQL gets an SQL error, not the question
// which table is meant. Where the caller named the skill of
// queries, what names no table and holds an operator is no question either.
func (e *Expert) isSQL(s string, named bool) bool {
	bare := beforeStatement.ReplaceAllString(s, "")
	if looksLikeSQL(s) || embeddedSelect.MatchString(bare) || misspeltSelect(bare) {
		return true
	}
	if m := writeCommand.FindStringSubmatch(bare); m != nil && e.catalog.find(m[1]) != nil {
		return true
	}
	return named && sqlOperator.MatchString(bare) && e.catalog.tableIn(s) == nil
}

// misspeltSelect reports whether s begins with nearly SELECT, and goes on as
// a statement would: with a single word, without any, or with clauses.
func misspeltSelect(s string) bool {
	m := firstWord.FindStringSubmatch(s)
	if m == nil {
		return false
	}

	word := strings.ToLower(m[1])
	rest := m[2]
	english := slices.Contains([]string{"sect", "selected", "selector", "selects", "sleet"}, word)
	if english || !strings.HasPrefix(word, "s") || distance(word, "select") > 2 {
		return false
	}

	single := len(strings.Fields(rest)) == 1
	worded := strings.ContainsFunc(rest, unicode.IsLetter)
	return single || !worded || selectClause.MatchString(rest)
}
