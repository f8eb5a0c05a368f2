package console

import (
	"net/http"

	"rialto/bridge/operator"
	"rialto/templates"
)

// ownAccount are the pages about the account that is signed in.
type ownAccount struct{ *Console }

func (c ownAccount) routes() []route {
	askEndAll := always(question{
		title: "Disconnect all apps?",
		word:  "Disconnect all",
		back:  "/account",
		about: templates.Textf(
			"All apps lose access immediately. Connect an app again to use it again.",
		),
	})
	askEndLink := always(question{
		title: "Stop sharing this?", word: "Stop sharing", back: "/account/links",
		about: templates.Textf("The link stops working immediately."),
	})
	askEndLinks := always(question{
		title: "Stop sharing everything?", word: "Stop sharing everything", back: "/account/links",
		about: templates.Textf("All your links stop working immediately."),
	})
	askRemovePasskey := always(question{
		title: "Remove this passkey?", word: "Remove", back: "/account/passkeys",
		about: templates.Textf("It no longer signs you in. Remove it from your device, too."),
	})
	own := c.signIn()
	return []route{
		{path: "/account", page: c.connections},
		several(
			route{path: "/account/end", ask: c.askEnd, form: c.end},
			"grants",
			c.endOwn,
		),
		{path: "/account/end-all", ask: askEndAll, form: c.endAll},
		{path: "/account/events", form: c.useSubscription},
		{path: "/account/tasks", page: c.ownTasks},
		{path: "/account/tasks/events", raw: c.ownTaskEvents},
		several(
			route{path: "/account/tasks/cancel", ask: c.askCancelTask, form: c.cancelTask},
			"tasks",
			c.cancelOwn,
		),
		{path: "/account/agents", page: c.ownAgents},
		{path: "/account/agents/forget", ask: c.askForget, form: c.forget},
		{path: "/account/links", page: c.links},
		{path: "/account/links/end", ask: askEndLink, form: c.endLink},
		{path: "/account/links/end-all", ask: askEndLinks, form: c.endLinks},
		{path: "/account/password", page: own.Password, form: c.changePassword},
		{path: "/account/passkeys", page: own.Passkeys},
		{path: "/account/passkeys/confirm", form: signInAction(own.Confirm)},
		{path: "/account/passkeys/add", form: signInAction(own.Add)},
		{path: "/account/passkeys/rename", page: own.RenameForm, fresh: true, form: signInAction(own.Rename)},
		{path: "/account/passkeys/remove", ask: askRemovePasskey, fresh: true, form: signInAction(own.Remove)},
		{path: "/account/passkeys/codes", fresh: true, form: signInAction(own.MakeCodes)},
		{path: "/account/sessions", page: own.Sessions},
		{path: "/account/sessions/end", form: signInAction(own.EndSession)},
		{path: "/account/sessions/end-others", form: signInAction(own.EndOtherSessions)},
	}
}

// connections shows the apps that may act for the user.
func (c ownAccount) connections(r *http.Request) (*templates.Console, error) {
	q := parseQuery(r)
	page, err := c.Admin.Grants(
		r.Context(), operator.GrantFilter{Span: span(r), AccountID: user(r).User, Live: true},
	)
	if err != nil {
		return nil, err
	}

	t := &templates.Table{
		Columns: append(
			columns("App", "Connector", "Access", "Agents", "Last used"),
			q.sorted("Connected", descending),
			templates.Column{Name: "Expires"},
		),
		Empty: "No app is connected. Add the address on the start page to your chat app.",
	}
	bulk(t, "grants", "/account")
	for _, g := range page.Items {
		t.Rows = append(t.Rows, templates.Entry{
			Pick: pick(g),
			Cells: []templates.Text{
				templates.Named(g.ClientName, templates.Verbatim(g.ClientName)),
				templates.Verbatim(g.Connector),
				c.scopes(g.Scope), c.reachableAgents(r, g),
				c.when(g.Used), c.when(g.Created), c.when(g.Expires),
			},
			Actions: []templates.Button{
				{
					Action: "/account/end",
					Word:   "Disconnect",
					About:  g.ClientName,
					Grave:  true,
					Hidden: hidden("id", g.ID),
				},
			},
		})
	}

	p := &templates.Console{
		Title: "Connections",
		Lead: templates.Textf(
			"These apps can act for you. If you disconnect one, you have to connect it again.",
		),
		Sections: []templates.Section{
			{ID: "connections", Table: q.pages(t, page.Prev, page.Next)},
		},
	}
	subscriptions, err := c.subscriptions(r.Context(), user(r).User)
	if err != nil {
		return nil, err
	}

	p.Sections = append(p.Sections, subscriptions...)
	if len(t.Rows) > 1 || t.Next != "" || t.Prev != "" {
		p.Actions = []templates.Button{
			{Action: "/account/end-all", Word: "Disconnect all", Grave: true},
		}
	}

	return p, nil
}

func (c ownAccount) askEnd(f *form) (question, error) {
	g, err := c.Admin.GrantOf(f.Context(), f.by.ID, f.Get("id"))
	if err != nil {
		return question{}, err
	}

	return question{
		title: "Disconnect this app?",
		word:  "Disconnect",
		back:  "/account",
		about: templates.Textf(
			"{} loses access immediately. Connect it again to use it again.", g.ClientName,
		),
	}, nil
}

func (c ownAccount) end(f *form) error {
	return f.done("/account", "revoked", c.endOwn(f, f.Get("id")))
}

func (c ownAccount) endOwn(f *form, id string) error {
	g, err := c.Admin.GrantOf(f.Context(), f.by.ID, id)
	if err == nil {
		err = c.Admin.RevokeGrant(f.Context(), f.by, g.ID)
	}
	return err
}

func (c ownAccount) endAll(f *form) error {
	_, err := c.Admin.RevokeGrants(f.Context(), f.by, f.by.ID, "")
	return f.done("/account", "ended", err)
}

// actor returns the signed-in user, for the audit log.
func (c *Console) actor(r *http.Request) operator.Actor {
	who := user(r)
	return operator.Actor{ID: who.User, Name: who.Name, Address: c.OAuth.Address(r)}
}
