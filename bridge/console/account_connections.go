package console

import (
	"net/http"
	"net/url"

	"rialto/bridge/operator"
	"rialto/templates"
)

// ownAccount are the pages about the account that is signed in.
type ownAccount struct{ *Console }

func (c ownAccount) routes() []route {
	a := accountArea
	return []route{
		{"/account", c.show(a, c.connections), nil},
		{"/account/end", nil, c.do(a, confirm(c.askEnd, c.end))},
		{"/account/end-all", nil, c.do(a, confirm(askEndAll, c.endAll))},
		{"/account/tasks", c.show(a, c.ownTasks), nil},
		{"/account/tasks/events", c.ownTaskEvents, nil},
		{"/account/tasks/cancel", nil, c.do(a, confirm(c.askCancelTask, c.cancelTask))},
		{"/account/agents", c.show(a, c.ownAgents), nil},
		{"/account/agents/forget", nil, c.do(a, confirm(c.askForget, c.forget))},
		{"/account/links", c.show(a, c.links), nil},
		{"/account/links/end", nil, c.do(a, confirm(askEndLink, c.endLink))},
		{"/account/links/end-all", nil, c.do(a, confirm(askEndLinks, c.endLinks))},
		{"/account/password", c.show(a, c.password), c.do(a, c.changePassword)},
	}
}

// connections shows the apps that may act for the user.
func (c ownAccount) connections(r *http.Request) (templates.Console, error) {
	q := parseQuery(r)
	page, err := c.Admin.Grants(r.Context(), operator.GrantFilter{Span: span(r), AccountID: user(r).User, Live: true})
	if err != nil {
		return templates.Console{}, err
	}
	t := &templates.Table{
		Columns: []templates.Column{{Name: "App"}, {Name: "Access"}, {Name: "Agents"}, {Name: "Last used"}, q.sorted("Connected", descending), {Name: "Expires"}},
		Empty:   templates.Say("No app is connected. Add the address on the start page to your chat app."),
	}
	for _, g := range page.Items {
		t.Rows = append(t.Rows, templates.Entry{
			Cells: []templates.Text{
				templates.Data(g.ClientName), c.scopes(g.Scope), c.reachableAgents(r, g.Scope),
				templates.When(g.Used, c.Now()), templates.When(g.Created, c.Now()), templates.When(g.Expires, c.Now()),
			},
			Actions: []templates.Button{{Action: "/account/end", Word: "Disconnect", About: g.ClientName, Grave: true, Hidden: []templates.Value{{Name: "id", Value: g.ID}}}},
		})
	}
	p := templates.Console{
		Title: "Connections",
		Lead:  templates.Say("These apps can act for you. A disconnected app must be connected again."),
		Sections: []templates.Section{
			{ID: "connections", Table: q.pages(t, page.Prev, page.Next)},
		},
	}
	if len(t.Rows) > 1 || t.Next != "" || t.Prev != "" {
		p.Actions = []templates.Button{{Action: "/account/end-all", Word: "Disconnect all", Grave: true}}
	}
	return p, nil
}

func (c ownAccount) askEnd(r *http.Request, f url.Values) (question, error) {
	g, err := c.Admin.GrantOf(r.Context(), user(r).User, f.Get("id"))
	if err != nil {
		return question{}, err
	}
	return question{
		title: "Disconnect this app?", word: "Disconnect", back: "/account",
		about: templates.Say("{} loses access immediately. Connect it again to use it again.", g.ClientName),
	}, nil
}

func (c ownAccount) end(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	g, err := c.Admin.GrantOf(r.Context(), user(r).User, f.Get("id"))
	if err == nil {
		err = c.Admin.RevokeGrant(r.Context(), c.actor(r), g.ID)
	}
	return withDone("/account", "revoked"), nil, err
}

func askEndAll(*http.Request, url.Values) (question, error) {
	return question{
		title: "Disconnect all apps?", word: "Disconnect all", back: "/account",
		about: templates.Say("All apps lose access immediately. Connect an app again to use it again."),
	}, nil
}

func (c ownAccount) endAll(_ http.ResponseWriter, r *http.Request, _ url.Values) (string, *templates.Console, error) {
	_, err := c.Admin.RevokeGrants(r.Context(), c.actor(r), user(r).User, "")
	return withDone("/account", "ended"), nil, err
}

// actor returns the signed-in user, for the audit log.
func (c *Console) actor(r *http.Request) operator.Actor {
	who := user(r)
	return operator.Actor{ID: who.User, Name: who.Name, Address: c.OAuth.Address(r)}
}
