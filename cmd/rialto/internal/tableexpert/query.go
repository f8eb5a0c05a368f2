package tableexpert

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"rialto/a2a/a2aexec"
	"rialto/cmd/rialto/internal/tableexpert/grammar"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
	"rialto/internal/i18n"
)

// rowsData is the data of a query's answer.
type rowsData struct {
	SQL       string   `json:"sql"`
	Columns   []string `json:"columns"`
	Rows      [][]any  `json:"rows"`
	RowCount  int      `json:"row_count"`
	Truncated bool     `json:"truncated"`
}

// run answers with what a statement selects, and says how it read the question that asked for it.
func (e *Expert) run(ctx context.Context, t *a2aexec.Turn, q *grammar.Query, limit int) error {
	t.Working("Running " + sqlbox.Clip(q.SQL, 300))
	res, err := e.box.Query(ctx, q.SQL, cmp.Or(limit, defaultRows))
	if err != nil {
		return err
	}
	summary := rowSummary(res)
	if q.Read != nil {
		summary += " Read as: " + strings.Join(q.Read, "; ") + ". The SQL was: " + q.SQL
	}
	return finishRows(t, "result", q.SQL, res, summary)
}

func finishRows(t *a2aexec.Turn, name, sql string, res *sqlbox.Result, said string) error {
	return finish(t, name, markdown(res), rowsData{
		SQL:       sql,
		Columns:   res.Columns,
		Rows:      encodable(res.Rows),
		RowCount:  len(res.Rows),
		Truncated: res.Truncated != "",
	}, said)
}

// rowSummary says how much of the answer there is.
func rowSummary(res *sqlbox.Result) string {
	rows := count(len(res.Rows), "row")
	switch res.Truncated {
	case sqlbox.ByRows:
		more := "The first %s; there are more. Ask for up to %d with \"limit\", or aggregate."
		return fmt.Sprintf(more, rows, maxRows)
	case sqlbox.ByBytes:
		return fmt.Sprintf("The first %s; the rest would make the answer too long. "+
			"Select fewer columns, or aggregate.", rows)
	default:
		return i18n.Sentence(rows)
	}
}
