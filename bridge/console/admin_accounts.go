package console

import (
	"errors"
	"net/http"
	"net/url"

	"rialto/bridge/operator"
	"rialto/templates"
)

// adminAccounts are the pages about accounts.
type adminAccounts struct{ *Console }

func (c adminAccounts) routes() []route {
	a := adminArea
	return []route{
		{"/admin/accounts", c.show(a, c.accounts), nil},
		{"/admin/accounts/one", c.show(a, c.account), nil},
		{"/admin/accounts/new", c.show(a, c.newAccount), c.do(a, c.addAccount)},
		{"/admin/accounts/password", nil, c.do(a, c.setPassword)},
		{"/admin/accounts/role", nil, c.do(a, c.setRole)},
		{"/admin/accounts/disable", nil, c.do(a, c.disableAccount)},
		{"/admin/accounts/enable", nil, c.do(a, c.enableAccount)},
		{"/admin/accounts/remove", nil, c.do(a, confirm(c.askRemoveAccount, c.removeAccount))},
	}
}

func (c adminAccounts) accounts(r *http.Request) (templates.Console, error) {
	q := parseQuery(r, "text", "only")
	f := operator.AccountFilter{Span: span(r), Text: q.get("text"), Admin: q.get("only") == "admin", Disabled: q.get("only") == "disabled"}
	page, err := c.Admin.Accounts(r.Context(), f)
	if err != nil {
		return templates.Console{}, err
	}
	t := &templates.Table{Total: total(page.Total), Columns: []templates.Column{q.sorted("Account", ascending), {Name: "Signs in"}, {Name: "Role"}, {Name: "State"}, {Name: "Connections", Right: true}, {Name: "Since"}}}
	for _, a := range page.Items {
		t.Rows = append(t.Rows, templates.Entry{Cells: []templates.Text{
			templates.Link("/admin/accounts/one?name="+url.QueryEscape(a.Name), templates.Data(a.Name)),
			signsIn(&a), role(&a), accountState(&a), count(a.Grants), templates.When(a.Created, c.Now()),
		}})
	}
	return templates.Console{
		Title:   "Accounts",
		Lead:    templates.Say("People who may sign in here."),
		Actions: []templates.Button{{Action: "/admin/accounts/new", Get: true, Word: "Add an account", First: true}},
		Sections: []templates.Section{{
			ID: "accounts", Table: q.pages(t, page.Prev, page.Next),
			Filter: q.filter(
				search("Search by name"),
				templates.Field{Name: "only", Kind: "choice", Label: "Show", Options: []templates.Option{{Word: "All"}, {Value: "admin", Word: "Administrators"}, {Value: "disabled", Word: "Disabled"}}}),
		}},
	}, nil
}

func signsIn(a *operator.Account) templates.Text {
	if a.Issuer == "" {
		return templates.Say("with a password")
	}
	return templates.Data(a.Issuer)
}

func role(a *operator.Account) templates.Text {
	if a.Admin {
		return templates.Badge(templates.Plain, "Administrator")
	}
	return templates.Say("Person")
}

func accountState(a *operator.Account) templates.Text {
	if a.Disabled {
		return templates.Badge(templates.Bad, "disabled")
	}
	return templates.Say("enabled")
}

// account shows an account with its grants and actions.
func (c adminAccounts) account(r *http.Request) (templates.Console, error) {
	return c.accountPage(r, r.URL.Query().Get("name"), nil)
}

func (c adminAccounts) accountPage(r *http.Request, name string, wrong templates.Text) (templates.Console, error) {
	a, err := c.Admin.Account(r.Context(), name)
	if err != nil {
		return templates.Console{}, err
	}
	q := parseQuery(r, "name")
	grants, err := c.grantSection(r, q, operator.GrantFilter{Span: span(r), AccountID: a.ID})
	if err != nil {
		return templates.Console{}, err
	}
	grants.Title = "Connections"
	dropColumn(grants.Table, 1)
	p := templates.Console{
		Title: "Account", Name: a.Name, Heading: templates.Data(a.Name), Up: link("/admin/accounts", "Accounts"),
		Sections: []templates.Section{
			{ID: "facts", Facts: []templates.Fact{
				{Name: "ID", Value: templates.ID(a.ID)},
				{Name: "Signs in", Value: signsIn(a)},
				{Name: "Role", Value: role(a)},
				{Name: "State", Value: accountState(a)},
				{Name: "Use cases", Value: useCases(a.UseCases)},
				{Name: "Since", Value: templates.When(a.Created, c.Now())},
				{Name: "Tasks", Value: templates.Link("/admin/tasks?owner="+url.QueryEscape(a.Name), templates.Say("Show"))},
			}},
			grants,
		},
	}
	if a.ID == user(r).User {
		p.Sections[0].Notes = []templates.Remark{{Tone: templates.Plain, Text: say(operator.ErrOwnAccount)}}
	} else {
		p.Actions = accountButtons(a)
	}
	if a.Issuer == "" {
		p.Sections = append(p.Sections, templates.Section{ID: "password", Title: "Password", Form: &templates.Form{
			Action: "/admin/accounts/password", Word: "Set the password", Hidden: hidden("name", a.Name), Error: wrong,
			Fields: []templates.Field{{Name: "password", Kind: "password", Label: "New password", Complete: "new-password", Required: true, Min: 8, Max: 1024, Bad: wrong != nil, Help: templates.Say("8 characters at least. It signs the person out everywhere and ends the connections of all apps.")}},
		}})
	}
	return p, nil
}

