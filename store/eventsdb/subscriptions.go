package eventsdb

import (
	"context"
	"strings"
	"time"

	"rialto/bridge/events"
	"rialto/store/sqldb"
)

// subscriptionColumns has as position the number up to which all events were delivered or given up.
const subscriptionColumns = `id, owner, client, grant_id, name, task, agent, context, states, host, address,
	config, fence, verified, active, expires,
	(SELECT epoch FROM event_logs l
		WHERE l.owner = event_subscriptions.owner AND l.name = event_subscriptions.name),
	COALESCE(
		(SELECT min(seq) - 1 FROM event_deliveries d
			WHERE d.subscription = event_subscriptions.id AND d.seq > 0 AND d.paused < 2),
		(SELECT last FROM event_logs l
			WHERE l.owner = event_subscriptions.owner AND l.name = event_subscriptions.name)),
	(SELECT count(*) FROM event_deliveries d
		WHERE d.subscription = event_subscriptions.id AND d.paused = 2),
	gap, failing, delivered, failure, since, tried, missed, ending`

func scanSubscription(row sqldb.Row) (*events.Subscription, error) {
	var s events.Subscription
	var states string
	err := row.Scan(
		&s.ID,
		&s.Owner,
		&s.Client,
		&s.Grant,
		&s.Name,
		&s.Task,
		&s.Agent,
		&s.Context,
		&states,
		&s.Receiver.Host,
		&s.Receiver.Address,
		&s.Receiver.Sealed,
		&s.Fence,
		&s.Verified,
		&s.Active,
		&s.Expires,
		&s.Epoch,
		&s.Position,
		&s.GivenUp,
		&s.Gaps,
		&s.Failing,
		&s.Delivered,
		&s.Failure,
		&s.Window.Since,
		&s.Window.Tried,
		&s.Window.Missed,
		&s.Ending,
	)
	s.States = strings.Fields(states)
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
				id, owner, client, grant_id, name, task, agent, context, states, host, address,
				config, fence, expires)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
			s.ID, s.Owner, s.Client, s.Grant, s.Name, s.Task, s.Agent, s.Context,
			listOf(s.States), s.Receiver.Host, s.Receiver.Address, s.Receiver.Sealed, s.Fence, s.Expires)
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
		if err := replay(ctx, t, s); err != nil {
			return err
		}
		n, err := sqldb.Changed(ctx, t, `
			UPDATE event_subscriptions SET
				grant_id = $3, config = $4, verified = $5, expires = $6,
				gap     = CASE verified WHEN 0 THEN $7 ELSE gap END,
				failing = CASE active WHEN 1 THEN failing ELSE 0 END,
				since   = CASE active WHEN 1 THEN since ELSE 0 END,
				active  = 1, ending = 0
			WHERE id = $1 AND fence = $2`,
			s.ID, s.Fence, s.Grant, s.Receiver.Sealed, s.Verified, s.Expires, s.Gaps)
		ok = n > 0
		if err != nil || !ok {
			return err
		}
		err = sqldb.Exec(ctx, t, `DELETE FROM event_deliveries WHERE subscription = $1 AND seq = 0`, s.ID)
		if err == nil {
			err = resume(ctx, t, s.ID, 1)
		}
		if err != nil {
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

// replay adds the events after s.Position to what a new subscription is to get.
func replay(ctx context.Context, t *sqldb.Tx, s *events.Subscription) error {
	return sqldb.Exec(ctx, t, `
		INSERT INTO event_deliveries (subscription, seq, address, lane, at, due)
		SELECT s.id, e.seq, s.address, CASE e.handle WHEN '' THEN e.agent ELSE e.handle END, e.at, e.at
		FROM event_subscriptions s JOIN events e ON e.owner = s.owner AND e.name = s.name AND e.seq > $3
		WHERE s.id = $1 AND s.fence = $2 AND s.verified = 0
		AND s.task IN ('', e.handle) AND s.agent IN ('', e.agent) AND s.context IN ('', e.context_id)
		AND (s.states = '' OR s.states LIKE '% ' || e.state || ' %')`,
		s.ID, s.Fence, s.Position)
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

// Subscription implements events.SubscriptionStore.
func (db *Store) Subscription(ctx context.Context, id string) (*events.Subscription, error) {
	return find(ctx, db.sql.Read, id)
}

// OwnSubscriptions implements events.SubscriptionStore.
func (db *Store) OwnSubscriptions(
	ctx context.Context,
	owner string,
) ([]*events.Subscription, error) {
	return sqldb.Select(ctx, db.sql.Read, scanSubscription, `
		SELECT `+subscriptionColumns+` FROM event_subscriptions
		WHERE owner = $1 AND verified > 0 ORDER BY verified DESC, id`,
		owner)
}

// Grants implements events.SubscriptionStore.
func (db *Store) Grants(ctx context.Context) ([]string, error) {
	return sqldb.Select(ctx, db.sql.Read, sqldb.Value[string], `
		SELECT DISTINCT grant_id FROM event_subscriptions WHERE ending = 0`)
}

// End implements events.SubscriptionStore.
func (db *Store) End(ctx context.Context, grant string) error {
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		ended, err := sqldb.Select(ctx, t, sqldb.Value[string], `
			UPDATE event_subscriptions SET ending = 1, active = 1
			WHERE grant_id = $1 AND ending = 0 AND verified > 0 RETURNING id`,
			grant)
		for _, id := range ended {
			if err == nil {
				err = announceEnd(ctx, t, id)
			}
		}
		return err
	})
}

// listOf is a list of words as a column holds it, with a space before and after each.
func listOf(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return " " + strings.Join(words, " ") + " "
}
