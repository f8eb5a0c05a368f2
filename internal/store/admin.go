package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/oauth"
)

var _ operator.Store = (*DB)(nil)

// liveGrants is the condition for a grant of our own being live at a moment; a
// child's parent is looked at where it is used.
const liveGrants = `revoked = 0 AND expires > `

// countLive counts a client's live grants, as far as anybody wants to know.
func countLive(whose string) string {
	return fmt.Sprintf(`(SELECT count(*) FROM (SELECT 1 FROM grants WHERE %s AND %s $1 LIMIT %d) AS counted)`, whose, liveGrants, operator.MostCounted)
}

// ListClients implements operator.Store. Two lists of one order are merged.
func (db *DB) ListClients(ctx context.Context, f operator.ClientFilter, page operator.Rows) ([]operator.ClientRow, error) {
	var all []operator.ClientRow
	if f.Kind != operator.Document {
		l := &listing{args: []any{ms(page.Now)}}
		rows, err := l.clients(ctx, db, selectClients, clientTerms, "c.registered", f, page)
		found, err := collect(rows, err, func(r *sql.Rows) (operator.ClientRow, error) { return scanClientRow(r) })
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	if f.Kind != operator.Registered {
		l := &listing{args: []any{ms(page.Now)}}
		rows, err := l.clients(ctx, db, selectDocuments, documentTerms, "c.fetched", f, page)
		found, err := collect(rows, err, func(r *sql.Rows) (operator.ClientRow, error) { return scanDocumentRow(r) })
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	slices.SortStableFunc(all, func(a, b operator.ClientRow) int {
		if f.Text != "" {
			return cmp.Or(strings.Compare(a.Term, b.Term), strings.Compare(a.ID(), b.ID()))
		}
		return cmp.Or(b.Since.Compare(a.Since), strings.Compare(b.ID(), a.ID()))
	})
	return all[:min(len(all), page.Limit)], nil
}

// clients asks for clients of one kind, with the term that found each.
func (l *listing) clients(ctx context.Context, db *DB, selection, terms, since string, f operator.ClientFilter, page operator.Rows) (*sql.Rows, error) {
	if f.Text == "" {
		l.after(since+", c.id", page.After)
		return l.query(ctx, db, fmt.Sprintf(selection, "''", ""), since+` DESC, c.id DESC`, page.Limit)
	}
	order := l.found(terms, f.Text, page.After)
	return l.query(ctx, db, fmt.Sprintf(selection, "s.term", ` JOIN `+terms+` s ON s.id = c.id`), order, page.Limit)
}

var (
	selectClients = `SELECT c.id, c.name, c.uri, c.redirect_uris, c.auth_method, c.grant_types, c.registered, %s, ` + clientUse + ` FROM clients c%s`

	selectDocuments = `SELECT c.id, c.body, c.fetched, c.fresh, c.expires, %s, ` + clientUse + ` FROM client_documents c%s`

	clientUse = `(SELECT COALESCE(max(used), 0) FROM grants WHERE client_id = c.id), ` + countLive(`client_id = c.id`)
)

func scanClientRow(row scanner) (r operator.ClientRow, err error) {
	c := &oauth.Client{}
	var redirects, grants string
	var registered, used int64
	err = row.Scan(&c.ID, &c.Name, &c.URI, &redirects, &c.AuthMethod, &grants, &registered, &r.Term, &used, &r.Grants)
	c.RedirectURIs, c.GrantTypes, c.Registered = strings.Fields(redirects), strings.Fields(grants), at(registered)
	r.Client, r.Since, r.Used = c, c.Registered, at(used)
	return r, err
}

func scanDocumentRow(row scanner) (r operator.ClientRow, err error) {
	d := &oauth.Document{}
	var fetched, fresh, expires, used int64
	err = row.Scan(&d.ID, &d.Body, &fetched, &fresh, &expires, &r.Term, &used, &r.Grants)
	d.Fetched, d.Fresh, d.Expires = at(fetched), at(fresh), at(expires)
	r.Document, r.Since, r.Used = d, d.Fetched, at(used)
	return r, err
}

// ClientRow implements operator.Store.
func (db *DB) ClientRow(ctx context.Context, id string, now time.Time) (*operator.ClientRow, error) {
	r, err := scanClientRow(db.read.QueryRowContext(ctx, fmt.Sprintf(selectClients, "''", "")+` WHERE c.id = $2`, ms(now), id))
	if errors.Is(err, sql.ErrNoRows) {
		r, err = scanDocumentRow(db.read.QueryRowContext(ctx, fmt.Sprintf(selectDocuments, "''", "")+` WHERE c.id = $2`, ms(now), id))
	}
	if err != nil {
		return nil, found(err)
	}
	return &r, nil
}

// UseOf implements operator.Store.
func (db *DB) UseOf(ctx context.Context, client string, now time.Time) (used time.Time, live int, err error) {
	var last int64
	err = db.read.QueryRowContext(ctx, `SELECT (SELECT COALESCE(max(used), 0) FROM grants WHERE client_id = $2), `+countLive(`client_id = $2`),
		ms(now), client).Scan(&last, &live)
	return at(last), live, err
}

// ListGrants implements operator.Store.
func (db *DB) ListGrants(ctx context.Context, f operator.GrantFilter, page operator.Rows) ([]operator.Grant, error) {
	l := &listing{}
	l.after("g.created, g.id", page.After)
	l.given("g.account_id = ?", f.AccountID)
	l.given("g.client_id = ?", f.ClientID)
	if f.Live {
		l.and("g.revoked = 0 AND g.expires > ? AND a.disabled = 0", ms(page.Now))
		l.and("(g.parent = '' OR EXISTS (SELECT 1 FROM grants p WHERE p.id = g.parent AND p.revoked = 0))")
	}
	rows, err := l.query(ctx, db, `SELECT `+grantColumns+`, COALESCE(c.name, '')
		FROM grants g JOIN accounts a ON a.id = g.account_id LEFT JOIN clients c ON c.id = g.client_id`, `g.created DESC, g.id DESC`, page.Limit)
	return collect(rows, err, func(r *sql.Rows) (operator.Grant, error) {
		var name string
		g, err := scanGrant(r, &name)
		if err != nil {
			return operator.Grant{}, err
		}
		return operator.NewGrant(g, name), nil
	})
}

// ListAccounts implements operator.Store.
func (db *DB) ListAccounts(ctx context.Context, f operator.AccountFilter, page operator.Rows) ([]operator.Account, error) {
	l := &listing{args: []any{ms(page.Now)}}
	term, join, order := "''", "", "a.name"
	if f.Text != "" {
		term, join, order = "s.term", ` JOIN account_terms s ON s.id = a.id`, l.found(accountTerms, f.Text, page.After)
	} else {
		l.given("a.name > ?", page.After.ID)
	}
	if f.Admin {
		l.and("a.admin = 1")
	}
	if f.Disabled {
		l.and("a.disabled = 1")
	}
	rows, err := l.query(ctx, db, `SELECT a.id, a.name, a.issuer, a.admin, a.disabled, a.usecases, a.created, `+term+`, `+
		countLive(`account_id = a.id`)+` FROM accounts a`+join, order, page.Limit)
	return collect(rows, err, func(r *sql.Rows) (a operator.Account, err error) {
		var isAdmin, disabled, created int64
		var useCases string
		err = r.Scan(&a.ID, &a.Name, &a.Issuer, &isAdmin, &disabled, &useCases, &created, &a.Term, &a.Grants)
		a.Admin, a.Disabled, a.UseCases, a.Created = isAdmin != 0, disabled != 0, words(useCases), at(created)
		return a, err
	})
}

// ListTasks implements operator.Store.
func (db *DB) ListTasks(ctx context.Context, f operator.TaskFilter, page operator.Rows) ([]operator.Task, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	l := &listing{}
	l.given("t.owner = ?", f.OwnerID)
	created := l.tasks(page.After, f.Agent, f.State)
	if !f.Since.IsZero() {
		l.and("t.created >= ?", ms(f.Since))
	}
	if !f.Until.IsZero() {
		l.and("t.created < ?", ms(f.Until))
	}
	rows, err := l.query(ctx, db, `SELECT t.handle, t.owner, COALESCE(a.name, ''), t.client, t.agent, t.state, t.summary, t.created, t.updated
		FROM tasks t LEFT JOIN accounts a ON a.id = t.owner`, created+` DESC, t.handle DESC`, page.Limit)
	return collect(rows, err, func(r *sql.Rows) (t operator.Task, err error) {
		var created, updated int64
		err = r.Scan(&t.ID, &t.OwnerID, &t.Owner, &t.Client, &t.Agent, &t.State, &t.Message, &created, &updated)
		t.Created, t.Updated = at(created), at(updated)
		return t, err
	})
}

// tasks adds which tasks are listed, and returns the column that sorts them. What
// the conditions on the state say besides it names the partial index that fits.
// The tasks that run are few: adding 0 keeps SQLite from looking for them in the
// order of time, among all the others.
func (l *listing) tasks(after operator.Mark, agent string, state a2a.State) (created string) {
	running := state == a2a.Submitted || state == a2a.Working
	created = "t.created"
	if running {
		created = "t.created + 0"
	}
	l.after(created+", t.handle", after)
	l.given("t.agent = ?", agent)
	switch {
	case running:
		l.and("t.settled = 0 AND t.state = ?", string(state))
	case state == a2a.Completed:
		l.and("t.settled = 1 AND t.state = 'completed'")
	case state == a2a.Unknown:
		l.and("t.state = 'unknown'")
	case state != "":
		l.and("t.settled = 1 AND t.state <> 'completed' AND t.state = ?", string(state))
	}
	return created
}

// AnyTask implements operator.Store.
func (db *DB) AnyTask(ctx context.Context, handle string) (*ledger.Record, error) {
	if err := db.flush(ctx); err != nil {
		return nil, err
	}
	e, err := scanEntry(db.read.QueryRowContext(ctx, `SELECT `+entryColumns+` FROM tasks WHERE handle = $1`, handle))
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ledger.ErrNoTask
	}
	return e, err
}
