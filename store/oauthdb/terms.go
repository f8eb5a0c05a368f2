package oauthdb

import (
	"context"
	"encoding/json"
	"strings"
	"unicode"

	"rialto/bridge/operator"
	"rialto/store/sqldb"
)

// An operator finds clients and accounts by any part of their name or ID that begins with a word.
// Each text from one word on is a row of a table of terms, so that a search is a range of an index.
const (
	clientTerms   = "client_terms"
	documentTerms = "document_terms"
	accountTerms  = "account_terms"
)

// The bounds of the terms of one row.
const (
	maxTerms = 12
	maxTerm  = 64 // bytes
)

func documentName(body string) string {
	var d struct {
		Name string `json:"client_name"`
	}
	if json.Unmarshal([]byte(body), &d) != nil {
		return "" // the document is found by its ID
	}
	return d.Name
}

// termsOf returns the terms of a row. IDs of accounts are not searched; IDs of documents
// have words, because they are URLs.
func termsOf(table, id, name string) []string {
	var all []string
	switch table {
	case clientTerms:
		all = []string{truncateTerm(fold(id))}
	case documentTerms:
		all = suffixes(fold(id))
	}
	return append(all, suffixes(fold(name))...)
}

// fold returns a text as it is compared.
func fold(text string) string {
	text = strings.TrimPrefix(strings.ToLower(strings.ToValidUTF8(text, "")), "https://")
	return strings.Join(strings.Fields(text), " ")
}

// suffixes returns a folded text from each of its words on.
func suffixes(text string) (all []string) {
	inWord := false
	for i, r := range text {
		is := isWordRune(r)
		if (is && !inWord || i == 0) && len(all) < maxTerms {
			all = append(all, truncateTerm(text[i:]))
		}
		inWord = is
	}
	return all
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

func truncateTerm(text string) string {
	return strings.ToValidUTF8(text[:min(len(text), maxTerm)], "")
}

// setTerms replaces the terms of a row with an ID and a name.
func setTerms(ctx context.Context, t sqldb.Querier, table, id, name string) error {
	if _, err := t.ExecContext(ctx, `DELETE FROM `+table+` WHERE id = $1`, id); err != nil {
		return err
	}
	return addTerms(ctx, t, table, id, name)
}

func addTerms(ctx context.Context, t sqldb.Querier, table, id, name string) error {
	for _, term := range termsOf(table, id, name) {
		err := sqldb.Exec(ctx, t, `
			INSERT INTO `+table+` (id, term) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
			id, term)
		if err != nil {
			return err
		}
	}
	return nil
}

// findTerms adds the condition that a text finds a row, in the order of the terms "s" that begin
// with it, after a mark. A row with two such terms is listed once, by the first. A text that begins
// with punctuation, as an ID may, is looked for as it is and from its first word on.
func findTerms(l *sqldb.Listing, table, text string, after operator.Mark) (order string) {
	text = fold(text)
	from := []string{truncateTerm(text)}
	word := strings.TrimLeftFunc(text, func(r rune) bool { return !isWordRune(r) })
	if word != "" && word != text {
		from = append(from, truncateTerm(word))
	}

	begins := func(term string) (condition string, args []any) {
		any := make([]string, len(from))
		for i, f := range from {
			any[i] = "(" + term + " >= ? AND " + term + " < ?)"
			args = append(args, f, f+string(unicode.MaxRune))
		}
		return "(" + strings.Join(any, " OR ") + ")", args
	}
	condition, args := begins("s.term")
	l.And(condition, args...)
	than, order := ">", "s.term, s.id"
	if l.Reverse {
		than = "<"
		order = "s.term DESC, s.id DESC"
	}
	if after.ID != "" {
		l.And("(s.term, s.id) "+than+" (?, ?)", after.Term, after.ID)
	}

	condition, args = begins("e.term")
	l.And(`NOT EXISTS (
		SELECT 1 FROM `+table+` e WHERE e.id = s.id AND e.term < s.term AND `+condition+`)`,
		args...)
	return order
}
