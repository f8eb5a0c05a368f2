package recordsdb

import (
	"context"
	"fmt"
	"slices"
	"time"

	"rialto/internal/usage"
	"rialto/store/sqldb"
)

// AddCharges implements usage.Store.
func (db *Store) AddCharges(ctx context.Context, charges []usage.Charge) error {
	const columns = 10
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		for chunk := range slices.Chunk(charges, insertBatch) {
			var values []any
			for _, c := range chunk {
				values = append(
					values,
					c.ID,
					c.At,
					c.UserID,
					c.Client,
					c.UseCase,
					c.Agent,
					c.Item,
					c.Currency,
					c.Price,
					c.Quantity,
				)
			}
			err := sqldb.Exec(ctx, t, `
				INSERT INTO usage_charges (
					id, at, user_id, client, usecase, agent, item, currency, price, quantity
				) VALUES `+db.sql.Rows(len(chunk), columns, "")+` ON CONFLICT (id) DO NOTHING`,
				values...)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Costs implements usage.Store.
func (db *Store) Costs(
	ctx context.Context, f usage.Filter, by usage.By,
) ([]usage.Cost, error) {
	key, ok := columnOf[by]
	if !ok || by == usage.ByTool {
		return nil, fmt.Errorf("there are no costs by %q", by)
	}

	f.Since = f.Since.Truncate(time.Hour)
	l := &sqldb.Listing{}
	l.And("1 = 1")
	selectTime(l, f)
	for column, values := range dimensions(f) {
		l.In(column, values)
	}

	const group = `currency, agent, item, price`
	l.Where[len(l.Where)-1] += ` GROUP BY k, ` + group
	return sqldb.SelectListing(
		ctx,
		db.sql,
		l,
		scanCost,
		`SELECT `+key+` AS k, `+group+`, CAST(SUM(quantity) AS BIGINT) FROM usage_charges`,
		`k, `+group,
		f.Limit,
	)
}

func scanCost(r sqldb.Row) (c usage.Cost, err error) {
	err = r.Scan(
		&c.Key,
		&c.Currency,
		&c.Agent,
		&c.Item,
		&c.Price,
		&c.Quantity,
	)
	return c, err
}
