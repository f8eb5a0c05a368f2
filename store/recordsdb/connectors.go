package recordsdb

import (
	"context"

	"rialto/bridge/directory"
	"rialto/store/sqldb"
)

func (db *Store) storedConnectors(ctx context.Context) ([]directory.StoredConnector, error) {
	return sqldb.Select(ctx, db.sql.Read, scanConnector, `
		SELECT name, settings, version, created, changed FROM connectors ORDER BY created, name`)
}

func scanConnector(r sqldb.Row) (c directory.StoredConnector, err error) {
	err = r.Scan(&c.Name, &c.Settings, &c.Version, &c.Created, &c.Changed)
	return c, err
}

// PutConnector implements directory.AgentStore.
func (db *Store) PutConnector(ctx context.Context, c directory.StoredConnector, most int) error {
	return db.changeAgents(ctx, func(tx *sqldb.Tx, version int64) error {
		if c.Version != 0 {
			return sqldb.MustChange(ctx, tx, directory.ErrConnectorChanged, `
				UPDATE connectors SET settings = $1, version = $2, changed = $3
				WHERE name = $4 AND version = $5`,
				string(c.Settings), version, c.Changed, c.Name, c.Version)
		}
		var n int
		err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM connectors`).Scan(&n)
		if err != nil {
			return err
		}
		if n >= most {
			return directory.ErrTooManyConnectors
		}
		return sqldb.MustChange(ctx, tx, directory.ErrConnectorExists, `
			INSERT INTO connectors (name, settings, version, created, changed)
			VALUES ($1, $2, $3, $4, $4) ON CONFLICT (name) DO NOTHING`,
			c.Name, string(c.Settings), version, c.Changed)
	})
}

// RemoveConnector implements directory.AgentStore.
func (db *Store) RemoveConnector(ctx context.Context, name string) error {
	return db.changeAgents(ctx, func(tx *sqldb.Tx, _ int64) error {
		return sqldb.MustChange(ctx, tx, directory.ErrNoConnector,
			`DELETE FROM connectors WHERE name = $1`, name)
	})
}
