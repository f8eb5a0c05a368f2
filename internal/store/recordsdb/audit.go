package recordsdb

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"rialto/internal/audit"
	"rialto/internal/store/sqldb"
)

var _ audit.Store = (*Store)(nil)

// AddEvents implements audit.Store.
func (db *Store) AddEvents(ctx context.Context, events []audit.Event) error {
	return db.sql.InTx(ctx, func(t *sqldb.Tx) error {
		for _, e := range events {
			if _, err := t.ExecContext(ctx, `
				INSERT INTO audit (at, id, kind, outcome, actor_id, actor, address, target, detail) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
				ON CONFLICT DO NOTHING`, // it is written again if the answer to a commit was lost
				sqldb.Millis(e.At), e.ID, string(e.Kind), string(e.Outcome), e.ActorID, e.Actor, e.Address, e.Target, e.Detail); err != nil {
				return err
			}
		}
		return nil
	})
}

// Events implements audit.Store. An actor is looked for by ID and by name in two
// queries, each of which has an index.
func (db *Store) Events(ctx context.Context, f audit.Filter) ([]audit.Event, error) {
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

func (db *Store) events(ctx context.Context, f audit.Filter, actor string) ([]audit.Event, error) {
	l := &sqldb.Listing{}
	l.After("at, id", f.After.At, f.After.ID)
	switch n := strings.Count(actor, "?"); n {
	case 1:
		l.And(actor, f.Actor)
	case 2:
		l.And(actor, f.Actor, f.Actor)
	}
	if f.Kind != "" {
		if strings.Contains(string(f.Kind), ".") || slices.Contains(audit.Kinds, f.Kind) {
			l.And("kind = ?", string(f.Kind))
		} else {
			l.And("kind LIKE ? ESCAPE '\\'", strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(string(f.Kind))+".%")
		}
	}
	l.Given("target = ?", f.Target)
	if f.Outcome != "" && f.Outcome != audit.OK {
		l.And("outcome <> 'ok'") // which names the index that has no others
	}
	l.Given("outcome = ?", string(f.Outcome))
	if !f.Since.IsZero() {
		l.And("at >= ?", sqldb.Millis(f.Since))
	}
	if !f.Until.IsZero() {
		l.And("at < ?", sqldb.Millis(f.Until))
	}
	rows, err := l.Query(ctx, db.sql, `SELECT at, id, kind, outcome, actor_id, actor, address, target, detail FROM audit`, `at DESC, id DESC`, f.Limit)
	return sqldb.Collect(rows, err, func(r *sql.Rows) (e audit.Event, err error) {
		var then int64
		err = r.Scan(&then, &e.ID, &e.Kind, &e.Outcome, &e.ActorID, &e.Actor, &e.Address, &e.Target, &e.Detail)
		e.At = sqldb.Time(then)
		return e, err
	})
}

// DropEvents implements audit.Store.
func (db *Store) DropEvents(ctx context.Context, before time.Time, limit int) (int, error) {
	n, err := sqldb.Changed(ctx, db.sql.Write, `DELETE FROM audit WHERE (at, id) IN (SELECT at, id FROM audit WHERE at < $1 ORDER BY at LIMIT $2)`, sqldb.Millis(before), limit)
	return int(n), err
}
