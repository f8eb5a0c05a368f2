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

// audit shows the audit log.
func (c adminAudit) audit(r *http.Request) (*templates.Console, error) {
	f := &operator.EventFilter{}
	q, err := c.parse(r, f.Filters())
	if err != nil {
		return nil, err
	}

	section, err := c.filtered(r, q, f, c)
	section.ID = "audit"
	return &templates.Console{
		Title:    "Audit log",
		Lead:     templates.Textf("Every sign-in and change, with its origin. Read-only."),
		Actions:  q.exports("/admin/audit/export"),
		Sections: []templates.Section{section},
	}, err
}

func (c adminAudit) cell(r *http.Request, entry any, column string) templates.Text {
	e := entry.(audit.Event)
	switch column {
	case "kind":
		return templates.Textf(nameOf(e))
	case "outcome":
		return outcome(e)
	case "actor":
		return actorText(e)
	case "target":
		return c.about(r, e)
	}

	return templates.Lines(templates.Stamp(e.At), c.when(e.At))
}

// nameOf says what happened.
func nameOf(e audit.Event) string {
	switch {
	case e.Kind == audit.Consent && e.Outcome == audit.OK:
		return "App allowed"
	case e.Kind == audit.Consent && e.Outcome == audit.Denied:
		return "App refused"
	}
	return cmp.Or(operator.KindNames[e.Kind], string(e.Kind))
}

// outcome is quiet unless something went wrong. What was used twice may have been stolen.
func outcome(e audit.Event) templates.Text {
	switch {
	case e.Kind == audit.Reuse:
		return templates.Badge(templates.Bad, "Alarm")
	case e.Outcome == audit.Failed:
		return templates.Badge(templates.Bad, "Failed")
	case e.Outcome == audit.Denied:
		return templates.Badge(templates.Note, "Denied")
	}
	return templates.Textf("Succeeded")
}

// withDetail shows a text, with another below it unless that is empty.
func withDetail(text templates.Text, below templates.Text) templates.Text {
	switch {
	case text == nil && below == nil:
		return templates.Verbatim("–")
	case text == nil:
		return below
	case below == nil:
		return text
	}
	return templates.Lines(text, below)
}

// short is untrusted text, truncated; nil if it is empty.
func short(s string, most int, show func(string) templates.Text) templates.Text {
	s = shown(s, most)
	if s == "" {
		return nil
	}
	return show(s)
}

func actorText(e audit.Event) templates.Text {
	show := templates.Verbatim
	if e.ActorID == "" {
		show = templates.Translated
	}
	return withDetail(short(e.Actor, 300, show), short(e.Address, 300, templates.Verbatim))
}

// about shows the target of an event: an app by the name that the event has, because it may have
// another now. Names of apps, agents and scopes are not translated.
func (c adminAudit) about(r *http.Request, e audit.Event) templates.Text {
	detail := short(e.Detail, 500, templates.Verbatim)
	switch e.Kind {
	case audit.ClientChanged, audit.ClientRemoved:
		return withDetail(detail, templates.ID(e.Target))
	case audit.ClientRegistered, audit.GrantRevoked:
		return withDetail(short(e.Detail, 500, templates.TranslatedParts), templates.ID(e.Target))
	case audit.Consent:
		name, err := c.OAuth.Clients.NameOf(r.Context(), e.Target)
		if err != nil || name == e.Target || name == "" { // nothing is known of it any more
			return withDetail(templates.ID(e.Target), detail)
		}
		return templates.Lines(
			templates.Textf("as {}", templates.Verbatim(shown(name, 300))),
			withDetail(templates.ID(e.Target), detail),
		)
	case audit.Settings: // the target identifies the settings to the server
		if detail != nil {
			detail = templates.Textf("version {}", detail)
		}
		return withDetail(detail, nil)
	case audit.AgentAdded, audit.AgentChanged:
		return withDetail(short(e.Target, 300, templates.Verbatim), detail)
	}

	return withDetail(
		short(e.Target, 300, templates.Verbatim), short(e.Detail, 500, templates.TranslatedParts),
	)
}

// exportAudit sends the events of a filter as a file.
func (c adminAudit) exportAudit(w http.ResponseWriter, r *http.Request) {
	var f operator.EventFilter
	if _, err := c.parse(r, f.Filters()); err != nil {
		c.writeError(w, r, err)
		return
	}

	c.send(w, r, "rialto-audit", func(format operator.Format) error {
		return operator.WriteEvents(
			w, format, c.Admin.AllEvents(r.Context(), f.Filter, param(r, "page_token")),
		)
	})
}
