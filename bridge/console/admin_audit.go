package console

import (
	"cmp"
	"net/http"

	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/templates"
)

// adminAudit are the pages about the audit log.
type adminAudit struct{ *Console }

func (c adminAudit) routes() []route {
	a := adminArea
	return []route{
		{"/admin/audit", c.show(a, c.audit), nil},
		{"/admin/audit/export", c.exportAudit, nil},
	}
}

var kindNames = map[audit.Kind]string{
	audit.SignIn: "Sign-in", audit.Consent: "Decision about an app", audit.Reuse: "Token used twice", audit.Issued: "Token made",
	audit.ClientRegistered: "App registered", audit.ClientChanged: "App changed", audit.ClientRemoved: "App removed",
	audit.GrantRevoked: "Connection ended",
	audit.AccountAdded: "Account added", audit.AccountRemoved: "Account removed", audit.AccountPassword: "Password changed",
	audit.AccountAdmin: "Role changed", audit.AccountDisabled: "Account disabled or enabled", audit.AccountSignedOut: "Account signed out",
	audit.AgentAdded: "Agent added", audit.AgentChanged: "Agent changed", audit.AgentRemoved: "Agent removed",
	audit.AgentEnabled: "Agent enabled", audit.AgentDisabled: "Agent disabled", audit.CardAccepted: "Card accepted",
	audit.AgentConnected: "Agent connected", audit.AgentForgotten: "Agent disconnected",
	audit.TaskCanceled: "Task canceled", audit.KeyRotated: "Key replaced", audit.KeyRevoked: "Key revoked", audit.Settings: "Settings changed", audit.Reloaded: "Settings reloaded",
}

// spans are the periods of the page.
var spans = []templates.Option{
	{Value: "1", Word: "The last day"}, {Value: "7", Word: "The last week"}, {Value: "30", Word: "The last month"}, {Value: "90", Word: "The last three months"},
}

func (c adminAudit) auditFilter(r *http.Request) (query, operator.EventFilter) {
	q := parseQuery(r, "kind", "actor", "target", "outcome", "days", "text")
	return q, operator.EventFilter{Span: span(r), Filter: audit.Filter{
		Kind: audit.Kind(q.get("kind")), Actor: q.get("actor"), Target: q.get("target"), Outcome: audit.Outcome(q.get("outcome")), Text: q.get("text"),
		Since: c.since(q.get("days")),
	}}
}

// audit shows the audit log.
func (c adminAudit) audit(r *http.Request) (templates.Console, error) {
	q, f := c.auditFilter(r)
	page, err := c.Admin.Events(r.Context(), f)
	if err != nil {
		return templates.Console{}, err
	}
	_, accounts, _, err := c.suggestions(r)
	if err != nil {
		return templates.Console{}, err
	}
	t := &templates.Table{Dense: true, Columns: []templates.Column{{Name: "What"}, {Name: "Outcome"}, {Name: "Who"}, {Name: "About"}, q.sorted("When", descending)}, Total: total(page.Total)}
	if f.Text != "" {
		t.Total = templates.Fill("{} found in the latest {}", upToMost(page.Total), templates.Number(operator.MostSearched))
	}
	for _, e := range page.Items {
		target, err := c.about(r, e)
		if err != nil {
			return templates.Console{}, err
		}
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
			templates.Say(nameOf(e)), outcome(e), actorText(e), target, templates.Lines(templates.Stamp(e.At), templates.When(e.At, c.Now())),
		}})
	}
	kinds := []templates.Option{{Word: "Any"}}
	for _, k := range audit.Kinds {
		kinds = append(kinds, templates.Option{Value: string(k), Word: kindNames[k]})
	}
	filter := q.filter(search("Search the log"), templates.Field{Name: "kind", Kind: "choice", Label: "What", Options: kinds}, named("actor", "Who", accounts),
		templates.Field{Name: "outcome", Kind: "choice", Label: "Outcome", Options: []templates.Option{{Word: "Any"}, {Value: "ok", Word: "done"}, {Value: "failed", Word: "failed"}, {Value: "denied", Word: "denied"}}},
		daysField())
	if q.get("target") != "" {
		filter.Hidden = append(filter.Hidden, hidden("target", q.get("target"))...)
	}
	return templates.Console{
		Title: "Audit log", Lead: templates.Say("Who did what here, and from where. Nothing in it can be changed."), Actions: q.exports("/admin/audit/export"),
		Sections: []templates.Section{{ID: "audit", Table: q.pages(t, page.Prev, page.Next), Filter: filter}},
	}, nil
}

