package console

import (
	"cmp"
	"net/http"
	"strings"

	"rialto/bridge/operator"
	"rialto/templates"
)

// adminGrants are the pages about connections.
type adminGrants struct{ *Console }

// grants shows the grants of all accounts.
func (c adminGrants) grants(r *http.Request) (*templates.Console, error) {
	f := &operator.GrantFilter{}
	section, err := c.list(r, f, c)
	if err != nil {
		return nil, err
	}

	section.Table.Empty = f.Table().Empty // also where a filter chooses none
	p := &templates.Console{
		Title:    "Connections",
		Lead:     templates.Textf("Which apps may act for whom, and what they may do."),
		Sections: []templates.Section{section},
	}
	chosen := f.AccountID != "" || len(f.ClientIDs) == 1
	if chosen && len(f.ClientIDs) <= 1 && len(section.Table.Rows) > 0 {
		p.Actions = []templates.Button{
			{
				Action: "/admin/grants/end-all",
				Word:   "Disconnect all of these",
				Grave:  true,
				Hidden: hidden(
					"account", param(r, "account"), "client", strings.Join(f.ClientIDs, ""),
				),
			},
		}
	}

	return p, nil
}

// grantsOf shows the grants of an account or an app on its page, whose address has the parameter known.
func (c adminGrants) grantsOf(
	r *http.Request,
	f *operator.GrantFilter,
	known, without string,
) (templates.Section, error) {
	section, err := c.section(r, parseQuery(r, known), f, c, without)
	if err == nil {
		section.Title, section.Table.Empty = "Connections", f.Table().Empty
	}
	return section, err
}

func (c adminGrants) cell(_ *http.Request, entry any, column string) templates.Text {
	g := entry.(operator.Grant)
	switch column {
	case "client":
		return templates.Named(g.ClientName, appLink(g.ClientID, g.ClientName))
	case "account":
		return accountLink(g.Account)
	case "scope":
		return c.scopes(g.Scope)
	case "state":
		return grantState(g.State)
	case "expires":
		if !endable(g) {
			return templates.Verbatim("–")
		}
	}

	return nil
}

// endable reports whether a grant has not ended.
func endable(g operator.Grant) bool {
	return g.State == operator.Live || g.State == operator.Paused
}

func (c adminGrants) buttons(q query, entry any) []templates.Button {
	g := entry.(operator.Grant)
	if !endable(g) {
		return nil
	}
	end := removeButton(&operator.GrantFilter{}, g.ID, g.ClientName+", "+g.Account)
	end.Hidden = append(end.Hidden, hidden("back", q.at("", ""))...)
	return []templates.Button{end}
}

func (c adminGrants) endAny(f *form, id string) error {
	return c.Admin.RevokeGrant(f.Context(), f.by, id)
}

func (c adminGrants) askEndGrants(f *form) (question, error) {
	account := f.Get("account")
	client := f.Get("client")
	q := question{title: "Disconnect these apps?", word: "Disconnect all", back: "/admin/grants"}
	app, err := c.OAuth.Clients.NameOf(f.Context(), client)
	app = cmp.Or(app, client)
	switch {
	case account != "" && client != "":
		q.about = templates.Textf(
			"The connections of the account {} with the app {} end immediately.", account, app,
		)
	case account != "":
		q.about = templates.Textf("All connections of the account {} end immediately.", account)
	default:
		q.about = templates.Textf("All connections with the app {} end immediately.", app)
	}

	return q, err
}

func (c adminGrants) endGrants(f *form) error {
	account, err := c.Admin.AccountID(f.Context(), f.Get("account"))
	if err == nil {
		_, err = c.Admin.RevokeGrants(f.Context(), f.by, account, f.Get("client"))
	}
	return f.done("/admin/grants", "ended", err)
}
