package recordsdb

import (
	"context"
	"time"

	"rialto/bridge/directory"
	"rialto/store/sqldb"
)

var _ directory.AgentStore = (*Store)(nil)

// AgentsVersion implements directory.AgentStore.
func (db *Store) AgentsVersion(ctx context.Context) (version int64, err error) {
	return version, db.sql.Read.QueryRowContext(ctx, `
		SELECT version FROM agents_version`).Scan(&version)
}

// NoteAgents implements directory.AgentStore.
func (db *Store) NoteAgents(ctx context.Context, replica string, version int64) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		UPDATE replicas SET agents = $2 WHERE id = $1 AND agents < $2`,
		replica, version)
}

// ReplicasBehind returns the heartbeats of the replicas that offer an older list of agents.
func (db *Store) ReplicasBehind(ctx context.Context, version int64) (map[string]int64, error) {
	behind := map[string]int64{}
	_, err := sqldb.Select(ctx, db.sql.Write, func(r sqldb.Row) (id string, err error) {
		var count int64
		err = r.Scan(&id, &count)
		behind[id] = count
		return id, err
	}, `
		SELECT id, heartbeats FROM replicas WHERE agents < $1`,
		version)
	return behind, err
}

// KeptAgents implements directory.AgentStore.
func (db *Store) KeptAgents(ctx context.Context) (*directory.StoredAgents, error) {
	version, err := db.AgentsVersion(ctx)
	if err != nil {
		return nil, err
	}

	kept := &directory.StoredAgents{Version: version}
	kept.Records, err = sqldb.Select(ctx, db.sql.Read, scanAgent, `
		SELECT name, settings, secret, version, created, changed, removed FROM agents
		ORDER BY created, name`)
	if err != nil {
		return nil, err
	}

	kept.Disabled, err = sqldb.Select(ctx, db.sql.Read, sqldb.Value[string], `
		SELECT name FROM agents_disabled ORDER BY name`)
	if err != nil {
		return nil, err
	}
	kept.Connectors, err = db.storedConnectors(ctx)
	return kept, err
}

func scanAgent(r sqldb.Row) (a directory.StoredAgent, err error) {
	err = r.Scan(&a.Name, &a.Settings, &a.Secret, &a.Version, &a.Created, &a.Changed, &a.Removed)
	return a, err
}

// changeAgents runs do, which changes the list, with the list's next version.
// Others who change it wait: versions are seen in their order.
func (db *Store) changeAgents(
	ctx context.Context, do func(tx *sqldb.Tx, version int64) error,
) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error {
		var version int64
		err := tx.QueryRowContext(ctx, `
			UPDATE agents_version SET version = version + 1 RETURNING version`).Scan(&version)
		if err != nil {
			return err
		}
		return do(tx, version)
	})
}

// AddAgent implements directory.AgentStore.
func (db *Store) AddAgent(
	ctx context.Context,
	r directory.StoredAgent,
	card *directory.SeenCard,
	most int,
) error {
	return db.changeAgents(ctx, func(tx *sqldb.Tx, version int64) error {
		var n int
		err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM agents WHERE removed = 0`).Scan(&n)
		if err != nil {
			return err
		}
		if n >= most {
			return directory.ErrTooMany
		}
		err = sqldb.MustChange(ctx, tx, directory.ErrExists, `
			INSERT INTO agents (name, settings, secret, version, created, changed, removed)
			VALUES ($1, $2, $3, $4, $5, $5, 0)
			ON CONFLICT (name) DO UPDATE SET
				settings = excluded.settings, secret = excluded.secret, version = excluded.version,
				created = excluded.created, changed = excluded.changed, removed = 0
			WHERE agents.removed > 0`,
			r.Name, string(r.Settings), r.Secret, version, r.Created)
		if err != nil {
			return err
		}
		err = sqldb.Exec(ctx, tx, `DELETE FROM agents_disabled WHERE name = $1`, r.Name)
		if err != nil {
			return err
		}
		err = dropAgent(ctx, tx, r.Name)
		if err != nil || card == nil {
			return err
		}
		return seeCard(ctx, tx, *card, true)
	})
}

