package tableexpert

import "regexp"

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

// sqlOperator is what no question has.
var sqlOperator = regexp.MustCompile(`\(\*|=|;\s*$|\w\(|^\w+\s*\(`)

// isSQL tells a statement from a question. If the caller named the skill of queries, what names no
// table and holds an operator is a statement, too: SQLite says what is wrong with it. A misspelled
// SELECT is asked back like a question.
func (e *Expert) isSQL(s string, named bool) bool {
	bare := beforeStatement.ReplaceAllString(s, "")
	return looksLikeSQL(s) ||
		named && sqlOperator.MatchString(bare) && e.catalog.tableIn(s) == nil
}
