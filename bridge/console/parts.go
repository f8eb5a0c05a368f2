package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"rialto/bridge/directory"
	"rialto/templates"
)

// param returns a parameter in the address of a page.
func param(r *http.Request, name string) string { return r.URL.Query().Get(name) }

func link(href, name string) *templates.Way { return &templates.Way{Href: href, Name: name} }

// hidden returns hidden fields, by their names and values in turn.
func hidden(pairs ...string) (all []templates.Value) {
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, templates.Value{Name: pair[0], Value: pair[1]})
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

// checked is the value of a check.
func checked(set bool) string {
	if set {
		return "yes"
	}
	return ""
}

// turnButton disables what is enabled, or enables it.
func turnButton(list string, enabled bool, fields []templates.Value) templates.Button {
	b := templates.Button{Action: list + "/disable", Word: "Disable", Hidden: fields}
	if !enabled {
		b.Action = list + "/enable"
		b.Word = "Enable"
	}
	return b
}

func fact(name string, value templates.Text) templates.Fact {
	return templates.Fact{Name: name, Value: value}
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
