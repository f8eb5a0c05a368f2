package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"rialto/bridge/operator"
	"rialto/templates"
)

// adminClients are the pages about apps.
type adminClients struct{ *Console }

func kind(k operator.Kind) templates.Text {
	for _, x := range operator.Kinds {
		if x.Value == string(k) {
			return templates.Textf(x.Word)
		}
	}
	return templates.Verbatim(string(k))
}

// clients lists the apps.
func (c adminClients) clients(r *http.Request) (*templates.Console, error) {
	return c.listPage(r, &operator.ClientFilter{}, c, templates.Console{
		Title: "Apps",
		Lead:  templates.Textf("Chat apps that have registered here, or that are configured."),
		Actions: []templates.Button{
			{Action: "/admin/clients/new", Get: true, Word: "Register an app", First: true},
		},
	})
}

func (c adminClients) cell(_ *http.Request, entry any, column string) templates.Text {
	x := entry.(operator.Client)
	switch column {
	case "name":
		return appName(&x)
	case "kind":
		return kind(x.Kind)
	}
	return nil
}

func (c adminClients) buttons(_ query, entry any) []templates.Button {
	x := entry.(operator.Client)
	return removeClientButton(&x)
}

// appName names an app, with a warning if it bears the name of another vendor.
func appName(x *operator.Client) templates.Text {
	name := appLink(x.ID, x.Name)
	if x.LookAlike == "" {
		return templates.Lines(name, templates.ID(x.ID))
	}
	return templates.Lines(
		templates.Row(name, templates.Badge(templates.Bad, "look-alike")), templates.ID(x.ID),
	)
}

func removeClientButton(x *operator.Client) []templates.Button {
	if x.Kind == operator.Configured {
		return nil
	}
	return []templates.Button{removeButton(&operator.ClientFilter{}, x.ID, x.Name)}
}

// count shows a number that was counted up to a bound.
func count(n int) templates.Text {
	if n >= operator.MostCounted {
		return templates.Textf("{} or more", "100")
	}
	return templates.Number(int64(n))
}

// verbatimLines shows untrusted texts as lines.
func verbatimLines(all []string) templates.Text {
	if len(all) == 0 {
		return templates.Verbatim("–")
	}
	texts := make([]templates.Text, 0, len(all))
	for _, s := range all {
		texts = append(texts, templates.Verbatim(s))
	}
	return templates.List(texts...)
}

// client shows an app and its grants.
func (c adminClients) client(r *http.Request) (*templates.Console, error) {
	id := param(r, "id")
	x, err := c.Admin.Client(r.Context(), id)
	if err != nil {
		return nil, err
	}

	grants, err := adminGrants(c).grantsOf(r, &operator.GrantFilter{ClientID: id}, "id", "client")
	if err != nil {
		return nil, err
	}

	facts := []templates.Fact{
		fact("ID", templates.ID(x.ID)),
		fact("Registration", kind(x.Kind)),
		fact("Client authentication", templates.Code(x.Auth)),
		fact("Redirects to", codeLines(x.RedirectURIs)),
		fact("Last used", c.when(x.Used)),
		fact("Since", c.when(x.Since)),
	}
	if x.URI != "" {
		facts = append(facts, fact("Its page", templates.Link(x.URI, templates.Verbatim(x.URI))))
	}

	about := templates.Section{ID: "facts", Facts: facts}
	if x.LookAlike != "" {
		about.Notes = warning(
			templates.Textf(
				"This app bears the name of {}, but its addresses are not those of {}. Remove it unless you know whose it is.",
				x.LookAlike,
				x.LookAlike,
			),
		)
	}

	return &templates.Console{
		Title:    "App",
		Name:     x.Name,
		Heading:  templates.Verbatim(x.Name),
		Up:       link("/admin/clients", "Apps"),
		Actions:  removeClientButton(x),
		Sections: []templates.Section{about, grants},
	}, nil
}

func codeLines(all []string) templates.Text {
	texts := make([]templates.Text, 0, len(all))
	for _, s := range all {
		texts = append(texts, templates.Code(s))
	}
	return templates.List(texts...)
}

// newClient shows the form that registers an app.
func (c adminClients) newClient(*http.Request) (*templates.Console, error) {
	return c.clientForm(url.Values{}, nil), nil
}

func (c adminClients) clientForm(f url.Values, wrong templates.Text) *templates.Console {
	return &templates.Console{
		Title: "Register an app",
		Up:    link("/admin/clients", "Apps"),
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

// registerClient registers an app, and shows its ID and secret once.
func (c adminClients) registerClient(f *form) error {
	uris := strings.Fields(f.Get("redirect_uris"))
	x, err := c.Admin.RegisterClient(
		f.Context(),
		f.by,
		f.Get("client_name"),
		uris,
		f.Get("secret") == "yes",
	)
	if refused, ok := errors.AsType[*operator.Error](err); ok {
		return f.show(
			c.clientForm(
				f.Values, templates.Errorf("Couldn't register this app: {}", refused, upTo(1000)),
			),
		)
	}
	if err != nil {
		return err
	}

	pages := []templates.Block{{Title: templates.Textf("Client ID"), Text: x.ID, Copy: "client-id"}}
	lead := templates.Textf("Give this to the app.")
	if x.Secret != "" {
		lead = templates.Textf("Give both to the app. The secret is shown this one time.")
		pages = append(pages, templates.Block{
			Title: templates.Textf("Client secret"),
			Text:  x.Secret,
			Copy:  "client-secret",
		})
	}

	return f.show(&templates.Console{
		Title: "The app is registered", Up: link("/admin/clients", "Apps"),
		Sections: []templates.Section{{ID: "registered", Lead: lead, Pages: pages}},
	})
}
