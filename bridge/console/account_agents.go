package console

import (
	"net/http"
	"net/url"
	"slices"

	"rialto/a2a/a2avault"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/templates"
)

// ownAgents shows the user's accounts at agents, and the agents that wait for one. A
// user has at most one account at each agent, so one page shows all of them.
func (c ownAccount) ownAgents(r *http.Request) (*templates.Console, error) {
	all, err := c.Admin.Connections.List(r.Context(), user(r).User)
	if err != nil {
		return nil, err
	}

	t := &templates.Table{
		Columns: columns("Agent", "State", "Since", "Renewed"),
		Empty:   "No accounts connected. An agent that needs one will send you a link.",
	}
	for _, v := range all {
		t.Rows = append(t.Rows, templates.Entry{
			Cells: []templates.Text{
				c.ownAgent(v.Agent),
				connectionState(v.Kind),
				c.when(v.Connected),
				c.when(v.Updated),
			},
			Actions: []templates.Button{
				{
					Action: "/account/agents/forget",
					Word:   "Disconnect",
					About:  v.Agent,
					Grave:  true,
					Hidden: hidden("agent", v.Agent),
				},
			},
		})
	}

	for _, name := range c.Bridge.Directory.ConnectableAgents(c.access(r.Context())) {
		if slices.ContainsFunc(all, func(v a2avault.Connection) bool { return v.Agent == name }) {
			continue
		}
		t.Rows = append(t.Rows, templates.Entry{
			Cells: []templates.Text{
				c.ownAgent(name),
				templates.Badge(templates.Note, "Not connected"),
				templates.Verbatim("–"),
				templates.Verbatim("–"),
			},
			Actions: []templates.Button{
				{Action: connectAt(name), Get: true, First: true, Word: "Connect", About: name},
			},
		})
	}

	return &templates.Console{
		Title: "Agent accounts",
		Lead: templates.Textf(
			"Your accounts at agents that ask who you are. Only your tasks use them.",
		),
		Sections: []templates.Section{{ID: "agents", Table: t}},
	}, nil
}

// connectAt is where a person connects an agent.
func connectAt(agent string) string { return directory.ConnectPath + url.PathEscape(agent) }

// ownAgent leads to the page of an account at an agent, which shows the same tile.
func (c ownAccount) ownAgent(agent string) templates.Text {
	return templates.Named(
		c.Bridge.Directory.Title(agent), templates.Link(connectAt(agent), templates.Verbatim(agent)),
	)
}

func connectionState(k a2avault.Kind) templates.Text {
	if k == a2avault.Ended {
		return templates.Badge(templates.Note, "Connect again")
	}
	return templates.Badge(templates.Good, "Connected")
}

// askForget asks about an account of the user. Another user's is not found.
func (c ownAccount) askForget(f *form) (question, error) {
	all, err := c.Admin.Connections.List(f.Context(), f.by.ID)
	if err != nil {
		return question{}, err
	}

	for _, v := range all {
		if v.Agent == f.Get("agent") {
			return question{
				title: "Disconnect this agent?",
				word:  "Disconnect",
				back:  "/account/agents",
				about: templates.Textf(
					"{} gets no more tasks in your name until you connect it again. Its own site may still list this server: revoke that there.",
					v.Agent,
				),
			}, nil
		}
	}

	return question{}, operator.ErrNotFound
}

func (c ownAccount) forget(f *form) error {
	err := c.Admin.Connections.Forget(f.Context(), f.by, f.Get("agent"))
	return f.done("/account/agents", "forgotten", err)
}
