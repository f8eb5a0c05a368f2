package oauth

import (
	"net/http"
	"slices"

	"rialto/templates"
)

// providerCallback takes people back whom a provider has signed in, and does
// what they were sent away for.
func (s *Server) providerCallback(w http.ResponseWriter, r *http.Request) {
	l, session, err := s.returned(w, r)
	if err == nil {
		err = s.afterLogin(w, r, l, session)
	}
	if err != nil {
		s.writeProblem(w, r, err)
	}
}

// afterLogin continues what a login was for: a page of ours, or a request that
// waits for its approval. The session is nil if the provider refused.
func (s *Server) afterLogin(w http.ResponseWriter, r *http.Request, l *Login, session *Session) error {
	switch {
	case l.Handle == "" && session == nil:
		s.signInPage(w, r, http.StatusForbidden, templates.SignIn{Next: safeNext(l.Next), Error: "The identity provider did not sign you in."})
		return nil
	case l.Handle == "":
		w.Header().Set("Cache-Control", "no-store")
		http.Redirect(w, r, safeNext(l.Next), http.StatusSeeOther)
		return nil
	}
	q, err := s.waitingAt(r.Context(), r, l.Handle)
	if err != nil {
		return err
	}
	if session != nil {
		q.ticked = slices.Clone(l.Scope)
		return s.approveAs(w, r, q, session)
	}
	if err := s.Store.Deny(r.Context(), q.req.Handle); err != nil {
		return asAnswered(err)
	}
	return s.goBack(w, r, q, true, param{"error", "access_denied"}, param{"error_description", "The person was not signed in."})
}
