package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"rialto/bridge/console/signinpages"
	"rialto/bridge/operator"
	"rialto/templates"
)

// adminAccounts are the pages about accounts.
type adminAccounts struct{ *Console }

func (c adminAccounts) accounts(r *http.Request) (*templates.Console, error) {
	return c.listPage(r, &operator.AccountFilter{}, c, templates.Console{
		Title: "Accounts",
		Lead:  templates.Textf("People who may sign in here."),
		Actions: []templates.Button{
			{Action: "/admin/accounts/new", Get: true, Word: "Add an account", First: true},
		},
	})
}

func (c adminAccounts) cell(_ *http.Request, entry any, column string) templates.Text {
	a := entry.(operator.Account)
	switch column {
	case "name":
		return templates.Named(a.Name, accountLink(a.Name))
	case "issuer":
		return signsIn(&a)
	case "admin":
		return role(&a)
	case "disabled":
		return c.state(&a)
	}

	return nil
}

func signsIn(a *operator.Account) templates.Text {
	if a.Issuer == "" {
		return templates.Textf("with a password")
	}
	return templates.Verbatim(a.Issuer)
}

func role(a *operator.Account) templates.Text {
	if a.Admin {
		return templates.Badge(templates.Plain, "Administrator")
	}
	return templates.Textf("Member")
}

func (c adminAccounts) state(a *operator.Account) templates.Text {
	switch {
	case a.Disabled:
		return templates.Badge(templates.Bad, "Disabled")
	case a.Invited:
		return c.signIn().Invited(a.LinkExpires)
	}
	return templates.Textf("Enabled")
}

// account shows an account with its grants and actions.
func (c adminAccounts) account(r *http.Request) (*templates.Console, error) {
	return c.accountPage(r, param(r, "name"), nil)
}

func (c adminAccounts) accountPage(
	r *http.Request, name string, wrong templates.Text,
) (*templates.Console, error) {
	a, err := c.Admin.Account(r.Context(), name)
	if err != nil {
		return nil, err
	}

	grants, err := adminGrants(c).grantsOf(r, &operator.GrantFilter{AccountID: a.ID}, "name", "account")
	if err != nil {
		return nil, err
	}

	p := &templates.Console{
		Title:   "Account",
		Name:    a.Name,
		Heading: templates.Verbatim(a.Name),
		Up:      link("/admin/accounts", "Accounts"),
		Sections: []templates.Section{
			{ID: "facts", Facts: []templates.Fact{
				fact("ID", templates.ID(a.ID)),
				fact("Signs in", signsIn(a)),
				fact("Role", role(a)),
				fact("State", c.state(a)),
				fact("Use cases", useCases(a.UseCases)),
				fact("Since", c.when(a.Created)),
				fact(
					"Tasks",
					templates.Link(
						"/admin/tasks?owner="+url.QueryEscape(a.Name), templates.Textf("Show"),
					),
				),
			}},
			grants,
		},
	}
	if a.ID == user(r).User {
		p.Sections[0].Notes = []templates.Remark{
			{Tone: templates.Plain, Text: say(operator.ErrOwnAccount)},
		}
	} else {
		p.Actions = accountButtons(a)
	}
	if a.Issuer == "" {
		p.Sections = append(p.Sections, signinpages.SetPassword(a.Name, wrong))
	}

	return p, nil
}

func useCases(all []string) templates.Text {
	if len(all) == 0 {
		return templates.Textf("All use cases")
	}
	return verbatimLines(all)
}

// accountButtons returns the actions on another account.
func accountButtons(a *operator.Account) []templates.Button {
	role := templates.Button{
		Action: "/admin/accounts/role",
		Word:   "Make an administrator",
		Hidden: hidden("name", a.Name, "admin", "yes"),
	}
	if a.Admin {
		role.Word, role.Hidden = "Remove the role", hidden("name", a.Name, "admin", "no")
	}
	all := []templates.Button{
		turnButton("/admin/accounts", !a.Disabled, hidden("name", a.Name)),
		removeButton(&operator.AccountFilter{}, a.Name, ""),
	}
	switch {
	case a.Issuer != "":
		return all
	case a.Invited && !a.Disabled:
		again := templates.Button{
			Action: "/admin/accounts/new",
			Word:   "New link",
			Hidden: hidden("name", a.Name),
		}
		all = slices.Insert(all, 0, again)
	}
	return append([]templates.Button{role}, all...)
}

func (c adminAccounts) newAccount(*http.Request) (*templates.Console, error) {
	return signinpages.NewAccount(url.Values{}, nil), nil
}

func (c adminAccounts) addAccount(f *form) error {
	link, err := c.Admin.AddAccount(
		f.Context(),
		f.by,
		f.Get("name"),
		f.Get("password"),
		f.Get("admin") == "yes",
	)
	if refused, ok := errors.AsType[*operator.Error](err); ok && refused.Reason != operator.Busy {
		return f.show(signinpages.NewAccount(f.Values, say(refused)))
	}
	if link != "" && err == nil {
		return f.show(signinpages.Invitation(f.Get("name"), link))
	}

	return f.done("/admin/accounts", "added", err)
}

func (c adminAccounts) setPassword(f *form) error {
	err := c.Admin.SetPassword(f.Context(), f.by, f.Get("name"), f.Get("password"))
	if refused, ok := errors.AsType[*operator.Error](err); ok &&
		refused.Reason == operator.Invalid {
		p, err := c.accountPage(f.Request, f.Get("name"), say(refused))
		if err != nil {
			return err
		}
		return f.show(p)
	}

	return f.done(accountAt(f.Get("name")), "saved", err)
}

func (c adminAccounts) setRole(f *form) error {
	err := c.Admin.SetAdmin(f.Context(), f.by, f.Get("name"), f.Get("admin") == "yes")
	return f.done(accountAt(f.Get("name")), "saved", err)
}

// turn returns the form that disables or enables an account.
func (c adminAccounts) turn(disabled bool, done string) formAction {
	return func(f *form) error {
		err := c.Admin.SetDisabled(f.Context(), f.by, f.Get("name"), disabled)
		return f.done(with(accountAt(f.Get("name")), "undo", f.Get("name")), done, err)
	}
}
