package console

import (
	"net/http"
	"strconv"
	"time"

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
	audit.AccountAdmin: "Role changed", audit.AccountDisabled: "Account disabled or enabled",
	audit.AgentAdded: "Agent added", audit.AgentChanged: "Agent changed", audit.AgentRemoved: "Agent removed",
	audit.AgentEnabled: "Agent enabled", audit.AgentDisabled: "Agent disabled", audit.CardAccepted: "Card accepted",
	audit.AgentConnected: "Agent connected", audit.AgentForgotten: "Agent disconnected",
	audit.TaskCanceled: "Task canceled", audit.KeyRotated: "Key replaced", audit.Settings: "Settings changed",
}

var outcomes = map[audit.Outcome]struct {
	tone templates.Tone
	word string
}{
	"":           {templates.Good, "done"},
	audit.OK:     {templates.Good, "done"},
	audit.Failed: {templates.Bad, "failed"},
	audit.Denied: {templates.Note, "denied"},
}

func (c adminAudit) auditFilter(r *http.Request) (query, operator.EventFilter) {
	q := parseQuery(r, "kind", "actor", "target", "outcome", "days")
	f := operator.EventFilter{Span: span(r), Filter: audit.Filter{
		Kind: audit.Kind(q.get("kind")), Actor: q.get("actor"), Target: q.get("target"), Outcome: audit.Outcome(q.get("outcome")),
	}}
	if days, err := strconv.Atoi(q.get("days")); err == nil && days > 0 && days <= 366 {
		f.Since = c.Now().Add(-time.Duration(days) * 24 * time.Hour)
	}
	return q, f
}

// audit shows the audit log.
func (c adminAudit) audit(r *http.Request) (templates.Console, error) {
	q, f := c.auditFilter(r)
	page, err := c.Admin.Events(r.Context(), f)
	if err != nil {
		return templates.Console{}, err
	}
	t := &templates.Table{Columns: []templates.Column{{Name: "What"}, {Name: "Outcome"}, {Name: "Who"}, {Name: "About"}, {Name: "When"}}}
	for _, e := range page.Items {
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
			happening(e.Kind), outcome(e.Outcome), actorText(e), about(e), templates.When(e.At, c.Now()),
		}})
	}
	kinds := []templates.Option{{Word: "Any"}}
	for _, k := range audit.Kinds {
		kinds = append(kinds, templates.Option{Value: string(k), Word: kindNames[k]})
	}
	return templates.Console{
		Title: "Audit log", Lead: templates.Say("Who did what here, and from where. Nothing in it can be changed."), Actions: used{query: q}.exports(),
		Sections: []templates.Section{{
			ID: "audit", Table: q.pager(r, t, page.Next),
			Filter: q.filter(
				templates.Field{Name: "kind", Kind: "choice", Label: "What", Options: kinds},
				templates.Field{Name: "actor", Kind: "search", Label: "Who", Max: 128},
				templates.Field{Name: "target", Kind: "search", Label: "About", Max: 512},
				templates.Field{Name: "outcome", Kind: "choice", Label: "Outcome", Options: []templates.Option{{Word: "Any"}, {Value: "ok", Word: "done"}, {Value: "failed", Word: "failed"}, {Value: "denied", Word: "denied"}}},
				templates.Field{Name: "days", Kind: "choice", Label: "Time", Options: append([]templates.Option{{Word: "Any"}}, spans...)}),
		}},
	}, nil
}

func happening(k audit.Kind) templates.Text {
	if words, ok := kindNames[k]; ok {
		return templates.Say(words)
	}
	return templates.Code(string(k))
}

func outcome(o audit.Outcome) templates.Text {
	if x, ok := outcomes[o]; ok {
		return templates.Badge(x.tone, x.word)
	}
	return templates.Badge(templates.Plain, string(o))
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

// about shows the target of an event. Names of apps, agents and scopes are not translated.
func about(e audit.Event) templates.Text {
	switch e.Kind {
	case audit.Consent, audit.ClientChanged, audit.ClientRemoved, audit.AgentAdded, audit.AgentChanged:
		return withSubtext(short(e.Target, 300, templates.Data), short(e.Detail, 500, templates.Data))
	}
	return withSubtext(short(e.Target, 300, templates.Data), short(e.Detail, 500, templates.Details))
}

// exportAudit sends the events of a filter as a file.
func (c adminAudit) exportAudit(w http.ResponseWriter, r *http.Request) {
	_, f := c.auditFilter(r)
	c.send(w, r, "rialto-audit", func(format operator.Format) error {
		return operator.WriteEvents(w, format, c.Admin.AllEvents(r.Context(), f.Filter, r.URL.Query().Get("page_token")))
	})
}
