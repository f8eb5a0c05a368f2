package flow

import (
	"net/http"
	"slices"

	"rialto/oauth/signin"
	"rialto/templates"
)

// ProviderCallback serves the address to which an identity provider sends people
// back. It continues what they left for: a page of ours, or a request that waits
// for their approval. The session is nil if the provider refused.
func (cn *Consent) ProviderCallback(w http.ResponseWriter, r *http.Request) error {
	l, session, err := cn.Pages.Providers.Return(w, r)
	switch {
	case err != nil:
		return err
	case l.Handle == "" && session == nil:
		return cn.Pages.Write(w, r, http.StatusForbidden, templates.SignIn{Next: signin.SafeNext(l.Next), Error: "The identity provider did not sign you in."})
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
