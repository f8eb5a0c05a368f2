package eventsdb

import (
	"context"
	"time"

	"rialto/bridge/events"
	"rialto/store/sqldb"
)

// maxExcept is how many hosts a claim can leave out.
const maxExcept = 4

const (
	// waiting chooses the events that are the earliest of their lane.
	waiting = ` FROM event_deliveries d WHERE d.paused = 0 AND NOT EXISTS (
		SELECT 1 FROM event_deliveries o
		WHERE o.address = d.address AND o.lane = d.lane AND o.paused = 0 AND o.at < d.at)`

	unheld  = `(holder IN ('', $1) OR holder NOT IN (SELECT id FROM replicas))`
	claimed = `
		UPDATE event_deliveries SET holder = $1, due = $2
		WHERE paused = 0 AND due <= $3 AND ` + unheld + ` AND (subscription, seq) IN `
	deliveryColumns = `subscription, seq, attempts, body,
		(SELECT host FROM event_subscriptions s WHERE s.id = event_deliveries.subscription)`
)

var due = `
	SELECT d.subscription, d.seq` + waiting + ` AND d.due <= $3 AND ` + unheld + ` AND EXISTS (
		SELECT 1 FROM event_subscriptions s
		WHERE s.id = d.subscription AND (s.expires = 0 OR s.expires > $3 OR s.ending = 1)
		AND s.host NOT IN (` + sqldb.Placeholders(5, maxExcept) + `))
	ORDER BY d.due LIMIT $4`

// claim leaves out rows that another transaction locks on PostgreSQL, whose text is under true.
var claim = map[bool]string{
	false: claimed + `(` + due + `) RETURNING ` + deliveryColumns,
	true: `WITH chosen AS MATERIALIZED (` + due + ` FOR UPDATE OF d SKIP LOCKED) ` +
		claimed + `(SELECT subscription, seq FROM chosen) RETURNING ` + deliveryColumns,
}

// Claim implements push.Queue.
func (db *Store) Claim(
	ctx context.Context,
	replica string,
	now, until time.Time,
	limit int,
	except []string,
) ([]*events.Delivery, error) {
	args := []any{replica, until, now, limit}
	hosts := make([]string, maxExcept)
	copy(hosts, except)
	for _, host := range hosts {
		args = append(args, host)
	}

	scan := func(r sqldb.Row) (*events.Delivery, error) {
		var d events.Delivery
		return &d, r.Scan(&d.Subscription, &d.Seq, &d.Attempts, &d.Body, &d.Host)
	}
	return sqldb.Select(ctx, db.sql.Write, scan, claim[db.sql.Postgres], args...)
}

// Next implements push.Queue.
func (db *Store) Next(ctx context.Context, now time.Time) (time.Time, error) {
	var at time.Time
	err := db.sql.Read.QueryRowContext(ctx, `SELECT d.due`+waiting+` AND EXISTS (
		SELECT 1 FROM event_subscriptions s
		WHERE s.id = d.subscription AND (s.expires = 0 OR s.expires > $1 OR s.ending = 1))
		ORDER BY d.due LIMIT 1`, now).Scan(&at)
	return at, sqldb.NoRow(err, nil)
}

// Release implements push.Queue.
func (db *Store) Release(ctx context.Context, replica string, now time.Time) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		UPDATE event_deliveries SET holder = '', due = $1 WHERE holder = $2`,
		now, replica)
}

// Settle implements events.SubscriptionStore. It locks the subscription, so that the attempts of
// several of its events count.
func (db *Store) Settle(
	ctx context.Context,
	d *events.Delivery,
	replica string,
	outcome func(*events.Subscription),
) error {
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		held, err := sqldb.Select(ctx, t, scanSubscription, `
			UPDATE event_subscriptions SET id = id WHERE id = $1 AND EXISTS (
				SELECT 1 FROM event_deliveries d WHERE d.subscription = $1 AND d.seq = $2 AND d.holder = $3)
			RETURNING `+subscriptionColumns,
			d.Subscription, d.Seq, replica)
		if err != nil || len(held) == 0 {
			return err
		}

		s := held[0]
		ending := s.Ending
		outcome(s)
		if s.Ended {
			return sqldb.Exec(ctx, t, `DELETE FROM event_subscriptions WHERE id = $1`, s.ID)
		}
		if err := saveDelivery(ctx, t, d); err != nil {
			return err
		}
		err = sqldb.Exec(ctx, t, `
			UPDATE event_subscriptions SET active = $2, gap = $3, failing = $4, delivered = $5, failure = $6,
				since = $7, tried = $8, missed = $9, ending = $10
			WHERE id = $1`,
			s.ID, s.Active, s.Gaps, s.Failing, s.Delivered, s.Failure, s.Window.Since, s.Window.Tried,
			s.Window.Missed, s.Ending)
		switch {
		case err != nil:
			return err
		case s.Ending && !ending:
			return announceEnd(ctx, t, s.ID)
		case !s.Active:
			return pause(ctx, t, s.ID)
		}
		return nil
	})
}

// saveDelivery records what an attempt did with a delivery.
func saveDelivery(ctx context.Context, t *sqldb.Tx, d *events.Delivery) error {
	if d.Done {
		return sqldb.Exec(ctx, t, `
			DELETE FROM event_deliveries WHERE subscription = $1 AND seq = $2`,
			d.Subscription, d.Seq)
	}
	return sqldb.Exec(ctx, t, `
		UPDATE event_deliveries SET holder = '', attempts = $3, due = $4, body = $5,
			paused = CASE CAST($6 AS BIGINT) WHEN 1 THEN 2 ELSE paused END
		WHERE subscription = $1 AND seq = $2`,
		d.Subscription, d.Seq, d.Attempts, d.Due, d.Body, d.GivenUp)
}

// pause keeps the events of a subscription that is suspended, or ends.
func pause(ctx context.Context, t *sqldb.Tx, id string) error {
	return sqldb.Exec(ctx, t, `
		UPDATE event_deliveries SET paused = 1 WHERE subscription = $1 AND paused = 0`,
		id)
}

// announceEnd makes the notice that a subscription has ended due, instead of its events.
func announceEnd(ctx context.Context, t *sqldb.Tx, id string) error {
	if err := pause(ctx, t, id); err != nil {
		return err
	}
	return sqldb.Exec(ctx, t, `
		INSERT INTO event_deliveries (subscription, seq, address, lane, at, due)
		SELECT id, 0, address, '', 0, 0 FROM event_subscriptions WHERE id = $1
		ON CONFLICT (subscription, seq) DO NOTHING`,
		id)
}

// resume makes the events of a subscription due, and those that were given up if paused is 2. What
// another process delivers now keeps its lease.
func resume(ctx context.Context, t *sqldb.Tx, id string, paused int) error {
	return sqldb.Exec(ctx, t, `
		UPDATE event_deliveries SET attempts = 0, paused = 0, due = CASE holder WHEN '' THEN 0 ELSE due END
		WHERE subscription = $1 AND paused <= $2`,
		id, paused)
}

// Redeliver implements events.SubscriptionStore.
func (db *Store) Redeliver(ctx context.Context, owner, id string) error {
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		err := sqldb.MustChange(ctx, t, events.ErrNoSubscription, `
			UPDATE event_subscriptions SET active = 1, failing = 0, since = 0
			WHERE id = $1 AND owner = $2 AND verified > 0 AND ending = 0`,
			id, owner)
		if err != nil {
			return err
		}
		return resume(ctx, t, id, 2)
	})
}
