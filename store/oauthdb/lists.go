package oauthdb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rialto/bridge/operator"
	"rialto/oauth"
	"rialto/store/sqldb"
)

// Lists implements operator.Store.
type Lists struct{ sql *sqldb.DB }

var _ operator.Store = (*Lists)(nil)

// liveGrants is the condition for a grant of our own being live at a moment; a
// child's parent is looked at where it is used.
const liveGrants = `revoked = 0 AND expires > `

// countLive counts live grants, up to MostCounted.
func countLive(whose string) string {
	return fmt.Sprintf(
		`(SELECT count(*) FROM (SELECT 1 FROM grants WHERE %s AND %s $1 LIMIT %d) AS counted)`,
		whose, liveGrants, operator.MostCounted,
	)
}

// ListClients implements operator.Store. Two lists of one order are merged.
func (db *Lists) ListClients(
	ctx context.Context, f operator.ClientFilter, page operator.Rows,
) ([]operator.ClientRow, error) {
	var all []operator.ClientRow
	for _, kind := range clientKinds {
		if f.Kind == kind.without {
			continue
		}
		found, err := kind.list(ctx, db.sql, f, page)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}

	slices.SortStableFunc(all, func(a, b operator.ClientRow) int {
		if page.Reverse {
			a, b = b, a
		}
		if f.Text != "" {
			return cmp.Or(strings.Compare(a.Term, b.Term), strings.Compare(a.ID(), b.ID()))
		}
		return cmp.Or(b.Since.Compare(a.Since), strings.Compare(b.ID(), a.ID()))
	})
	return all[:min(len(all), page.Limit)], nil
}

// clientKind is how clients of one kind are found.
type clientKind struct {
	without   operator.Kind // the filter that leaves them out
	from      string
	terms     string
	since     string
	selection string
	scan      func(sqldb.Row) (operator.ClientRow, error)
}

var clientKinds = []clientKind{
	{operator.Document, "clients c", clientTerms, "c.registered", selectClients, scanClientRow},
	{operator.Registered, "client_documents c", documentTerms, "c.fetched", selectDocuments, scanDocumentRow},
}

// list asks for clients, with the term that found each.
func (k clientKind) list(
	ctx context.Context, db *sqldb.DB, f operator.ClientFilter, page operator.Rows,
) ([]operator.ClientRow, error) {
	l := &sqldb.Listing{Args: []any{page.Now}, Reverse: page.Reverse}
	term := "''"
	join := ""
	var order string
	if f.Text == "" {
		order = l.After(k.since, "c.id", page.After.At, page.After.ID)
	} else {
		term = "s.term"
		join = ` JOIN ` + k.terms + ` s ON s.id = c.id`
		order = findTerms(l, k.terms, f.Text, page.After)
	}

	selection := fmt.Sprintf(k.selection, term, join)
	return sqldb.SelectListing(ctx, db, l, k.scan, selection, order, page.Limit)
}

var (
	selectClients = `
		SELECT c.id, c.name, c.uri, c.redirect_uris, c.auth_method, c.grant_types, c.registered, %s,
			` + clientUse + `
		FROM clients c%s`

	selectDocuments = `
		SELECT c.id, c.body, c.fetched, c.fresh, c.expires, %s, ` + clientUse + `
		FROM client_documents c%s`

	clientUse = `(SELECT COALESCE(max(used), 0) FROM grants WHERE client_id = c.id), ` +
		countLive(`client_id = c.id`)
)

func scanClientRow(row sqldb.Row) (r operator.ClientRow, err error) {
	c := &oauth.Client{}
	var redirects, grants string
	err = row.Scan(
		&c.ID,
		&c.Name,
		&c.URI,
		&redirects,
		&c.AuthMethod,
		&grants,
		&c.Registered,
		&r.Term,
		&r.Used,
		&r.Grants,
	)
	c.RedirectURIs, c.GrantTypes = strings.Fields(redirects), strings.Fields(grants)
	r.Client = c
	r.Since = c.Registered
	return r, err
}

func scanDocumentRow(row sqldb.Row) (r operator.ClientRow, err error) {
	d := &oauth.Document{}
	err = row.Scan(&d.ID, &d.Body, &d.Fetched, &d.Fresh, &d.Expires, &r.Term, &r.Used, &r.Grants)
	r.Document = d
	r.Since = d.Fetched
	return r, err
}

// ClientRow implements operator.Store.
func (db *Lists) ClientRow(
	ctx context.Context, id string, now time.Time,
) (*operator.ClientRow, error) {
	for _, kind := range clientKinds {
		query := fmt.Sprintf(kind.selection, "''", "") + ` WHERE c.id = $2`
		r, err := kind.scan(db.sql.Read.QueryRowContext(ctx, query, now, id))
		if !errors.Is(err, sql.ErrNoRows) {
			return found(&r, err)
		}
	}

	return nil, oauth.ErrNotFound
}

// UseOf implements operator.Store.
func (db *Lists) UseOf(
	ctx context.Context, client string, now time.Time,
) (used time.Time, live int, err error) {
	err = db.sql.Read.QueryRowContext(ctx, `
		SELECT (SELECT COALESCE(max(used), 0) FROM grants WHERE client_id = $2),
			`+countLive(`client_id = $2`),
		now, client).Scan(&used, &live)
	return used, live, err
}

