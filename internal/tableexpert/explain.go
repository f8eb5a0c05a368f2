package tableexpert

import (
	"context"
	"strings"

	"rialto/a2a/a2aexec"
)

// explanation is what a question or statement would do, as data.
type explanation struct {
	SQL    string   `json:"sql"`
	Read   []string `json:"read_as,omitempty"`
	Missed []string `json:"not_understood,omitempty"`
	Plan   []string `json:"plan"` // what SQLite would do, step by step
}

// explain says what a question or statement would do, without doing it.
func (e *Expert) explain(ctx context.Context, t *a2aexec.Turn, said string, in *topic) error {
	x := explanation{SQL: said}
	if said == "" {
		return refuse("Say what to explain: a question, or one SELECT statement.")
	}
	if !e.meantAsSQL(said, false) {
		q := e.translate(ctx, t, said, e.catalog.within(in))
		if q == nil {
			return refuse("This question is not understood. The tables are %s; the query skill takes SQL, too.", e.catalog.within(in).list())
		}
		x = explanation{SQL: q.SQL, Read: q.Read, Missed: q.Missed}
	}
	t.Working("Asking for the plan.")
	res, err := e.box.Query(ctx, "EXPLAIN QUERY PLAN "+x.SQL, capRows)
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
	if err := emit(t, "explanation", text, x); err != nil {
		return err
	}
	t.Complete("Nothing was run." + missed(x.Missed))
	return nil
}

// missed says which words of a question had no part in the answer.
func missed(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " Not understood, and left out: " + clip(strings.Join(words, ", "), 300) + "."
}
