package console

import (
	"net/http"

	"rialto/templates"
)

// password shows the form that changes the user's password, if the account is local.
func (c ownAccount) password(r *http.Request) (*templates.Console, error) {
	return c.passwordPage(r, nil)
}

func (c ownAccount) passwordPage(
	r *http.Request, wrong templates.Text,
) (*templates.Console, error) {
	p := &templates.Console{Title: "Password"}
	a, err := c.Admin.AccountOf(r.Context(), user(r).User)
	if err != nil {
		return p, err
	}
	if a.Issuer != "" {
		p.Sections = []templates.Section{
			{
				ID:   "password",
				Lead: templates.Textf("You sign in at {}. Your password is there.", a.Issuer),
			},
		}
		return p, nil
	}

	p.Lead = templates.Textf(
		"A new password signs you out everywhere but here. Apps stay connected.",
	)
	p.Sections = []templates.Section{{ID: "password", Form: &templates.Form{
		Action: "/account/password", Word: "Change password", Error: wrong,
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

func (c ownAccount) changePassword(f *form) error {
	refusal, err := c.OAuth.Pages.ChangePassword(
		f.w,
		f.Request,
		f.Get("present"),
		f.Get("next"),
		f.Get("again"),
		f.Get("end") == "yes",
	)
	if err != nil {
		return err
	}
	if refusal != "" {
		p, err := c.passwordPage(f.Request, templates.Textf(refusal))
		if err != nil {
			return err
		}
		return f.show(p)
	}

	return f.done("/account/password", "password", nil)
}