// dropAgent forgets what was known under the name of an agent that is another
// now: its cards, and what users have connected it with.
func dropAgent(ctx context.Context, tx *sqldb.Tx, agent string) error {
	return sqldb.ExecAll(ctx, tx, []any{agent},
		`DELETE FROM connections WHERE agent = $1`,
		`DELETE FROM connection_attempts WHERE agent = $1`,
		`DELETE FROM agent_cards WHERE agent = $1`)
}

// ChangeAgent implements directory.AgentStore.
func (db *Store) ChangeAgent(ctx context.Context, r directory.StoredAgent, moved bool) error {
	return db.changeAgents(ctx, func(tx *sqldb.Tx, version int64) error {
		n, err := sqldb.Changed(ctx, tx, `
			UPDATE agents SET settings = $1, secret = $2, version = $3, changed = $4
			WHERE name = $5 AND version = $6 AND removed = 0`,
			string(r.Settings), r.Secret, version, r.Changed, r.Name, r.Version)
		if err != nil {
			return err
		}
		if n == 0 {
			return noSuchVersion(ctx, tx, r.Name)
		}
		if !moved {
			return nil
		}
		return dropAgent(ctx, tx, r.Name)
	})
}

// noSuchVersion says why an agent could not be changed.
func noSuchVersion(ctx context.Context, tx *sqldb.Tx, name string) error {
	var n int
	err := tx.QueryRowContext(ctx, `
		SELECT COUNT(*) FROM agents WHERE name = $1 AND removed = 0`,
		name).Scan(&n)
	switch {
	case err != nil:
		return err
	case n == 0:
		return directory.ErrNoAgent
	}

	return directory.ErrChanged
}

// RemoveAgent implements directory.AgentStore.
func (db *Store) RemoveAgent(ctx context.Context, name string, now time.Time) error {
	return db.changeAgents(ctx, func(tx *sqldb.Tx, version int64) error {
		err := sqldb.MustChange(ctx, tx, directory.ErrNoAgent, `
			UPDATE agents SET removed = $1, version = $2 WHERE name = $3 AND removed = 0`,
			now, version, name)
		if err != nil {
			return err
		}
		return dropAgent(ctx, tx, name)
	})
}

// DisableAgent implements directory.AgentStore.
func (db *Store) DisableAgent(ctx context.Context, name string, now time.Time) (bool, error) {
	return db.changeDisabled(ctx, `
		INSERT INTO agents_disabled (name, since) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING`,
		name, now)
}

// EnableAgent implements directory.AgentStore.
func (db *Store) EnableAgent(ctx context.Context, name string) (bool, error) {
	return db.changeDisabled(ctx, `DELETE FROM agents_disabled WHERE name = $1`, name)
}

// changeDisabled reports whether a statement has changed which agents are disabled.
func (db *Store) changeDisabled(
	ctx context.Context, query string, args ...any,
) (changed bool, err error) {
	err = db.changeAgents(ctx, func(tx *sqldb.Tx, _ int64) error {
		n, err := sqldb.Changed(ctx, tx, query, args...)
		changed = n > 0
		return err
	})
	return changed, err
}

// DropAgents implements directory.AgentStore.
func (db *Store) DropAgents(ctx context.Context) error {
	return sqldb.ExecAll(ctx, db.sql.Write, nil, `
		DELETE FROM agents WHERE removed > 0
		AND name NOT IN (SELECT agent FROM tasks WHERE settled = 0)`, `
		DELETE FROM agent_probes
		WHERE until < (SELECT MAX(until) FROM agent_probes) - 604800000
		OR (agent, url, began) IN (
			SELECT agent, url, began FROM (
				SELECT agent, url, began,
					ROW_NUMBER() OVER (PARTITION BY agent, url ORDER BY began DESC) AS place
				FROM agent_probes
			) AS latest WHERE place > 1000)`)
}
