// Package clientform shows the pages on which an operator registers an app: their forms, and then
// what to give to the app. It registers nothing: package operator does.
package clientform

import (
	"net/url"
	"strconv"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/templates"
)

func apps() *templates.Way { return &templates.Way{Href: "/admin/clients", Name: "Apps"} }

// New is the page with the form that registers an app: with what was typed, and why it was not
// taken; nil says nothing.
func New(f url.Values, wrong templates.Text) *templates.Console {
	return &templates.Console{
		Title: "Register an app",
		Up:    apps(),
		Lead: templates.Textf(
			"Most chat apps register themselves. Register an app here if it asks for a client ID.",
		),
		Sections: []templates.Section{{ID: "new", Form: &templates.Form{
			Action: "/admin/clients/new", Word: "Register", Cancel: "/admin/clients", Error: wrong,
			Fields: []templates.Field{
				{
					Name:     "client_name",
					Kind:     "text",
					Label:    "Name",
					Value:    f.Get("client_name"),
					Required: true,
					Max:      128,
				},
				{
					Name:     "redirect_uris",
					Kind:     "area",
					Label:    "Redirect URIs",
					Value:    f.Get("redirect_uris"),
					Required: true,
					Max:      8192,
					Help:     "One on each line, as the app's settings show them.",
					Bad:      wrong != nil,
				},
				{
					Name:  "secret",
					Kind:  "check",
					Label: "Confidential client",
					Value: f.Get("secret"),
					Help:  "It gets a client secret. For apps that run on a server and ask for one.",
				},
			},
		}}},
	}
}

// Claude is the page with the form that registers Claude, for one of the connectors.
func Claude(connectors []directory.Connector) *templates.Console {
	form := &templates.Form{
		Action: "/admin/clients/new",
		Word:   "Register",
		Cancel: "/admin/clients",
		Hidden: []templates.Value{{Name: "app", Value: operator.AppClaude}},
	}
	if len(connectors) > 0 {
		of := templates.Field{Name: "connector", Kind: "choice", Label: "Connector"}
		of.Options = []templates.Option{{Value: "", Word: "The whole server"}}
		for _, x := range connectors {
			of.Options = append(of.Options, templates.Option{Value: x.Name})
		}
		form.Fields = []templates.Field{of}
	}

	return &templates.Console{
		Title: "Register Claude",
		Up:    apps(),
		Lead: templates.Textf(
			"Claude registers itself. Register it here if it logs in and then calls nothing: a client ID and a secret in its settings can help.",
		),
		Sections: []templates.Section{{ID: "new", Form: form}},
	}
}

// Registered is the page with what to give to an app that was registered. Claude gets it by the
// names that its settings have.
func Registered(x *operator.IssuedClient, app string) *templates.Console {
	section := templates.Section{ID: "registered", Lead: templates.Textf("Give this to the app.")}
	switch {
	case app == operator.AppClaude:
		section.Lead = templates.Textf(
			"In Claude, open Settings, Connectors. Remove the connector if it is there, and choose Add custom connector. Paste the first line as its address, and the others under Advanced settings. The secret is shown this one time.",
		)
		for i, field := range x.ClaudeSettings() {
			section.Pages = append(section.Pages, templates.Block{
				Title: templates.Verbatim(field[0]),
				Text:  field[1],
				Copy:  "claude-" + strconv.Itoa(i),
			})
		}
	default:
		id := templates.Block{Title: templates.Textf("Client ID"), Text: x.ID, Copy: "client-id"}
		section.Pages = []templates.Block{id}
		if x.Secret == "" {
			break
		}
		section.Lead = templates.Textf("Give both to the app. The secret is shown only once.")
		section.Pages = append(section.Pages, templates.Block{
			Title: templates.Textf("Client secret"),
			Text:  x.Secret,
			Copy:  "client-secret",
		})
	}

	return &templates.Console{
		Title:    "The app is registered",
		Up:       apps(),
		Sections: []templates.Section{section},
	}
}
