package console

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"rialto/bridge/console/clientform"
	"rialto/bridge/operator"
	"rialto/templates"
)

// adminClients are the pages about apps.
type adminClients struct{ *Console }

func kind(k operator.Kind) templates.Text {
	return templates.Textf(operator.Word("clients", "kind", string(k)))
}

// clients lists the apps.
func (c adminClients) clients(r *http.Request) (*templates.Console, error) {
	return c.listPage(r, &operator.ClientFilter{}, c, templates.Console{
		Title: "Apps",
		Lead:  templates.Textf("Chat apps that have registered here, or that are configured."),
		Actions: []templates.Button{
			{Action: "/admin/clients/new", Get: true, Word: "Register an app", First: true},
			{
				Action: "/admin/clients/new",
				Get:    true,
				Word:   "Register Claude",
				Hidden: []templates.Value{{Name: "app", Value: operator.AppClaude}},
			},
		},
	})
}

func (c adminClients) cell(_ *http.Request, entry any, column string) templates.Text {
	x := entry.(operator.Client)
	switch column {
	case "name":
		return templates.Named(x.Name, appName(&x))
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
		templates.Row(name, templates.Badge(templates.Bad, "Look-alike")), templates.ID(x.ID),
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
				"This app bears the name of {}, but its addresses aren't those of {}. Remove it unless you know whose it is.",
				x.LookAlike,
				x.LookAlike,
			),
		)
	}

	grants.Table.Empty = "This app has no connections."
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
func (c adminClients) newClient(r *http.Request) (*templates.Console, error) {
	if param(r, "app") == operator.AppClaude {
		all, err := c.Admin.Agents.Registry.ConnectorsInForce(r.Context())
		return clientform.Claude(all), err
	}
	return clientform.New(url.Values{}, nil), nil
}

// registerClient registers an app, and shows its ID and secret once.
func (c adminClients) registerClient(f *form) error {
	what := operator.NewClient{
		App:          f.Get("app"),
		Connector:    f.Get("connector"),
		Name:         f.Get("client_name"),
		RedirectURIs: strings.Fields(f.Get("redirect_uris")),
		KeepsSecret:  f.Get("secret") == "yes",
	}
	x, err := c.Admin.RegisterClient(f.Context(), f.by, what)
	if refused, ok := errors.AsType[*operator.Error](err); ok && what.App == "" {
		return f.show(
			clientform.New(
				f.Values, templates.Errorf("Couldn't register this app: {}", refused, upTo(1000)),
			),
		)
	}
	if err != nil {
		return err
	}

	return f.show(clientform.Registered(x, what.App))
}
