package recordsdb

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"rialto/internal/audit"
	"rialto/store/sqldb"
)

var _ audit.Store = (*Store)(nil)

// Events implements audit.Store. An actor is looked for by ID and by name in two
// queries, each of which has an index.
func (db *Store) Events(ctx context.Context, f audit.Filter) ([]audit.Event, error) {
	var all []audit.Event
	for _, actor := range actorConditions(f) {
		some, err := db.events(ctx, f, actor)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}

	slices.SortStableFunc(all, func(a, b audit.Event) int {
		if f.Reverse {
			a, b = b, a
		}
		return cmp.Or(b.At.Compare(a.At), strings.Compare(b.ID, a.ID))
	})
	return all[:min(len(all), f.Limit)], nil
}

// actorConditions returns the condition on the actor of each query.
func actorConditions(f audit.Filter) []string {
	if f.Actor == "" {
		return []string{""}
	}
	return []string{"actor_id = ?", "actor_id <> ? AND actor = ?"}
}

func (db *Store) events(ctx context.Context, f audit.Filter, actor string) ([]audit.Event, error) {
	l := &sqldb.Listing{Reverse: f.Reverse}
	filterEvents(l, f, actor)
	order := l.After("at", "id", f.After.At, f.After.ID)
	return sqldb.SelectListing(ctx, db.sql, l, scanEvent, `
		SELECT `+eventColumns+` FROM audit`,
		order, f.Limit)
}

func scanEvent(r sqldb.Row) (e audit.Event, err error) {
	err = r.Scan(eventFields(&e)...)
	return e, err
}

// eventFields returns where eventColumns go.
func eventFields(e *audit.Event) []any {
	return []any{
		&e.At,
		&e.ID,
		&e.Kind,
		&e.Outcome,
		&e.ActorID,
		&e.Actor,
		&e.Address,
		&e.Target,
		&e.Detail,
	}
}

// CountEvents implements audit.Store.
func (db *Store) CountEvents(ctx context.Context, f audit.Filter) (n int, err error) {
	for _, actor := range actorConditions(f) {
		l := &sqldb.Listing{}
		filterEvents(l, f, actor)
		some, err := l.Count(ctx, db.sql, "audit", f.Limit)
		if err != nil {
			return 0, err
		}
		n += some
	}
	return min(n, f.Limit), nil
}

// filterEvents adds the conditions of a filter.
func filterEvents(l *sqldb.Listing, f audit.Filter, actor string) {
	if actor != "" {
		l.And(actor, slices.Repeat([]any{f.Actor}, strings.Count(actor, "?"))...)
	}
	if f.Kind != "" {
		if strings.Contains(string(f.Kind), ".") || slices.Contains(audit.Kinds, f.Kind) {
			l.And("kind = ?", string(f.Kind))
		} else {
			l.And("kind LIKE ? ESCAPE '\\'", sqldb.EscapeLike(string(f.Kind))+".%")
		}
	}

	l.AndIfSet("target = ?", f.Target)
	if f.Outcome != "" && f.Outcome != audit.OK {
		l.And("outcome <> 'ok'") // which names the index that has no others
	}

	l.AndIfSet("outcome = ?", string(f.Outcome))
	l.AndIfSet("at >= ?", f.Since)
	l.AndIfSet("at < ?", f.Until)
	if f.Text == "" {
		return
	}

	latest := sqldb.Listing{Where: l.Where, Args: l.Args}
	text := latest.Text(`SELECT at, id, actor, target, detail FROM audit`, `at DESC`, f.Searched)
	l.Where = nil
	l.Args = latest.Args
	pattern := l.Arg(sqldb.Containing(f.Text))
	contains := ` LIKE ` + pattern + ` ESCAPE '\'`
	l.And(`(at, id) IN (
		SELECT at, id FROM (` + text + `) AS latest
		WHERE lower(actor)` + contains + ` OR lower(target)` + contains + ` OR lower(detail)` + contains + `)`)
}
