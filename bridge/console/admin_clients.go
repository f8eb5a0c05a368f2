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

func (c adminClients) routes() []route {
	a := adminArea
	return []route{
		{"/admin/clients", c.show(a, c.clients), nil},
		{"/admin/clients/one", c.show(a, c.client), nil},
		{"/admin/clients/new", c.show(a, c.newClient), c.do(a, c.registerClient)},
		{"/admin/clients/remove", nil, c.do(a, confirm(c.askRemoveClient, c.removeClient))},
	}
}

// kinds are the kinds of clients, in the order of the filter.
var kinds = []templates.Option{
	{Word: "Any"},
	{Value: string(operator.Registered), Word: "automatic"},
	{Value: string(operator.Document), Word: "by a document"},
	{Value: string(operator.Configured), Word: "configured"},
}

func kind(k operator.Kind) templates.Text {
	for _, o := range kinds {
		if o.Value == string(k) {
			return templates.Say(o.Word)
		}
	}
	return templates.Data(string(k))
}

// clients lists the apps.
func (c adminClients) clients(r *http.Request) (templates.Console, error) {
	q := parseQuery(r, "kind", "text")
	f := operator.ClientFilter{Span: span(r), Kind: operator.Kind(q.get("kind")), Text: q.get("text")}
	page, err := c.Admin.Clients(r.Context(), f)
	if err != nil {
		return templates.Console{}, err
	}
	t := &templates.Table{
		Columns: []templates.Column{{Name: "App"}, {Name: "Registration"}, {Name: "Redirects to"}, {Name: "Connections", Right: true}, {Name: "Last used"}, {Name: "Since"}}, Total: total(page.Total),
		Empty: unfiltered(q, "No app yet. Chat apps register themselves when a person connects them."),
	}
	if f.Text == "" {
		t.Columns[5] = q.sorted("Since", descending)
	}
	for _, x := range page.Items {
		t.Rows = append(t.Rows, templates.Entry{
			Cells: []templates.Text{
				appName(&x),
				kind(x.Kind), dataLines(x.RedirectHosts), count(x.Grants), templates.When(x.Used, c.Now()), templates.When(x.Since, c.Now()),
			},
			Actions: removeClientButton(&x),
		})
	}
	return templates.Console{
		Title:   "Apps",
		Lead:    templates.Say("Chat apps that have registered here, or that are configured."),
		Actions: []templates.Button{{Action: "/admin/clients/new", Get: true, Word: "Register an app", First: true}},
		Sections: []templates.Section{{
			ID: "clients", Table: q.pages(t, page.Prev, page.Next),
			Filter: q.filter(
				search("Search by name or ID"),
				templates.Field{Name: "kind", Kind: "choice", Label: "Registration", Options: kinds}),
		}},
	}, nil
}

// appName names an app, with a warning if it bears the name of another vendor.
func appName(x *operator.Client) templates.Text {
	name := templates.Link("/admin/clients/one?id="+url.QueryEscape(x.ID), templates.Data(x.Name))
	if x.LookAlike == "" {
		return templates.Lines(name, templates.ID(x.ID))
	}
	return templates.Lines(templates.Row(name, templates.Badge(templates.Bad, "look-alike")), templates.ID(x.ID))
}

func removeClientButton(x *operator.Client) []templates.Button {
	if x.Kind == operator.Configured {
		return nil
	}
	return []templates.Button{{Action: "/admin/clients/remove", Word: "Remove", About: x.Name, Grave: true, Hidden: hidden("id", x.ID)}}
}

// count shows a number that was counted up to a bound.
func count(n int) templates.Text {
	if n >= operator.MostCounted {
		return templates.Say("{} or more", "100")
	}
	return templates.Number(int64(n))
}

// dataLines shows untrusted texts as lines.
func dataLines(all []string) templates.Text {
	if len(all) == 0 {
		return templates.Data("–")
	}
	texts := make([]templates.Text, 0, len(all))
	for _, s := range all {
		texts = append(texts, templates.Data(s))
	}
	return templates.List(texts...)
}