// ListGrants implements operator.Store.
func (db *Lists) ListGrants(
	ctx context.Context, f operator.GrantFilter, page operator.Rows,
) ([]operator.Grant, error) {
	l := &sqldb.Listing{Reverse: page.Reverse}
	order := l.After("g.created", "g.id", page.After.At, page.After.ID)
	filterGrants(l, f, page.Now)
	return sqldb.SelectListing(ctx, db.sql, l, scanOperatorGrant, `
		SELECT `+grantColumns+`, COALESCE(NULLIF(g.client_name, ''), c.name, '')
		FROM grants g
			JOIN accounts a ON a.id = g.account_id
			LEFT JOIN clients c ON c.id = g.client_id`,
		order, page.Limit)
}

func scanOperatorGrant(r sqldb.Row) (operator.Grant, error) {
	var client string
	g, err := scanGrant(r, &client)
	if err != nil {
		return operator.Grant{}, err
	}
	g.ClientName = client
	return operator.NewGrant(g), nil
}

func filterGrants(l *sqldb.Listing, f operator.GrantFilter, now time.Time) {
	l.AndIfSet("g.account_id = ?", f.AccountID)
	l.AndIfSet("g.client_id = ?", f.ClientID)
	l.In("g.client_id", f.ClientIDs)
	if f.Live {
		l.And("g.revoked = 0 AND g.expires > ? AND a.disabled = 0", now)
		l.And(`(g.parent = '' OR EXISTS (
			SELECT 1 FROM grants p WHERE p.id = g.parent AND p.revoked = 0))`)
	}
}

// ClientsNamed implements operator.Store.
func (db *Lists) ClientsNamed(ctx context.Context, name string) ([]string, error) {
	return sqldb.Select(ctx, db.sql.Read, sqldb.Value[string], `
		SELECT id FROM client_terms WHERE term = $1
		UNION SELECT id FROM document_terms WHERE term = $1 LIMIT $2`,
		truncateTerm(fold(name)), operator.MostNamed+1)
}

// CountGrants implements operator.Store. Each grant has an account, which is read only for its state.
func (db *Lists) CountGrants(
	ctx context.Context,
	f operator.GrantFilter,
	now time.Time,
	most int,
) (int, error) {
	l := &sqldb.Listing{}
	from := "grants g"
	filterGrants(l, f, now)
	if f.Live {
		from += " JOIN accounts a ON a.id = g.account_id"
	}

	return l.Count(ctx, db.sql, from, most)
}

// ListAccounts implements operator.Store.
func (db *Lists) ListAccounts(
	ctx context.Context, f operator.AccountFilter, page operator.Rows,
) ([]operator.Account, error) {
	l := &sqldb.Listing{Args: []any{page.Now}, Reverse: page.Reverse}
	term := "''"
	join := ""
	order := "a.name"
	if f.Text != "" {
		term = "s.term"
		join = ` JOIN account_terms s ON s.id = a.id`
		order = findTerms(l, accountTerms, f.Text, page.After)
	} else if l.Reverse {
		order = "a.name DESC"
		l.AndIfSet("a.name < ?", page.After.ID)
	} else {
		l.AndIfSet("a.name > ?", page.After.ID)
	}

	filterAccounts(l, f)
	return sqldb.SelectListing(ctx, db.sql, l, scanOperatorAccount, `
		SELECT a.id, a.name, a.issuer, a.admin, a.disabled, a.usecases, a.created,
			CASE WHEN a.issuer = '' AND a.password = '' THEN 1 ELSE 0 END,
			COALESCE((SELECT expires FROM sign_in_links WHERE account_id = a.id AND expires > $1), 0),
			`+term+`, `+countLive(`account_id = a.id`)+` FROM accounts a`+join,
		order, page.Limit)
}

func scanOperatorAccount(r sqldb.Row) (a operator.Account, err error) {
	err = r.Scan(
		&a.ID,
		&a.Name,
		&a.Issuer,
		&a.Admin,
		&a.Disabled,
		sqldb.List(&a.UseCases),
		&a.Created,
		&a.Invited,
		&a.LinkExpires,
		&a.Term,
		&a.Grants,
	)
	return a, err
}

func filterAccounts(l *sqldb.Listing, f operator.AccountFilter) {
	l.AndIfSet("a.id = ?", f.ID)
	if f.Admin {
		l.And("a.admin = 1")
	}
	if f.Disabled {
		l.And("a.disabled = 1")
	}
}

// CountAccounts implements operator.Store.
func (db *Lists) CountAccounts(
	ctx context.Context, f operator.AccountFilter, most int,
) (int, error) {
	l := &sqldb.Listing{}
	from := "accounts a"
	if f.Text != "" {
		from += ` JOIN account_terms s ON s.id = a.id`
		findTerms(l, accountTerms, f.Text, operator.Mark{})
	}

	filterAccounts(l, f)
	return l.Count(ctx, db.sql, from, most)
}

// CountClients implements operator.Store.
func (db *Lists) CountClients(
	ctx context.Context, f operator.ClientFilter, most int,
) (n int, err error) {
	for _, kind := range clientKinds {
		if f.Kind == kind.without {
			continue
		}
		l := &sqldb.Listing{}
		if f.Text != "" {
			kind.from += ` JOIN ` + kind.terms + ` s ON s.id = c.id`
			findTerms(l, kind.terms, f.Text, operator.Mark{})
		}
		some, err := l.Count(ctx, db.sql, kind.from, most)
		if err != nil {
			return 0, err
		}
		n += some
	}
	return min(n, most), nil
}
