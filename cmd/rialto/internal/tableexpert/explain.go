package tableexpert

import (
	"cmp"
	"context"
	"strings"

	"rialto/a2a/a2aexec"
	"rialto/cmd/rialto/internal/tableexpert/grammar"
)

// explanation is what a question or statement would do, as data.
type explanation struct {
	SQL  string   `json:"sql"`
	Read []string `json:"read_as,omitempty"`
	Plan []string `json:"plan"` // SQLite's query plan, step by step
}

// explain says what a question or statement would do, without doing it.
func (e *Expert) explain(ctx context.Context, t *a2aexec.Turn, said string, in *topic) error {
	x := explanation{SQL: said}
	if said == "" {
		return refuse("Say what to explain: a question, or one SELECT statement.")
	}
	if !e.isSQL(said, false) {
		tables := e.catalog.within(in)
		q := e.askModel(ctx, t, said, tables)
		if q == nil {
			var failure *grammar.Failure
			q, failure = e.parse(ctx, []string{said}, tables)
			if failure != nil {
				why := cmp.Or(strings.Join(failure.Unplaced, ", "), "it may mean several things")
				return refuse(
					"The question was not understood: %s. The tables are %s; send one SELECT.",
					why,
					tables.list(),
				)
			}
		}
		x = explanation{SQL: q.SQL, Read: q.Read}
	}

	t.Working("Asking for the plan.")
	res, err := e.box.Query(ctx, "EXPLAIN QUERY PLAN "+x.SQL, maxRows)
	if err != nil {
		return err
	}

	for _, row := range res.Rows {
		if step, ok := row[len(row)-1].(string); ok {
			x.Plan = append(x.Plan, step)
		}
	}

	text := "SQL: " + x.SQL + "\n\nSQLite would:\n- " + strings.Join(x.Plan, "\n- ")
	if len(x.Read) > 0 {
		text = "Read as: " + strings.Join(x.Read, "; ") + ".\n\n" + text
	}
	return finish(t, "explanation", text, x, "Nothing was run.")
}
