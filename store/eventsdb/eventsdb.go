// Package eventsdb keeps the events of tasks and agents, and the webhooks that get them. Triggers in
// the database write the events of tasks (see the migrations); it decides nothing else.
package eventsdb

import (
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"rialto/bridge/events"
	"rialto/store/sqldb"
)

// Store implements push.Queue.
type Store struct{ sql *sqldb.DB }

var (
	_ events.LogStore          = (*Store)(nil)
	_ events.SubscriptionStore = (*Store)(nil)
)

// New returns a store in an open database.
func New(db *sqldb.DB) *Store { return &Store{db} }

const logColumns = `l.epoch, l.last, COALESCE(
	(SELECT min(e.seq) FROM events e WHERE e.owner = l.owner AND e.name = l.name), l.last + 1)`

// Log implements events.LogStore. The row is written at most once in ten minutes.
func (db *Store) Log(
	ctx context.Context, owner, name string, keep int, now, until time.Time,
) (l events.Log, err error) {
	err = db.sql.Read.QueryRowContext(ctx, `
		SELECT `+logColumns+` FROM event_logs l WHERE owner = $1 AND name = $2 AND until > $3`,
		owner, name, until.Add(-10*time.Minute)).Scan(&l.Epoch, &l.Last, &l.Oldest)
	if !errors.Is(err, sql.ErrNoRows) {
		return l, err
	}

	err = db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		_, err := t.ExecContext(ctx, `
			INSERT INTO event_logs (owner, name, epoch, keep, until) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (owner, name) DO UPDATE SET keep = excluded.keep, until = excluded.until
			WHERE event_logs.until < excluded.until`,
			owner, name, now, keep, until)
		if err != nil {
			return err
		}
		return t.QueryRowContext(ctx, `
			SELECT `+logColumns+` FROM event_logs l WHERE owner = $1 AND name = $2`,
			owner, name).Scan(&l.Epoch, &l.Last, &l.Oldest)
	})
	return l, err
}

// filteredEvents are the events of a log after a number that a filter chooses.
const filteredEvents = ` FROM events
	WHERE owner = $1 AND name = $2 AND seq > $3
	AND ($4 = '' OR handle = $4) AND ($5 = '' OR agent = $5) AND ($6 = '' OR context_id = $6)
	AND ($7 = '' OR $7 LIKE '% ' || state || ' %')`

// Older implements events.LogStore.
func (db *Store) Older(
	ctx context.Context,
	owner, name string,
	f events.Filter,
	after int64,
	before time.Time,
) (seq int64, err error) {
	err = db.sql.Read.QueryRowContext(ctx, `
		SELECT COALESCE(max(seq), 0)`+filteredEvents+` AND at < $8`,
		owner, name, after, f.Task, f.Agent, f.Context, listOf(f.States), before).Scan(&seq)
	return seq, err
}

// Events implements events.LogStore.
func (db *Store) Events(
	ctx context.Context, owner, name string, f events.Filter, after, upTo int64, limit int,
) ([]events.Event, error) {
	scan := func(r sqldb.Row) (events.Event, error) {
		e := events.Event{Name: name}
		var useCases string
		err := r.Scan(
			&e.Seq,
			&e.ID,
			&e.At,
			&e.Task,
			&e.Agent,
			&e.Context,
			&e.State,
			&e.Text,
			&useCases,
		)
		e.UseCases = strings.Fields(useCases)
		return e, err
	}
	return sqldb.Select(ctx, db.sql.Read, scan, `
		SELECT seq, id, at, handle, agent, context_id, state, summary, use_cases`+filteredEvents+`
		AND seq <= $8 ORDER BY seq LIMIT $9`,
		owner, name, after, f.Task, f.Agent, f.Context, listOf(f.States), upTo, limit)
}

// Emit implements events.LogStore. The lock on the logs lets one replica after the other see what
// the latest event is.
func (db *Store) Emit(ctx context.Context, e events.Event) error {
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		err := sqldb.Exec(ctx, t, `UPDATE event_logs SET until = until WHERE name = $1`, e.Name)
		if err != nil {
			return err
		}
		return sqldb.Exec(ctx, t, `
			INSERT INTO events (
				owner, name, seq, id, at, handle, agent, context_id, state, summary, use_cases)
			SELECT l.owner, l.name, l.last + 1,
				CAST($2 AS TEXT) || '.' || CAST($3 AS BIGINT), $3, '', $4, '', $5, $6, $7
			FROM event_logs l WHERE l.name = $1 AND NOT EXISTS (
				SELECT 1 FROM events e
				WHERE e.owner = l.owner AND e.name = l.name AND e.id = CAST($2 AS TEXT) || '.' || e.at
				AND e.seq = (
					SELECT max(seq) FROM events x
					WHERE x.owner = l.owner AND x.name = l.name AND x.agent = $4))`,
			e.Name, e.ID, e.At, e.Agent, e.State, e.Text, strings.Join(e.UseCases, " "))
	})
}

// gone chooses the events of deliveries that are not kept any more.
const gone = `seq > 0 AND NOT EXISTS (
	SELECT 1 FROM event_subscriptions s JOIN events e ON e.owner = s.owner AND e.name = s.name
	WHERE s.id = event_deliveries.subscription AND e.seq = event_deliveries.seq)`

// Prune implements events.LogStore.
func (db *Store) Prune(ctx context.Context, now, before time.Time) error {
	for query, at := range map[string]time.Time{
		`DELETE FROM events WHERE at < $1`:                                                  before,
		`DELETE FROM event_subscriptions WHERE expires > 0 AND expires < $1 AND ending = 0`: now,
	} {
		if _, err := db.sql.Write.ExecContext(ctx, query, at); err != nil {
			return err
		}
	}

	err := db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		err := sqldb.Exec(ctx, t, `
			UPDATE event_subscriptions SET gap = gap + 1 WHERE id IN (
				SELECT subscription FROM event_deliveries WHERE paused < 2 AND `+gone+`)`)
		if err != nil {
			return err
		}
		return sqldb.Exec(ctx, t, `DELETE FROM event_deliveries WHERE `+gone)
	})
	if err != nil {
		return err
	}

	return sqldb.Exec(ctx, db.sql.Write, `
		DELETE FROM event_logs WHERE until < $1 AND NOT EXISTS (
			SELECT 1 FROM event_subscriptions s
			WHERE s.owner = event_logs.owner AND s.name = event_logs.name)`,
		now)
}
