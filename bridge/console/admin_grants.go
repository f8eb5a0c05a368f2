package console

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"rialto/bridge/operator"
	"rialto/templates"
)

// adminGrants are the pages about connections.
type adminGrants struct{ *Console }

func (c adminGrants) routes() []route {
	a := adminArea
	return []route{
		{"/admin/grants", c.show(a, c.grants), nil},
		{"/admin/grants/end", nil, c.do(a, confirm(c.askEndGrant, c.endGrant))},
		{"/admin/grants/end-all", nil, c.do(a, confirm(c.askEndGrants, c.endGrants))},
	}
}

// grants shows the grants of all accounts.
func (c adminGrants) grants(r *http.Request) (templates.Console, error) {
	q := parseQuery(r, "account", "client", "live")
	account, err := c.Admin.AccountID(r.Context(), q.get("account"))
	if err != nil {
		return templates.Console{}, err
	}
	clients, err := c.Admin.ClientIDs(r.Context(), q.get("client"))
	if err != nil {
		return templates.Console{}, err
	}
	section, err := c.grantSection(r, q, operator.GrantFilter{Span: span(r), AccountID: account, ClientIDs: clients, Live: q.get("live") != ""})
	if err != nil {
		return templates.Console{}, err
	}
	_, accounts, apps, err := c.suggestions(r)
	section.Filter = q.filter(named("account", "Account", accounts), named("client", "App", apps),
		templates.Field{Name: "live", Kind: "choice", Label: "State", Options: []templates.Option{{Word: "Any"}, {Value: "yes", Word: "active"}}})
	p := templates.Console{Title: "Connections", Lead: templates.Say("Which apps may act for whom, and what they may do."), Sections: []templates.Section{section}}
	if (q.get("account") != "" || len(clients) == 1) && len(clients) <= 1 && len(section.Table.Rows) > 0 {
		p.Actions = []templates.Button{{Action: "/admin/grants/end-all", Word: "Disconnect all of these", Grave: true, Hidden: []templates.Value{{Name: "account", Value: q.get("account")}, {Name: "client", Value: strings.Join(clients, "")}}}}
	}
	return p, err
}

func (c *Console) grantSection(r *http.Request, q query, f operator.GrantFilter) (templates.Section, error) {
	page, err := c.Admin.Grants(r.Context(), f)
	if err != nil {
		return templates.Section{}, err
	}
	t := &templates.Table{
		Columns: []templates.Column{{Name: "App"}, {Name: "Account"}, {Name: "Access"}, {Name: "State"}, {Name: "Expires"}, {Name: "Last used"}, q.sorted("Connected", descending)}, Total: total(page.Total),
		Empty: unfiltered(query{}, "No app is connected."),
	}
	for _, g := range page.Items {
		row := templates.Entry{Cells: []templates.Text{
			templates.Link("/admin/clients/one?id="+url.QueryEscape(g.ClientID), templates.Data(g.ClientName)),
			templates.Link("/admin/accounts/one?name="+url.QueryEscape(g.Account), templates.Data(g.Account)),
			c.scopes(g.Scope), grantState(g.State), c.grantEnd(g),
			templates.When(g.Used, c.Now()), templates.When(g.Created, c.Now()),
		}}
		if g.State == operator.Live || g.State == operator.Paused {
			row.Actions = []templates.Button{{Action: "/admin/grants/end", Word: "Disconnect", About: g.ClientName + ", " + g.Account, Grave: true, Hidden: []templates.Value{{Name: "id", Value: g.ID}, {Name: "back", Value: q.at("", "")}}}}
		}
		t.Rows = append(t.Rows, row)
	}
	return templates.Section{ID: "grants", Table: q.pages(t, page.Prev, page.Next)}, nil
}

// grantEnd shows when a grant ends, unless it has.
func (c *Console) grantEnd(g operator.Grant) templates.Text {
	if g.State != operator.Live && g.State != operator.Paused {
		return templates.Data("–")
	}
	return templates.When(g.Expires, c.Now())
}

func (c adminGrants) askEndGrant(r *http.Request, f url.Values) (question, error) {
	g, err := c.Admin.Grant(r.Context(), f.Get("id"))
	if err != nil {
		return question{}, err
	}
	return question{
		title: "Disconnect this app?", word: "Disconnect", back: back(f, "/admin/grants"),
		about: templates.Say("{} loses its access for {} immediately.", g.ClientName, g.Account),
	}, nil
}

func (c adminGrants) endGrant(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	err := c.Admin.RevokeGrant(r.Context(), c.actor(r), f.Get("id"))
	return withDone(back(f, "/admin/grants"), "revoked"), nil, err
}

func (c adminGrants) askEndGrants(r *http.Request, f url.Values) (question, error) {
	account, client := f.Get("account"), f.Get("client")
	q := question{title: "Disconnect these apps?", word: "Disconnect all", back: "/admin/grants"}
	app, err := c.OAuth.Clients.NameOf(r.Context(), client)
	switch app = cmp.Or(app, client); {
	case account != "" && client != "":
		q.about = templates.Say("The connections of the account {} with the app {} end immediately.", account, app)
	case account != "":
		q.about = templates.Say("All connections of the account {} end immediately.", account)
	default:
		q.about = templates.Say("All connections with the app {} end immediately.", app)
	}
	return q, err
}

func (c adminGrants) endGrants(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	account, err := c.Admin.AccountID(r.Context(), f.Get("account"))
	if err == nil {
		_, err = c.Admin.RevokeGrants(r.Context(), c.actor(r), account, f.Get("client"))
	}
	return withDone("/admin/grants", "ended"), nil, err
}
