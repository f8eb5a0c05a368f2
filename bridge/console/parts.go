package console

import (
	"context"
	"net/url"
	"time"

	"rialto/bridge/directory"
	"rialto/templates"
)

func link(href, name string) *templates.Way { return &templates.Way{Href: href, Name: name} }

// hidden returns hidden fields, by their names and values in turn.
func hidden(pairs ...string) (all []templates.Value) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, templates.Value{Name: pairs[i], Value: pairs[i+1]})
	}
	return all
}

// columns returns columns that hold texts.
func columns(names ...string) (all []templates.Column) {
	for _, name := range names {
		all = append(all, templates.Column{Name: name})
	}
	return all
}

// options returns the options of a choice, by their values and words in turn.
func options(pairs ...string) (all []templates.Option) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, templates.Option{Value: pairs[i], Word: pairs[i+1]})
	}
	return all
}

// newPassword is a field for a password that is set.
func newPassword(name, label string, help templates.Text) templates.Field {
	return templates.Field{
		Name: name, Kind: "password", Label: label, Help: help,
		Complete: "new-password", Required: true, Min: 8, Max: 1024,
	}
}

func warning(text templates.Text) []templates.Remark {
	return []templates.Remark{{Tone: templates.Bad, Text: text}}
}

func accountAt(name string) string { return "/admin/accounts/one?name=" + url.QueryEscape(name) }

func accountLink(name string) templates.Text {
	return templates.Link(accountAt(name), templates.Verbatim(name))
}

func appLink(id, name string) templates.Text {
	return templates.Link("/admin/clients/one?id="+url.QueryEscape(id), templates.Verbatim(name))
}

func agentAt(name string) string { return "/admin/agents/one?name=" + url.QueryEscape(name) }

func agentLink(name string) templates.Text {
	return templates.Link(agentAt(name), templates.Verbatim(name))
}

// when shows a time beside the present.
func (c *Console) when(t time.Time) templates.Text { return templates.When(t, c.Now()) }

// access is what the signed-in user may reach.
func (c *Console) access(ctx context.Context) directory.Access {
	return c.Bridge.Directory.Access(ctx)
}
