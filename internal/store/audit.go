package store

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"rialto/bridge/operator"
	"rialto/internal/audit"
)

var _ audit.Store = (*DB)(nil)

// AddEvents implements audit.Store.
func (db *DB) AddEvents(ctx context.Context, events []audit.Event) error {
	return db.inTx(ctx, func(t *tx) error {
		for _, e := range events {
			if _, err := t.ExecContext(ctx, `
				INSERT INTO audit (at, id, kind, outcome, actor_id, actor, address, target, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
				ON CONFLICT DO NOTHING`, // it is written again after a commit of which nobody heard
				ms(e.At), e.ID, string(e.Kind), string(e.Outcome), e.ActorID, e.Actor, e.Address, e.Target, e.Detail); err != nil {
				return err
			}
		}
		return nil
	})
}

// Events implements audit.Store. An actor is looked for by ID and by name in two
// queries, each of which has an index.
func (db *DB) Events(ctx context.Context, f audit.Filter) ([]audit.Event, error) {
	if f.Actor == "" {
		return db.events(ctx, f, "")
	}
	byID, err := db.events(ctx, f, "actor_id = ?")
	if err != nil {
		return nil, err
	}
	byName, err := db.events(ctx, f, "actor_id <> ? AND actor = ?")
	if err != nil {
		return nil, err
	}
	all := append(byID, byName...)
	slices.SortFunc(all, func(a, b audit.Event) int {
		if c := b.At.Compare(a.At); c != 0 {
			return c
		}
		return strings.Compare(b.ID, a.ID)
	})
	return all[:min(len(all), f.Limit)], nil
}

func (db *DB) events(ctx context.Context, f audit.Filter, actor string) ([]audit.Event, error) {
	l := &listing{}
	l.after("at, id", operator.Mark{At: f.After.At, ID: f.After.ID})
	switch n := strings.Count(actor, "?"); n {
	case 1:
		l.and(actor, f.Actor)
	case 2:
		l.and(actor, f.Actor, f.Actor)
	}
	if f.Kind != "" {
		if strings.Contains(string(f.Kind), ".") || slices.Contains(audit.Kinds, f.Kind) {
			l.and("kind = ?", string(f.Kind))
		} else {
			l.and("kind LIKE ? ESCAPE '\\'", strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(string(f.Kind))+".%")
		}
	}
	l.given("target = ?", f.Target)
	if f.Outcome != "" && f.Outcome != audit.OK {
		l.and("outcome <> 'ok'") // which names the index that has no others
	}
	l.given("outcome = ?", string(f.Outcome))
	if !f.Since.IsZero() {
		l.and("at >= ?", ms(f.Since))
	}
	if !f.Until.IsZero() {
		l.and("at < ?", ms(f.Until))
	}
	rows, err := l.query(ctx, db, `SELECT at, id, kind, outcome, actor_id, actor, address, target, detail FROM audit`, `at DESC, id DESC`, f.Limit)
	return collect(rows, err, func(r *sql.Rows) (e audit.Event, err error) {
		var then int64
		err = r.Scan(&then, &e.ID, &e.Kind, &e.Outcome, &e.ActorID, &e.Actor, &e.Address, &e.Target, &e.Detail)
		e.At = at(then)
		return e, err
	})
}

// DropEvents implements audit.Store.
func (db *DB) DropEvents(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := changed(ctx, db.write, `DELETE FROM audit WHERE (at, id) IN (SELECT at, id FROM audit WHERE at < $1 ORDER BY at LIMIT $2)`, ms(before), limit)
	return int(n), err
}
