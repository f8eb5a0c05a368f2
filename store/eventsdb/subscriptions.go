package eventsdb

import (
	"context"
	"database/sql"
	"time"

	"rialto/bridge/events"
	"rialto/store/sqldb"
)

const subscriptionColumns = `id, owner, client, grant_id, name, task, agent, context, host, address,
	config, fence, verified, active, expires,
	(SELECT epoch FROM event_logs l
		WHERE l.owner = event_subscriptions.owner AND l.name = event_subscriptions.name),
	position, last, gap, attempts, due, failing, delivered, failure, since, tried, missed, ending`

func scanSubscription(row sqldb.Row) (*events.Subscription, error) {
	var s events.Subscription
	err := row.Scan(
		&s.ID,
		&s.Owner,
		&s.Client,
		&s.Grant,
		&s.Name,
		&s.Task,
		&s.Agent,
		&s.Context,
		&s.Receiver.Host,
		&s.Receiver.Address,
		&s.Receiver.Sealed,
		&s.Fence,
		&s.Verified,
		&s.Active,
		&s.Expires,
		&s.Epoch,
		&s.Position,
		&s.Last,
		&s.Gap,
		&s.Attempts,
		&s.Due,
		&s.Failing,
		&s.Delivered,
		&s.Failure,
		&s.Window.Since,
		&s.Window.Tried,
		&s.Window.Missed,
		&s.Ending,
	)
	return &s, err
}

// Reserve implements events.SubscriptionStore.
func (db *Store) Reserve(
	ctx context.Context,
	s *events.Subscription,
	most, mostOwner int,
) (kept *events.Subscription, at time.Time, err error) {
	var verified time.Time
	err = db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		// The lock counts the owner's subscriptions of this type one after the other.
		if err := lockLog(ctx, t, s); err != nil {
			return err
		}
		err := t.QueryRowContext(ctx, `
			SELECT COALESCE(max(verified), 0) FROM event_subscriptions
			WHERE owner = $1 AND client = $2 AND address = $3`,
			s.Owner, s.Client, s.Receiver.Address).Scan(&verified)
		if err == nil {
			kept, err = find(ctx, t, s.ID)
		}
		if err != nil || kept != nil {
			return err
		}
		var all, own int
		err = t.QueryRowContext(ctx, `
			SELECT (SELECT count(*) FROM event_subscriptions),
				(SELECT count(*) FROM event_subscriptions WHERE owner = $1)`,
			s.Owner).Scan(&all, &own)
		switch {
		case err != nil:
			return err
		case own >= mostOwner:
			return events.ErrFullOwner
		case all >= most:
			return events.ErrFull
		}
		_, err = t.ExecContext(ctx, `
			INSERT INTO event_subscriptions (
				id, owner, client, grant_id, name, task, agent, context, host, address,
				config, fence, expires)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
			s.ID, s.Owner, s.Client, s.Grant, s.Name, s.Task, s.Agent, s.Context, s.Receiver.Host,
			s.Receiver.Address, s.Receiver.Sealed, s.Fence, s.Expires)
		if err == nil {
			kept, err = find(ctx, t, s.ID)
		}
		return err
	})
	return kept, verified, err
}

// lockLog locks the log of a subscription until the transaction ends.
func lockLog(ctx context.Context, t *sqldb.Tx, s *events.Subscription) error {
	return sqldb.Exec(ctx, t, `
		UPDATE event_logs SET until = until WHERE owner = $1 AND name = $2`,
		s.Owner, s.Name)
}

func find(ctx context.Context, q sqldb.Querier, id string) (*events.Subscription, error) {
	s, err := scanSubscription(q.QueryRowContext(ctx, `
		SELECT `+subscriptionColumns+` FROM event_subscriptions WHERE id = $1`,
		id))
	if err != nil {
		return nil, sqldb.NoRow(err, nil)
	}
	return s, nil
}

// Confirm implements events.SubscriptionStore. The lock on the log is taken first, as by a task that
// ends: an event is found here, or it finds the subscription.
func (db *Store) Confirm(ctx context.Context, s *events.Subscription) (ok bool, err error) {
	err = db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		if err := lockLog(ctx, t, s); err != nil {
			return err
		}
		_, err := t.ExecContext(ctx, `
			UPDATE event_subscriptions SET position = $3, gap = $4, last = COALESCE((
				SELECT max(seq) FROM events e
				WHERE e.owner = event_subscriptions.owner AND e.name = event_subscriptions.name
				AND task IN ('', e.handle) AND event_subscriptions.agent IN ('', e.agent)
				AND context IN ('', e.context_id)), 0)
			WHERE id = $1 AND fence = $2 AND verified = 0`,
			s.ID, s.Fence, s.Position, s.Gap)
		if err != nil {
			return err
		}
		n, err := sqldb.Changed(ctx, t, `
			UPDATE event_subscriptions SET
				grant_id = $3, config = $4, verified = $5, active = 1, ending = 0, expires = $6,
				due = 0, attempts = 0, holder = '',
				failing = CASE active WHEN 1 THEN failing ELSE 0 END,
				since   = CASE active WHEN 1 THEN since ELSE 0 END
			WHERE id = $1 AND fence = $2`,
			s.ID, s.Fence, s.Grant, s.Receiver.Sealed, s.Verified, s.Expires)
		ok = n > 0
		if err != nil || !ok {
			return err
		}
		kept, err := find(ctx, t, s.ID)
		if err == nil {
			*s = *kept
		}
		return err
	})
	return ok, err
}

// Drop implements events.SubscriptionStore.
func (db *Store) Drop(ctx context.Context, id, fence string) (*events.Subscription, error) {
	dropped, err := sqldb.Select(ctx, db.sql.Write, scanSubscription, `
		DELETE FROM event_subscriptions
		WHERE id = $1 AND ($2 = '' OR fence = $2 AND verified = 0)
		RETURNING `+subscriptionColumns,
		id, fence)
	if err != nil || len(dropped) == 0 {
		return nil, err
	}
	return dropped[0], nil
}

// maxExcept is how many hosts a claim can leave out.
const maxExcept = 4

const (
	waiting = `active = 1 AND (last > position OR ending = 1)`
	free    = waiting + ` AND due <= $3 AND (holder IN ('', $1) OR holder NOT IN (SELECT id FROM replicas))`
	claimed = `
		UPDATE event_subscriptions SET holder = $1, due = $2 WHERE ` + free + ` AND id IN `
)

var due = `
	SELECT id FROM event_subscriptions
	WHERE ` + free + ` AND (expires = 0 OR expires > $5 OR ending = 1)
	AND host NOT IN (` + sqldb.Placeholders(6, maxExcept) + `)
	ORDER BY due LIMIT $4`

// claim leaves out rows that another transaction locks on PostgreSQL, whose text is under true.
var claim = map[bool]string{
	false: claimed + `(` + due + `) RETURNING ` + subscriptionColumns,
	true: `WITH chosen AS MATERIALIZED (` + due + ` FOR UPDATE SKIP LOCKED) ` +
		claimed + `(SELECT id FROM chosen) RETURNING ` + subscriptionColumns,
}

// Claim implements push.Queue.
func (db *Store) Claim(
	ctx context.Context,
	replica string,
	now, until time.Time,
	limit int,
	except []string,
) ([]*events.Subscription, error) {
	args := []any{replica, until, now, limit, now}
	hosts := make([]string, maxExcept)
	copy(hosts, except)
	for _, host := range hosts {
		args = append(args, host)
	}
	return sqldb.Select(ctx, db.sql.Write, scanSubscription, claim[db.sql.Postgres], args...)
}

// Next implements push.Queue.
func (db *Store) Next(ctx context.Context) (time.Time, error) {
	var at sql.NullInt64
	err := db.sql.Read.QueryRowContext(ctx, `
		SELECT min(due) FROM event_subscriptions WHERE `+waiting).Scan(&at)
	if err != nil || !at.Valid {
		return time.Time{}, err
	}
	return time.UnixMilli(at.Int64), nil
}

// Release implements push.Queue.
func (db *Store) Release(ctx context.Context, replica string, now time.Time) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		UPDATE event_subscriptions SET holder = '', due = $1 WHERE holder = $2`,
		now, replica)
}

