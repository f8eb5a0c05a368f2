package tableexpert

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"rialto/a2a/a2aexec"
	"rialto/internal/tableexpert/sqlbox"
)

const (
	maxResults  = 20
	maxTerms    = 8
	maxSearched = 300 // columns of a table
)

// result is one thing found, in the form that MCP clients expect of a tool
// called search.
type result struct {
	ID      string `json:"id"`
	Title   string `json:"title"`
	Snippet string `json:"snippet,omitempty"`

	score int64
}

// search finds rows, tables and columns. It scans: the tables are small or
// change while we run, and an index would take memory and be out of date.
func (e *Expert) search(ctx context.Context, t *a2aexec.Turn, query string) error {
	terms := searchTerms(query)
	if len(terms) == 0 {
		return refuse("Say what to search for.")
	}
	results := e.searchTables(terms)
	partly := ""
	for _, tb := range e.catalog.tables {
		t.Working("Searching " + tb.Name + ".")
		found, err := e.searchRows(ctx, tb, terms)
		if box := (*sqlbox.Error)(nil); errors.As(err, &box) && (box.Code == sqlbox.TooSlow || box.Code == sqlbox.TooLarge) {
			partly = " " + tb.Name + " was too large to be searched."
			continue
		}
		if err != nil {
			return err
		}
		results = append(results, found...)
	}
	slices.SortStableFunc(results, func(a, b result) int { return int(b.score - a.score) })
	results = results[:min(len(results), maxResults)]
	if err := emit(t, "results", listed(results), map[string]any{"results": results}); err != nil {
		return err
	}
	t.Complete("Found " + count(len(results), "result") + "." + partly)
	return nil
}

// searchTerms takes a query apart. It keeps a code such as C-2024-000123
// whole.
func searchTerms(query string) []string {
	var terms []string
	for _, w := range strings.FieldsFunc(strings.ToLower(clip(query, 1000)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.@", r)
	}) {
		w = strings.Trim(w, "-_.@")
		if len(w) > 0 && !slices.Contains(terms, w) && len(terms) < maxTerms {
			terms = append(terms, w)
		}
	}
	return terms
}

// searchTables finds tables by their names, notes and columns.
func (e *Expert) searchTables(terms []string) []result {
	results := []result{}
	for _, tb := range e.catalog.tables {
		var columns []string
		for _, c := range tb.Columns {
			columns = append(columns, c.Name)
		}
		doc := strings.ToLower(tb.Name + " " + tb.Note + " " + strings.Join(columns, " "))
		var score int64
		for _, term := range terms {
			switch {
			case slices.Contains(forms(term), strings.ToLower(tb.bare)):
				score += 2
			case strings.Contains(doc, term):
				score++
			}
		}
		if score > 0 {
			results = append(results, result{
				ID: "table:" + tb.Name, Title: "Table " + tb.Name, score: score,
				Snippet: clip(strings.TrimSpace(tb.Note+" Columns: "+strings.Join(columns, ", ")), 300),
			})
		}
	}
	return results
}

// searchRows finds the rows of a table that contain the most terms. Three
// points are for a value that is a term, two for one that contains it.
func (e *Expert) searchRows(ctx context.Context, tb *table, terms []string) ([]result, error) {
	if tb.key == "" {
		return nil, nil
	}
	columns := tb.Columns[:min(len(tb.Columns), maxSearched)]
	var exact []string
	args := []any{}
	for i, term := range terms {
		args = append(args, term)
		exact = append(exact, fmt.Sprintf("2*(instr(low,?%d)>0)+(instr(low,char(31)||?%d||char(31))>0)", i+1, i+1))
	}
	// The LIMIT of -1 keeps SQLite from merging the subquery, which would
	// make the text of a row once for each term.
	sql := fmt.Sprintf(`SELECT k, score, doc FROM (
			SELECT k, doc, %s AS score FROM (
				SELECT k, doc, char(31)||lower(doc)||char(31) AS low FROM (SELECT %s AS k, %s AS doc FROM %s) LIMIT -1))
		WHERE score > 0 ORDER BY score DESC, k LIMIT %d`,
		strings.Join(exact, "+"), sqlbox.Quote(tb.key), textOf(columns), tb.quoted(), maxResults)
	res, err := e.box.Own(ctx, maxResults, sql, args...)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, row := range res.Rows {
		results = append(results, rowResult(tb, columns, row))
	}
	return results, nil
}

// textOf returns SQL for the values of a row with a unit separator between
// them. SQLite takes few arguments at a time, so it is done in two steps.
func textOf(columns []column) string {
	var groups []string
	for chunk := range slices.Chunk(columns, 30) {
		var values []string
		for _, c := range chunk {
			values = append(values, "coalesce("+sqlbox.Quote(c.Name)+",'')")
		}
		groups = append(groups, "concat_ws(char(31),"+strings.Join(values, ",")+")")
	}
	return "concat_ws(char(31)," + strings.Join(groups, ",") + ")"
}

func rowResult(tb *table, columns []column, row []any) result {
	r := result{ID: rowID(tb, row[0]), Title: tb.Name + " " + show(row[0])}
	r.score, _ = row[1].(int64)
	var parts []string
	for i, v := range strings.Split(show(row[2]), "\x1f") {
		if v == "" || i >= len(columns) {
			continue
		}
		switch strings.ToLower(columns[i].Name) {
		case "name", "title", "number", "code", "label":
			r.Title += ": " + v
		}
		parts = append(parts, columns[i].Name+": "+v)
	}
	r.Title, r.Snippet = clip(r.Title, 120), clip(strings.Join(parts, ", "), 300)
	return r
}

// rowID names a row for good: table/key.
func rowID(tb *table, key any) string { return tb.Name + "/" + url.PathEscape(show(key)) }

func listed(results []result) string {
	if len(results) == 0 {
		return "Nothing was found."
	}
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "- %s (%s): %s\n", r.Title, r.ID, r.Snippet)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
