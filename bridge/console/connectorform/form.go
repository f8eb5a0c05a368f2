// Package connectorform shows connectors on pages: in a list, and each with the form that changes it. It
// reads the form, and stores nothing.
package connectorform

import (
	"cmp"
	"net/url"
	"strconv"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/templates"
)

// List is the page that lists connectors, without the list.
func List() templates.Console {
	return templates.Console{
		Title: "Connectors",
		Lead: templates.Textf(
			"MCP addresses for a team or a purpose. Each reaches some agents, with tokens of its own.",
		),
		Actions: []templates.Button{
			{Action: "/admin/connectors/new", Get: true, Word: "Add a connector", First: true},
		},
	}
}

// Cell shows the name of a connector in the list as a link; nil for other columns.
func Cell(x directory.ConnectorStatus, column string) templates.Text {
	if column != "name" {
		return nil
	}
	return templates.Link(At(x.Name), templates.Verbatim(x.Name))
}

// At is the address of the page of a connector.
func At(name string) string { return "/admin/connectors/one?name=" + url.QueryEscape(name) }

// Page shows a connector: a new one without a version, one that was added with a form, or one of the
// configuration. Wrong says why it was not saved; nil says nothing.
func Page(x directory.ConnectorStatus, wrong templates.Text) *templates.Console {
	p := &templates.Console{
		Title: "Add a connector",
		Up:    &templates.Way{Href: "/admin/connectors", Name: "Connectors"},
	}
	if x.Version == 0 && !x.Configured {
		p.Sections = []templates.Section{{ID: "new", Form: form("/admin/connectors/new", x, wrong)}}
		return p
	}
	p.Title = "Connector"
	p.Name = x.Name
	p.Heading = templates.Verbatim(cmp.Or(x.Title, x.Name))
	p.Actions = []templates.Button{{
		Action: "/admin/doctor", Get: true, Word: "Run checks",
		Hidden: []templates.Value{{Name: "url", Value: x.URL}},
	}}
	address := templates.Fact{Name: "Address", Value: templates.Code(x.URL)}
	p.Sections = []templates.Section{{ID: "facts", Facts: []templates.Fact{address}}}
	if !x.Configured {
		p.Sections = append(p.Sections, templates.Section{
			ID: "change", Form: form("/admin/connectors/change", x, wrong),
		})
		return p
	}
	p.Lead = templates.Textf("This connector is in the configuration: change it there.")
	for _, f := range operator.ConnectorFields(&x.Connector) {
		if f.Value() != "" {
			known := templates.Fact{Name: f.Label, Value: templates.Verbatim(f.Value())}
			p.Sections[0].Facts = append(p.Sections[0].Facts, known)
		}
	}
	return p
}

// usual is how many of the fields are shown at once: who reaches what. The others unfold.
const usual = 4

func form(
	action string, x directory.ConnectorStatus, wrong templates.Text,
) *templates.Form {
	f := &templates.Form{
		Action: action,
		Word:   "Save",
		Cancel: "/admin/connectors",
		Error:  wrong,
		Open:   wrong != nil,
	}
	if x.Version == 0 {
		f.Fields = []templates.Field{{
			Name:     "name",
			Kind:     "text",
			Label:    "Name",
			Value:    x.Name,
			Required: true,
			Max:      63,
			Help:     "The last part of its address: small letters, digits and dashes.",
		}}
	} else {
		f.Hidden = []templates.Value{
			{Name: "name", Value: x.Name},
			{Name: "version", Value: strconv.FormatInt(x.Version, 10)},
		}
	}
	for i, field := range operator.ConnectorFields(&x.Connector) {
		kind := "text"
		if field.Long {
			kind = "area"
		}
		shown := templates.Field{
			Name:  field.Name,
			Kind:  kind,
			Label: field.Label,
			Value: field.Value(),
			Max:   8192,
			Help:  field.Help,
		}
		if i < usual {
			f.Fields = append(f.Fields, shown)
			continue
		}
		f.More = append(f.More, shown)
		f.Open = f.Open || shown.Value != ""
	}
	return f
}

// Read returns what a form says of a connector.
func Read(values url.Values) (x directory.ConnectorStatus) {
	x.Name = values.Get("name")
	x.Version, _ = strconv.ParseInt(values.Get("version"), 10, 64) // without one, a new connector
	for _, field := range operator.ConnectorFields(&x.Connector) {
		field.Set(values.Get(field.Name))
	}
	return x
}