// Settle implements events.SubscriptionStore. It changes nothing if the subscription was renewed
// during the attempt.
func (db *Store) Settle(ctx context.Context, s *events.Subscription, replica string) error {
	if s.Ended {
		return sqldb.Exec(ctx, db.sql.Write, `
			DELETE FROM event_subscriptions WHERE id = $1 AND fence = $2 AND holder = $3`,
			s.ID, s.Fence, replica)
	}
	return sqldb.Exec(ctx, db.sql.Write, `
		UPDATE event_subscriptions SET
			holder = '', active = $4, position = $5,
			last = CASE WHEN last < $5 THEN $5 ELSE last END,
			gap = $6, attempts = $7, due = $8, failing = $9, delivered = $10, failure = $11,
			since = $12, tried = $13, missed = $14, ending = $15
		WHERE id = $1 AND fence = $2 AND holder = $3`,
		s.ID, s.Fence, replica, s.Active, s.Position, s.Gap, s.Attempts, s.Due, s.Failing,
		s.Delivered, s.Failure, s.Window.Since, s.Window.Tried, s.Window.Missed, s.Ending)
}

// Grants implements events.SubscriptionStore.
func (db *Store) Grants(ctx context.Context) ([]string, error) {
	return sqldb.Select(ctx, db.sql.Read, sqldb.Value[string], `
		SELECT DISTINCT grant_id FROM event_subscriptions WHERE ending = 0`)
}

// End implements events.SubscriptionStore.
func (db *Store) End(ctx context.Context, grant string) error {
	return sqldb.Exec(ctx, db.sql.Write, `
		UPDATE event_subscriptions SET ending = 1, active = 1, due = 0, attempts = 0, holder = ''
		WHERE grant_id = $1 AND ending = 0 AND verified > 0`,
		grant)
}