func useCases(all []string) templates.Text {
	if len(all) == 0 {
		return templates.Say("All use cases")
	}
	return dataLines(all)
}

// accountButtons returns the actions on another account.
func accountButtons(a *operator.Account) []templates.Button {
	name := templates.Value{Name: "name", Value: a.Name}
	var all []templates.Button
	if a.Issuer == "" {
		if a.Admin {
			all = append(all, templates.Button{Action: "/admin/accounts/role", Word: "Take the role away", Hidden: []templates.Value{name, {Name: "admin", Value: "no"}}})
		} else {
			all = append(all, templates.Button{Action: "/admin/accounts/role", Word: "Make an administrator", Hidden: []templates.Value{name, {Name: "admin", Value: "yes"}}})
		}
	}
	if a.Disabled {
		all = append(all, templates.Button{Action: "/admin/accounts/enable", Word: "Enable", Hidden: []templates.Value{name}})
	} else {
		all = append(all, templates.Button{Action: "/admin/accounts/disable", Word: "Disable", Hidden: []templates.Value{name}})
	}
	return append(all, templates.Button{Action: "/admin/accounts/remove", Word: "Remove", Grave: true, Hidden: []templates.Value{name}})
}

func (c adminAccounts) newAccount(*http.Request) (templates.Console, error) {
	return *accountForm(url.Values{}, nil), nil
}

func accountForm(f url.Values, wrong templates.Text) *templates.Console {
	return &templates.Console{
		Title: "Add an account", Up: link("/admin/accounts", "Accounts"),
		Sections: []templates.Section{{ID: "new", Form: &templates.Form{
			Action: "/admin/accounts/new", Word: "Add", Cancel: "/admin/accounts", Error: wrong,
			Fields: []templates.Field{
				{Name: "name", Kind: "text", Label: "Username", Value: f.Get("name"), Required: true, Max: 64, Bad: wrong != nil},
				{Name: "password", Kind: "password", Label: "Password", Complete: "new-password", Required: true, Min: 8, Max: 1024, Help: templates.Say("8 characters at least.")},
				{Name: "admin", Kind: "check", Label: "Administrator", Value: f.Get("admin"), Help: templates.Say("May see and change everything here.")},
			},
		}}},
	}
}

func (c adminAccounts) addAccount(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	err := c.Admin.AddAccount(r.Context(), c.actor(r), f.Get("name"), f.Get("password"), f.Get("admin") == "yes")
	if refused, ok := errors.AsType[*operator.Error](err); ok {
		return "", accountForm(f, say(refused)), nil
	}
	return withDone("/admin/accounts", "added"), nil, err
}

func (c adminAccounts) setPassword(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	err := c.Admin.SetPassword(r.Context(), c.actor(r), f.Get("name"), f.Get("password"))
	if refused, ok := errors.AsType[*operator.Error](err); ok && refused.Reason == operator.Invalid {
		p, err := c.accountPage(r, f.Get("name"), say(refused))
		return "", &p, err
	}
	return accountAt(f, "saved"), nil, err
}

func accountAt(f url.Values, done string) string {
	return withDone("/admin/accounts/one?name="+url.QueryEscape(f.Get("name")), done)
}

func (c adminAccounts) setRole(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	err := c.Admin.SetAdmin(r.Context(), c.actor(r), f.Get("name"), f.Get("admin") == "yes")
	return accountAt(f, "saved"), nil, err
}

func (c adminAccounts) disableAccount(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	err := c.Admin.SetDisabled(r.Context(), c.actor(r), f.Get("name"), true)
	return accountAt(f, "disabled"), nil, err
}

func (c adminAccounts) enableAccount(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	err := c.Admin.SetDisabled(r.Context(), c.actor(r), f.Get("name"), false)
	return accountAt(f, "enabled"), nil, err
}

func (c adminAccounts) askRemoveAccount(r *http.Request, f url.Values) (question, error) {
	a, err := c.Admin.Account(r.Context(), f.Get("name"))
	if err == nil && a.ID == user(r).User {
		err = operator.ErrOwnAccount
	}
	return question{
		title: "Remove this account?", word: "Remove it", back: "/admin/accounts",
		about: templates.Say("{} can sign in no more, and everything that the account has allowed ends.", f.Get("name")),
	}, err
}

func (c adminAccounts) removeAccount(_ http.ResponseWriter, r *http.Request, f url.Values) (string, *templates.Console, error) {
	err := c.Admin.RemoveAccount(r.Context(), c.actor(r), f.Get("name"))
	return withDone("/admin/accounts", "removed"), nil, err
}
