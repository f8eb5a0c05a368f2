package signinpages

import (
	"net/url"
	"time"

	"rialto/templates"
)

// NewAccount is the page on which an operator adds an account: with what was typed, and why it was not
// taken; nil says nothing.
func NewAccount(f url.Values, wrong templates.Text) *templates.Console {
	password := newPassword(
		"password",
		"Password",
		"Leave it empty to get a link with which the person chooses a password or a passkey.",
	)
	password.Required = false
	return &templates.Console{
		Title: "Add an account",
		Up:    &templates.Way{Href: "/admin/accounts", Name: "Accounts"},
		Sections: []templates.Section{{ID: "new", Form: &templates.Form{
			Action: "/admin/accounts/new",
			Word:   "Add",
			Cancel: "/admin/accounts",
			Error:  wrong,
			Fields: []templates.Field{
				{
					Name:     "name",
					Kind:     "text",
					Label:    "Username",
					Value:    f.Get("name"),
					Required: true,
					Max:      64,
					Bad:      wrong != nil,
				},
				password,
				{
					Name:  "admin",
					Kind:  "check",
					Label: "Administrator",
					Value: f.Get("admin"),
					Help:  "Can see and change everything here.",
				},
			},
		}}},
	}
}

// Invited is the state of an account whose person has not chosen yet how to sign in.
func (c Pages) Invited(linkExpires time.Time) templates.Text {
	link := templates.Textf("Link expires: {}", c.when(linkExpires))
	if linkExpires.IsZero() {
		link = templates.Textf("The link no longer works.")
	}
	return templates.Lines(templates.Badge(templates.Note, "Invited"), link)
}

// Invitation shows the link with which an invited person chooses how to sign in, once.
func Invitation(name, link string) *templates.Console {
	return &templates.Console{
		Title: "Invitation",
		Up:    &templates.Way{Href: "/admin/accounts", Name: "Accounts"},
		Lead: templates.Textf(
			"Send this link to {} over a private channel. It works once, within seven days, and is not shown again.",
			name,
		),
		Sections: []templates.Section{
			{ID: "invitation", Pages: []templates.Block{{Text: link, Copy: "link"}}},
		},
	}
}

// SetPassword is the form in which an operator sets the password of an account, with the reason why
// it was refused.
func SetPassword(name string, wrong templates.Text) templates.Section {
	password := newPassword(
		"password",
		"New password",
		"At least 8 characters. Setting it signs this person out everywhere and disconnects their apps.",
	)
	password.Bad = wrong != nil
	return templates.Section{
		ID:    "password",
		Title: "Password",
		Form: &templates.Form{
			Action: "/admin/accounts/password",
			Word:   "Set the password",
			Hidden: []templates.Value{{Name: "name", Value: name}},
			Error:  wrong,
			Fields: []templates.Field{password},
		},
	}
}
