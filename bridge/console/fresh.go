package console

import (
	"net/http"
	"net/url"

	"rialto/bridge/console/signinpages"
	"rialto/templates"
)

// signIn returns the pages about how the user signs in.
func (c *Console) signIn() signinpages.Pages { return signinpages.Pages{OAuth: c.OAuth, Now: c.Now} }

// signInAction returns the handler for a form on a page about signing in.
func signInAction(
	act func(http.ResponseWriter, *http.Request, url.Values) (signinpages.Result, error),
) formAction {
	return func(f *form) error {
		result, err := act(f.w, f.Request, f.Values)
		f.page = result.Page
		return f.done(result.To, result.Done, err)
	}
}

// inFreshSession runs a form if the person has proved who they are a moment ago. It asks for a proof
// otherwise, and takes one with the form.
func (c *Console) inFreshSession(f *form, run formAction) error {
	proof, err := c.signIn().Proof(f.w, f.Request, f.Values)
	if err != nil {
		return err
	}
	if proof == nil {
		return run(f)
	}
	if proof.Form != nil {
		proof.Form.Action = f.URL.EscapedPath()
		proof.Form.Hidden = f.hidden()
	}
	p := &templates.Console{Title: "Confirm that it's you", Sections: []templates.Section{*proof}}
	return f.show(p)
}
