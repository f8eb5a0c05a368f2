package signinpages

import (
	"net/http"

	"rialto/templates"
)

// Password shows the form that changes the user's password, if the account is local.
func (c Pages) Password(r *http.Request) (*templates.Console, error) {
	return c.PasswordAgain(r, nil)
}

// PasswordAgain shows it with the reason why it was refused.
func (c Pages) PasswordAgain(
	r *http.Request, wrong templates.Text,
) (*templates.Console, error) {
	p := &templates.Console{Title: "Password"}
	how, err := c.OAuth.Pages.Confirmation(r)
	if err != nil {
		return nil, err
	}
	if how.Issuer != "" {
		p.Sections = []templates.Section{
			{
				ID:   "password",
				Lead: templates.Textf("You sign in at {}. Your password is there.", how.Issuer),
			},
		}
		return p, nil
	}

	p.Lead = templates.Textf(
		"A new password signs you out everywhere but here. Apps stay connected.",
	)
	p.Sections = []templates.Section{{ID: "password", Form: &templates.Form{
		Action: "/account/password",
		Word:   "Change password",
		Error:  wrong,
		Fields: []templates.Field{
			{
				Name:     "present",
				Kind:     "password",
				Label:    "Current password",
				Complete: "current-password",
				Required: true,
				Max:      1024,
				Bad:      wrong != nil,
			},
			newPassword("next", "New password", "At least 8 characters."),
			newPassword("again", "Repeat the new password", ""),
			{
				Name:  "end",
				Kind:  "check",
				Label: "Disconnect all apps, too",
				Help:  "Choose this if another person may know your current password.",
			},
		},
	}}}
	return p, nil
}

func newPassword(name, label, help string) templates.Field {
	return templates.Field{
		Name:     name,
		Kind:     "password",
		Label:    label,
		Help:     help,
		Complete: "new-password",
		Required: true,
		Min:      8,
		Max:      1024,
	}
}
