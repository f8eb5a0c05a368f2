// Package auditreport shows the events of the audit log. It reads none: package console does, and serves
// the pages.
package auditreport

import (
	"cmp"
	"context"
	"strings"
	"time"

	"rialto/bridge/operator"
	"rialto/bridge/sanitize"
	"rialto/internal/audit"
	"rialto/oauth/authserver"
	"rialto/templates"
)

// Report shows events. All fields are required.
type Report struct {
	OAuth *authserver.Server
	Now   time.Time
}

// Cell shows what a column of the list of events has of an event.
func (r Report) Cell(ctx context.Context, e audit.Event, column string) templates.Text {
	switch column {
	case "kind":
		return templates.Textf(Name(e))
	case "outcome":
		return outcome(e)
	case "actor":
		return actorText(e)
	case "target":
		return r.about(ctx, e)
	}

	return templates.Stamp(e.At)
}

// Name says what happened.
func Name(e audit.Event) string {
	switch {
	case e.Kind == audit.Consent && e.Outcome == audit.OK:
		return "App allowed"
	case e.Kind == audit.Consent && e.Outcome == audit.Denied:
		return "App refused"
	}
	return operator.Word("events", "kind", string(e.Kind))
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
	s = sanitize.Short(s, most)
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
func (r Report) about(ctx context.Context, e audit.Event) templates.Text {
	detail := short(e.Detail, 500, templates.Verbatim)
	switch e.Kind {
	case audit.ClientChanged, audit.ClientRemoved:
		return withDetail(detail, templates.ID(e.Target))
	case audit.ClientRegistered, audit.GrantRevoked:
		return withDetail(short(e.Detail, 500, templates.TranslatedParts), templates.ID(e.Target))
	case audit.Consent:
		name, err := r.OAuth.Clients.NameOf(ctx, e.Target)
		if err != nil || name == e.Target || name == "" { // nothing is known of it any more
			return withDetail(templates.ID(e.Target), detail)
		}
		return templates.Lines(
			templates.Textf("as {}", templates.Verbatim(sanitize.Short(name, 300))),
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

// Subject is the app of an event, who did it, or both, and when.
func (r Report) Subject(ctx context.Context, e audit.Event) templates.Text {
	who := e.Actor
	switch e.Kind {
	case audit.Consent:
		if app, err := r.OAuth.Clients.NameOf(ctx, e.Target); err == nil && app != "" {
			who += ", " + app
		}
	case audit.ClientRegistered, audit.ClientChanged, audit.ClientRemoved:
		name, _, _ := strings.Cut(e.Detail, ";")
		who = cmp.Or(name, who)
	}

	return templates.Row(
		templates.Verbatim(sanitize.Short(cmp.Or(who, e.Address, "–"), 100)),
		templates.Verbatim("·"),
		templates.When(e.At, r.Now),
	)
}
