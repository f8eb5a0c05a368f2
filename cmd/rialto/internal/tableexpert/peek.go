package tableexpert

import (
	"context"
	"fmt"

	"rialto/a2a/a2aexec"
	"rialto/cmd/rialto/internal/tableexpert/sqlbox"
)

// peek shows the first rows of a table.
func (e *Expert) peek(ctx context.Context, t *a2aexec.Turn, name string, limit int) error {
	tb := e.catalog.tableIn(name)
	if tb == nil {
		if name == "" {
			return refuse("Say which table. The tables are %s.", e.catalog.list())
		}
		return refuse("There is no table %q. %s", sqlbox.Clip(name, 60), e.catalog.tablesAre())
	}
	if limit == 0 {
		limit = 10
	}

	t.Working("Reading " + tb.Name + ".")
	sql, res, err := tb.firstRows(ctx, e.box, limit)
	if err != nil {
		return err
	}
	said := fmt.Sprintf("The first %s of %s.", count(len(res.Rows), "row"), tb.Name)
	return finishRows(t, "peek", sql, res, said)
}

func (t *table) firstRows(
	ctx context.Context, box *sqlbox.Box, n int,
) (sql string, res *sqlbox.Result, err error) {
	sql = fmt.Sprintf("SELECT * FROM %s LIMIT %d", t.quoted(), n)
	res, err = box.QueryTrusted(ctx, n, sql)
	return sql, res, err
}