// client shows an app and its grants.
func (c adminClients) client(r *http.Request) (templates.Console, error) {
	id := r.URL.Query().Get("id")
	x, err := c.Admin.Client(r.Context(), id)
	if err != nil {
		return templates.Console{}, err
	}
	q := parseQuery(r, "id")
	grants, err := c.grantSection(r, q, operator.GrantFilter{Span: span(r), ClientID: id})
	if err != nil {
		return templates.Console{}, err
	}
	grants.Title = "Connections"
	dropColumn(grants.Table, 0)
	facts := []templates.Fact{
		{Name: "ID", Value: templates.ID(x.ID)},
		{Name: "Registration", Value: kind(x.Kind)},
		{Name: "Client authentication", Value: templates.Code(x.Auth)},
		{Name: "Redirects to", Value: codeLines(x.RedirectURIs)},
		{Name: "Last used", Value: templates.When(x.Used, c.Now())},
		{Name: "Since", Value: templates.When(x.Since, c.Now())},
	}
	if x.URI != "" {
		facts = append(facts, templates.Fact{Name: "Its page", Value: templates.Link(x.URI, templates.Data(x.URI))})
	}
	about := templates.Section{ID: "facts", Facts: facts}
	if x.LookAlike != "" {
		about.Notes = []templates.Remark{{Tone: templates.Bad, Text: templates.Say("This app bears the name of {}, but its addresses are not those of {}. Remove it unless you know whose it is.", x.LookAlike, x.LookAlike)}}
	}
	return templates.Console{
		Title: "App", Name: x.Name, Heading: templates.Data(x.Name), Up: link("/admin/clients", "Apps"),
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

func (c adminClients) askRemoveClient(r *http.Request, f url.Values) (question, error) {
	x, err := c.Admin.Client(r.Context(), clientID(r, f))
	if err != nil {
		return question{}, err
	}
	return question{
		title: "Remove this app?", word: "Remove it", back: "/admin/clients",
		about: templates.Say("{} is forgotten, and everything that people have allowed it ends. It can register again.", x.Name),
	}, nil
}

func (c adminClients) removeClient(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	err := c.Admin.RemoveClient(r.Context(), c.actor(r), clientID(r, f))
	return withDone("/admin/clients", "removed"), nil, err
}

// clientID returns the ID in a form or, without one, in the address. An address alone
// removes nothing: the page that asks comes first.
func clientID(r *http.Request, f url.Values) string {
	if id := f.Get("id"); id != "" {
		return id
	}
	return r.URL.Query().Get("id")
}

// newClient shows the form that registers an app.
func (c adminClients) newClient(*http.Request) (templates.Console, error) {
	return *c.clientForm(url.Values{}, nil), nil
}

func (c adminClients) clientForm(f url.Values, wrong templates.Text) *templates.Console {
	return &templates.Console{
		Title: "Register an app", Up: link("/admin/clients", "Apps"),
		Lead: templates.Say("Most chat apps register themselves. Register an app here if it asks for a client ID."),
		Sections: []templates.Section{{ID: "new", Form: &templates.Form{
			Action: "/admin/clients/new", Word: "Register", Cancel: "/admin/clients", Error: wrong,
			Fields: []templates.Field{
				{Name: "client_name", Kind: "text", Label: "Name", Value: f.Get("client_name"), Required: true, Max: 128},
				{Name: "redirect_uris", Kind: "area", Label: "Redirect URIs", Value: f.Get("redirect_uris"), Required: true, Max: 8192, Help: templates.Say("One on each line, as the app's settings show them."), Bad: wrong != nil},
				{Name: "secret", Kind: "check", Label: "Confidential client", Value: f.Get("secret"), Help: templates.Say("It gets a client secret. For apps that run on a server and ask for one.")},
			},
		}}},
	}
}

// registerClient registers an app, and shows its ID and secret once.
func (c adminClients) registerClient(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	uris := strings.Fields(f.Get("redirect_uris"))
	x, err := c.Admin.RegisterClient(r.Context(), c.actor(r), f.Get("client_name"), uris, f.Get("secret") == "yes")
	if refused, ok := errors.AsType[*operator.Error](err); ok {
		return "", c.clientForm(f, templates.Because("Couldn't register this app: {}", refused, upTo(1000))), nil
	}
	if err != nil {
		return "", nil, err
	}
	pages := []templates.Block{{Title: templates.Say("Client ID"), Text: x.ID, Copy: "client-id"}}
	lead := templates.Say("Give this to the app.")
	if x.Secret != "" {
		lead = templates.Say("Give both to the app. The secret is shown this one time.")
		pages = append(pages, templates.Block{Title: templates.Say("Client secret"), Text: x.Secret, Copy: "client-secret"})
	}
	return "", &templates.Console{
		Title: "The app is registered", Up: link("/admin/clients", "Apps"),
		Sections: []templates.Section{{ID: "registered", Lead: lead, Pages: pages}},
	}, nil
}
