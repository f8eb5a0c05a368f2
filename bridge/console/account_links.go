package console

import (
	"errors"
	"net/http"
	"net/url"

	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/templates"
)

const linkPage = 50

// links shows the documents that the user shares. The links are not stored, so they
// cannot be shown again.
func (c ownAccount) links(r *http.Request) (*templates.Console, error) {
	q := parseQuery(r)
	shares, next, err := c.Bridge.Documents.ListShares(
		r.Context(),
		c.access(r.Context()),
		param(r, "after"),
		linkPage,
	)
	if errors.Is(err, ledger.ErrCursor) {
		shares, next, err = c.Bridge.Documents.ListShares(
			r.Context(),
			c.access(r.Context()),
			"",
			linkPage,
		)
	}
	if err != nil {
		return nil, err
	}

	t := &templates.Table{
		Columns: columns("Document", "Views", "Last viewed", "Shared", "Expires"),
		Empty:   "No shared links yet. You can share a finished task from its page.",
	}
	for _, s := range shares {
		t.Rows = append(t.Rows, templates.Entry{
			Cells: []templates.Text{
				templates.Link(
					documents.DocumentPath+url.PathEscape(s.Document), templates.Verbatim(s.Title),
				),
				templates.Number(int64(s.Views)),
				c.when(s.Viewed),
				c.when(s.Created),
				c.when(s.Expires),
			},
			Actions: []templates.Button{
				{
					Action: "/account/links/end",
					Word:   "Stop sharing",
					About:  s.Title,
					Grave:  true,
					Hidden: hidden("id", s.ID),
				},
			},
		})
	}

	p := &templates.Console{
		Title: "Shared links",
		Lead: templates.Textf(
			"Anyone with one of these links can read the page without signing in.",
		),
		Sections: []templates.Section{{ID: "links", Table: q.pager(r, t, next)}},
	}
	if len(t.Rows) > 1 {
		p.Actions = []templates.Button{
			{Action: "/account/links/end-all", Word: "Stop sharing everything", Grave: true},
		}
	}

	return p, nil
}

func (c ownAccount) endLink(f *form) error {
	err := c.Bridge.Documents.EndShare(f.Context(), c.access(f.Context()), f.Get("id"))
	if errors.Is(err, documents.ErrNoShare) {
		err = operator.ErrNotFound
	}
	return f.done("/account/links", "link", err)
}

func (c ownAccount) endLinks(f *form) error {
	return f.done(
		"/account/links", "links", c.Bridge.Documents.EndShares(f.Context(), c.access(f.Context())),
	)
}