// nameOf says what happened.
func nameOf(e audit.Event) string {
	switch {
	case e.Kind == audit.Consent && e.Outcome == audit.OK:
		return "App allowed"
	case e.Kind == audit.Consent && e.Outcome == audit.Denied:
		return "App refused"
	}
	return cmp.Or(kindNames[e.Kind], string(e.Kind))
}

// outcome is quiet unless something went wrong. What was used twice may have been stolen.
func outcome(e audit.Event) templates.Text {
	switch {
	case e.Kind == audit.Reuse:
		return templates.Badge(templates.Bad, "alarm")
	case e.Outcome == audit.Failed:
		return templates.Badge(templates.Bad, "failed")
	case e.Outcome == audit.Denied:
		return templates.Badge(templates.Note, "denied")
	}
	return templates.Say("done")
}

// withSubtext shows a text, with another below it unless that is empty.
func withSubtext(text templates.Text, below templates.Text) templates.Text {
	switch {
	case text == nil && below == nil:
		return templates.Data("–")
	case text == nil:
		return below
	case below == nil:
		return text
	}
	return templates.Lines(text, below)
}

// short is untrusted text, truncated; nil if it is empty.
func short(s string, most int, show func(string) templates.Text) templates.Text {
	if s = shown(s, most); s == "" {
		return nil
	}
	return show(s)
}

func actorText(e audit.Event) templates.Text {
	show := templates.Data
	if e.ActorID == "" {
		show = templates.Known
	}
	return withSubtext(short(e.Actor, 300, show), short(e.Address, 300, templates.Data))
}

// about shows the target of an event: an app by the name that the event has, because it may have
// another now. Names of apps, agents and scopes are not translated.
func (c adminAudit) about(r *http.Request, e audit.Event) (templates.Text, error) {
	detail := short(e.Detail, 500, templates.Data)
	switch e.Kind {
	case audit.ClientRegistered, audit.ClientChanged, audit.ClientRemoved, audit.GrantRevoked:
		if e.Kind == audit.ClientRegistered || e.Kind == audit.GrantRevoked {
			detail = short(e.Detail, 500, templates.Details)
		}
		return withSubtext(detail, templates.ID(e.Target)), nil
	case audit.Consent:
		name, err := c.OAuth.Clients.NameOf(r.Context(), e.Target)
		if err != nil || name == e.Target || name == "" { // nothing is known of it any more
			return withSubtext(templates.ID(e.Target), detail), err
		}
		return templates.Lines(templates.Fill("now called {}", templates.Data(shown(name, 300))), withSubtext(templates.ID(e.Target), detail)), nil
	case audit.Settings: // the target identifies the settings to the server
		if detail != nil {
			detail = templates.Fill("version {}", detail)
		}
		return withSubtext(detail, nil), nil
	case audit.AgentAdded, audit.AgentChanged:
		return withSubtext(short(e.Target, 300, templates.Data), detail), nil
	}
	return withSubtext(short(e.Target, 300, templates.Data), short(e.Detail, 500, templates.Details)), nil
}

// exportAudit sends the events of a filter as a file.
func (c adminAudit) exportAudit(w http.ResponseWriter, r *http.Request) {
	_, f := c.auditFilter(r)
	c.send(w, r, "rialto-audit", func(format operator.Format) error {
		return operator.WriteEvents(w, format, c.Admin.AllEvents(r.Context(), f.Filter, r.URL.Query().Get("page_token")))
	})
}
