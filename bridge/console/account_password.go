package console

import "rialto/templates"

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
		p, err := c.signIn().PasswordAgain(f.Request, templates.Textf(refusal))
		if err != nil {
			return err
		}
		return f.show(p)
	}

	return f.done("/account/password", "password", nil)
}
