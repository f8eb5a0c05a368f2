package flow

import (
	"net/http"
	"slices"

	"rialto/oauth"
	"rialto/oauth/signin"
	"rialto/templates"
)

// ProviderCallback takes people back whom a provider has signed in, and does
// what they were sent away for.
func (cn *Consent) ProviderCallback(w http.ResponseWriter, r *http.Request) {
	l, session, err := cn.Pages.Providers.Return(w, r)
	if err == nil {
		err = cn.afterLogin(w, r, l, session)
	}
	if err != nil {
		cn.Env.WriteProblem(w, r, err)
	}
}

// afterLogin continues what a login was for: a page of ours, or a request that
// waits for its approval. The session is nil if the provider refused.
func (cn *Consent) afterLogin(w http.ResponseWriter, r *http.Request, l *oauth.Login, session *oauth.Session) error {
	switch {
	case l.Handle == "" && session == nil:
		cn.Pages.Write(w, r, http.StatusForbidden, templates.SignIn{Next: signin.SafeNext(l.Next), Error: "The identity provider did not sign you in."})
		return nil
	case l.Handle == "":
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, signin.SafeNext(l.Next), http.StatusSeeOther)
		return nil
	}
	q, err := cn.Requests.waitingAt(r.Context(), r, l.Handle)
	if err != nil {
		return err
	}
	if session != nil {
		q.ticked = slices.Clone(l.Scope)
		return cn.approveAs(w, r, q, session)
	}
	if err := cn.Store.Deny(r.Context(), q.req.Handle); err != nil {
		return asAnswered(err)
	}
	return cn.goBack(w, r, q, true, "error", "access_denied", "error_description", "The person was not signed in.")
}
