package tableexpert

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode"

	"rialto/a2a/a2aexec"
	"rialto/cmd/rialto/internal/tableexpert/grammar"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
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
func (e *Expert) search(ctx context.Context, t *a2aexec.Turn, query string, in *topic) error {
	terms := searchTerms(query)
	if len(terms) == 0 {
		return refuse("Say what to search for.")
	}
	results := e.catalog.within(in).search(terms)
	rows, partly, err := e.searchAll(ctx, t, terms, in)
	if err != nil {
		return err
	}

	results = append(results, rows...)
	slices.SortStableFunc(results, func(a, b result) int { return int(b.score - a.score) })
	results = results[:min(len(results), maxResults)]
	found := "Found " + count(len(results), "result") + "." + partly
	return finish(t, "results", resultList(results), map[string]any{"results": results}, found)
}

// searchTimeout is how long a search of all tables may take.
const searchTimeout = 15 * time.Second

// searchAll searches the rows of all tables, and says so where one could not
// be.
func (e *Expert) searchAll(
	ctx context.Context,
	t *a2aexec.Turn,
	terms []string,
	in *topic,
) (results []result, partly string, err error) {
	limited, cancel := context.WithTimeout(ctx, searchTimeout)
	defer cancel()
	var skipped []string
	for _, tb := range e.catalog.within(in).tables {
		t.Working("Searching " + tb.Name + ".")
		found, err := e.searchRows(limited, tb, terms)
		box := (*sqlbox.Error)(nil)
		switch {
		case err == nil:
			results = append(results, found...)
		case ctx.Err() != nil:
			return nil, "", err
		case limited.Err() != nil,
			errors.As(err, &box) && (box.Code == sqlbox.TooSlow || box.Code == sqlbox.TooLarge):
			skipped = append(skipped, tb.Name)
		default:
			return nil, "", err
		}
	}

	if len(skipped) > 0 {
		partly = " Too large to be searched in time: " +
			sqlbox.Clip(strings.Join(skipped, ", "), 300) + "."
	}

	return results, partly, nil
}

// searchTerms takes a query apart. It keeps a code such as C-2024-000123
// whole.
func searchTerms(query string) []string {
	var terms []string
	for _, w := range strings.FieldsFunc(strings.ToLower(sqlbox.Clip(query, 1000)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.@", r)
	}) {
		w = strings.Trim(w, "-_.@")
		if len(w) > 0 && !slices.Contains(terms, w) && len(terms) < maxTerms {
			terms = append(terms, w)
		}
	}

	return terms
}

// search finds tables by their names, notes and columns.
func (c *catalog) search(terms []string) []result {
	results := []result{}
	for _, tb := range c.tables {
		columns := mapped(tb.Columns, func(c column) string { return c.Name })
		doc := strings.ToLower(tb.Name + " " + tb.Note + " " + strings.Join(columns, " "))
		var score int64
		for _, term := range terms {
			switch {
			case slices.Contains(grammar.Forms(term), strings.ToLower(tb.bare)):
				score += 2
			case strings.Contains(doc, term):
				score++
			}
		}
		if score > 0 {
			about := strings.TrimSpace(tb.Note + " Columns: " + strings.Join(columns, ", "))
			results = append(results, result{
				ID:      "table:" + tb.Name,
				Title:   "Table " + tb.Name,
				Snippet: sqlbox.Clip(about, 300),
				score:   score,
			})
		}
	}
	return results
}

// searchRows finds the rows of a table that contain the most terms. Three
// points are for a value that is a term, two for one that contains it.
func (e *Expert) searchRows(ctx context.Context, tb *table, terms []string) ([]result, error) {
	in := searchable(tb.Columns, terms)
	if tb.key == "" || len(in) == 0 {
		return nil, nil
	}

	var points []string
	var args []string
	for i, term := range terms {
		args = append(args, term)
		points = append(
			points,
			fmt.Sprintf("2*(instr(low,?%d)>0)+(instr(low,char(31)||?%d||char(31))>0)", i+1, i+1),
		)
	}

	all := tb.Columns[:min(len(tb.Columns), maxSearched)]
	key := sqlbox.Quote(tb.key)
	from := tb.quoted()
	// The LIMIT of -1 keeps SQLite from merging the subquery, which would
	// make the text of a row once for each term.
	sql := fmt.Sprintf(
		`SELECT k, score, (SELECT %s FROM %s WHERE %s = k) FROM (
			SELECT k, %s AS score FROM (
				SELECT %s AS k, char(31)||lower(%s)||char(31) AS low FROM %s LIMIT -1)
			WHERE score > 0 ORDER BY score DESC, k LIMIT %d)`,
		textExpression(all),
		from,
		key,
		strings.Join(points, "+"),
		key,
		textExpression(in),
		from,
		maxResults,
	)
	res, err := e.box.QueryTrusted(ctx, maxResults, sql, args...)
	if err != nil {
		return nil, err
	}

	return mapped(res.Rows, func(row []any) result { return rowResult(tb, all, row) }), nil
}

// searchable returns the columns that can contain a term: words are not
// looked for among numbers.
func searchable(columns []column, terms []string) []column {
	columns = columns[:min(len(columns), maxSearched)]
	if slices.ContainsFunc(
		terms, func(s string) bool { return strings.ContainsAny(s, "0123456789") },
	) {
		return columns
	}

	return slices.DeleteFunc(slices.Clone(columns), func(c column) bool {
		switch strings.ToUpper(c.Type) {
		case "INTEGER", "INT", "BIGINT", "REAL", "DOUBLE", "FLOAT", "DATE", "DATETIME":
			return true
		}
		return false
	})
}

// textExpression returns SQL for the values of a row with a unit separator between
// them. SQLite takes few arguments at a time, so it is done in two steps.
func textExpression(columns []column) string {
	var groups []string
	for chunk := range slices.Chunk(columns, 30) {
		values := mapped(
			chunk, func(c column) string { return "coalesce(" + sqlbox.Quote(c.Name) + ",'')" },
		)
		groups = append(groups, "concat_ws(char(31),"+strings.Join(values, ",")+")")
	}
	return "concat_ws(char(31)," + strings.Join(groups, ",") + ")"
}

func rowResult(tb *table, columns []column, row []any) result {
	r := result{ID: rowID(tb, row[0]), Title: tb.Name + " " + formatValue(row[0])}
	r.score, _ = row[1].(int64)
	var parts []string
	for i, v := range strings.Split(formatValue(row[2]), "\x1f") {
		if v == "" || i >= len(columns) {
			continue
		}
		switch strings.ToLower(columns[i].Name) {
		case "name", "title", "number", "code", "label":
			r.Title += ": " + v
		}
		parts = append(parts, columns[i].Name+": "+v)
	}

	r.Title, r.Snippet = sqlbox.Clip(r.Title, 120), sqlbox.Clip(strings.Join(parts, ", "), 300)
	return r
}

// rowID names a row for good: table/key.
func rowID(tb *table, key any) string { return tb.Name + "/" + url.PathEscape(formatValue(key)) }

func resultList(results []result) string {
	if len(results) == 0 {
		return "Nothing was found."
	}
	var b strings.Builder
	for _, r := range results {
		fmt.Fprintf(&b, "- %s (%s): %s\n", r.Title, r.ID, r.Snippet)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
