package recordsdb

import (
	"context"
	"time"

	"rialto/bridge/directory"
	"rialto/store/sqldb"
)

var _ directory.CardStore = (*Store)(nil)

// SeeCard implements directory.CardStore.
func (db *Store) SeeCard(ctx context.Context, c directory.SeenCard, hold bool) error {
	return db.sql.InTx(ctx, func(tx *sqldb.Tx) error { return seeCard(ctx, tx, c, hold) })
}

func seeCard(ctx context.Context, tx *sqldb.Tx, c directory.SeenCard, hold bool) error {
	err := sqldb.Exec(ctx, tx, `
		DELETE FROM agent_cards WHERE agent = $1 AND url <> $2`,
		c.Agent, c.URL)
	if err != nil {
		return err
	}

	err = sqldb.Exec(ctx, tx, addCard,
		c.Agent, c.Digest, string(c.Card), c.Last, hold, c.URL)
	if err != nil {
		return err
	}

	return sqldb.Exec(ctx, tx, `
		DELETE FROM agent_cards
		WHERE agent = $1 AND in_force < (SELECT MAX(in_force) FROM agent_cards WHERE agent = $1)
		AND digest NOT IN (
			SELECT digest FROM agent_cards WHERE agent = $1 ORDER BY last DESC, digest LIMIT $2)`,
		c.Agent, directory.CardsKept-1)
}

// addCard makes the second of two cards within a millisecond later.
const addCard = `
	INSERT INTO agent_cards (agent, digest, card, first, last, in_force, url)
	SELECT $1, $2, $3, seen, seen, CASE WHEN $5 = 1 AND forced > 0 THEN 0 ELSE seen END, $6
	FROM (
		SELECT forced, CASE
			WHEN CAST($4 AS BIGINT) > latest THEN CAST($4 AS BIGINT)
			ELSE latest + 1
		END AS seen
		FROM (
			SELECT COALESCE(MAX(in_force), 0) AS forced, COALESCE(MAX(CASE
				WHEN digest <> $2 THEN CASE WHEN last > in_force THEN last ELSE in_force END
			END), 0) AS latest
			FROM agent_cards WHERE agent = $1
		) AS others
	) AS moment
	WHERE true
	ON CONFLICT (agent, digest) DO UPDATE SET
		last = excluded.last,
		in_force = CASE
			WHEN excluded.in_force > 0 THEN excluded.in_force
			ELSE agent_cards.in_force
		END`

// waits is the condition that a card is the latest of its agent and not in force.
const waits = `digest = (
		SELECT digest FROM agent_cards WHERE agent = $1 ORDER BY last DESC, digest LIMIT 1)
	AND in_force < (SELECT MAX(in_force) FROM agent_cards WHERE agent = $1)`

// AcceptCard implements directory.CardStore.
func (db *Store) AcceptCard(ctx context.Context, agent, digest string, now time.Time) error {
	return db.changeAgents(ctx, func(tx *sqldb.Tx, _ int64) error {
		n, err := sqldb.Changed(ctx, tx, `
			UPDATE agent_cards SET in_force = (
				SELECT CASE
					WHEN CAST($2 AS BIGINT) > MAX(in_force) THEN CAST($2 AS BIGINT)
					ELSE MAX(in_force) + 1
				END
				FROM agent_cards WHERE agent = $1)
			WHERE agent = $1 AND digest = $3 AND `+waits,
			agent, now, digest)
		if err != nil || n > 0 {
			return err
		}
		var other bool // another card than that waits
		err = tx.QueryRowContext(ctx, `
			SELECT COUNT(*) > 0 FROM agent_cards WHERE agent = $1 AND digest <> $2 AND `+waits,
			agent, digest).Scan(&other)
		switch {
		case err != nil:
			return err
		case other:
			return directory.ErrOtherCard
		}
		return directory.ErrNoCard
	})
}

// SeenCards implements directory.CardStore.
func (db *Store) SeenCards(ctx context.Context, agent string) ([]directory.SeenCard, error) {
	return sqldb.Select(ctx, db.sql.Read, scanCard, `
		SELECT agent, digest, card, first, last, in_force, url FROM agent_cards
		WHERE agent = $1 ORDER BY last DESC, digest`,
		agent)
}

func scanCard(r sqldb.Row) (c directory.SeenCard, err error) {
	err = r.Scan(&c.Agent, &c.Digest, &c.Card, &c.First, &c.Last, &c.InForce, &c.URL)
	return c, err
}
