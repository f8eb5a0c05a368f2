package oauth

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"rialto/templates"
)

// answerAuthorize takes the person's answer. Nothing but the handle, the
// decision, the credentials and the ticks is taken from the form: what is
// granted is what the page showed, or less.
func (s *Server) answerAuthorize(w http.ResponseWriter, r *http.Request) {
	f, err := s.pageForm(w, r, "scope")
	if err != nil {
		s.writeProblem(w, r, err)
		return
	}
	q, err := s.waiting(r.Context(), r, f.get("handle"))
	if err != nil {
		s.writeProblem(w, r, err)
		return
	}
	q.ticked = append(ScopeSet{}, f["scope"]...)
	switch f.get("decision") {
	case "approve":
		err = s.approve(w, r, f, q)
	case "token":
		err = s.approveByToken(w, r, f, q)
	case "deny":
		err = s.deny(w, r, q)
	case "switch":
		err = s.switchAccount(w, r, q)
	default:
		err = s.approveAtProvider(w, r, f, q)
	}
	if err != nil {
		s.writeProblem(w, r, err)
	}
}

// deny tells the client no.
func (s *Server) deny(w http.ResponseWriter, r *http.Request, q ask) error {
	if err := s.Store.Deny(r.Context(), q.req.Handle); err != nil {
		return asAnswered(err)
	}
	s.Log.InfoContext(r.Context(), "oauth: access denied", "client", q.client.ID)
	s.happenedAt(r, Event{Kind: EventConsent, Outcome: EventDenied, ClientID: q.client.ID})
	return s.goBack(w, r, q, true, param{"error", "access_denied"}, param{"error_description", "The person refused."})
}

// switchAccount asks again, with nobody signed in.
func (s *Server) switchAccount(w http.ResponseWriter, r *http.Request, q ask) error {
	if err := s.endSession(w, r); err != nil {
		return err
	}
	q.ticked = nil
	s.consentPage(w, r, http.StatusOK, q, nil, templates.Authorize{})
	return nil
}

// approve signs the person in where that is needed, records the grant and
// gives the client its code.
func (s *Server) approve(w http.ResponseWriter, r *http.Request, f form, q ask) error {
	session, err := s.approver(w, r, f, q)
	if refused, ok := errors.AsType[*errSignIn](err); ok {
		setRetryAfter(w, refused.after)
		s.consentPage(w, r, refused.status(), q, nil, templates.Authorize{Username: f.get("username"), Error: refused.words})
		return nil
	}
	if err != nil {
		return err
	}
	if reason := unclear(f, q, session); reason != "" {
		s.consentPage(w, r, http.StatusOK, q, session, templates.Authorize{Error: reason})
		return nil
	}
	return s.approveAs(w, r, q, session)
}

// approveAs records the grant of whoever session stands for, and gives the
// client its code.
func (s *Server) approveAs(w http.ResponseWriter, r *http.Request, q ask, session *Session) error {
	if len(q.within(session).without(offlineAccess)) == 0 {
		return &problem{
			status: http.StatusForbidden,
			title:  "You cannot allow this",
			detail: nothingToGrant,
			remedy: "Go back and use another account, or ask the people who run this server.",
		}
	}
	code, err := s.grant(r.Context(), q, session)
	if err != nil {
		return asAnswered(err)
	}
	s.happenedAt(r, Event{Kind: EventConsent, AccountID: session.AccountID, Account: session.Name, ClientID: q.client.ID, Detail: q.within(session).String()})
	return s.goBack(w, r, q, false, param{"code", code})
}

// nothingToGrant is said when an account may grant nothing of what was asked.
const nothingToGrant = "Your account opens nothing of what the app asks for."

// approveAtProvider takes an approval and sends the person to an identity
// provider to sign in.
func (s *Server) approveAtProvider(w http.ResponseWriter, r *http.Request, f form, q ask) error {
	id, ok := strings.CutPrefix(f.get("decision"), "provider:")
	p := s.provider(id)
	if !ok || p == nil {
		return badLink(http.StatusBadRequest, "The form was not complete.")
	}
	if reason := q.unanswered(f); reason != "" {
		s.consentPage(w, r, http.StatusOK, q, nil, templates.Authorize{Error: reason})
		return nil
	}
	return s.sendToProvider(w, r, p, Login{Handle: q.req.Handle, Scope: q.chosen()}, q.req.Login)
}

// approver returns the session of whoever approves. A name in the form signs
// in, whoever was signed in before.
func (s *Server) approver(w http.ResponseWriter, r *http.Request, f form, q ask) (*Session, error) {
	if f.get("username") == "" {
		session, err := s.session(r)
		if err != nil {
			return nil, err
		}
		if session == nil || q.req.Login {
			return nil, &errSignIn{words: "Sign in to allow this."}
		}
		return session, nil
	}
	a, err := s.signIn(r.Context(), r, f.get("username"), f.get("password"))
	if err != nil {
		return nil, err
	}
	return s.startSession(w, r, a, time.Time{})
}

// unclear tells why an approval cannot be taken for one. The page may have
// shown another account than the one that another tab signed in since, or a
// warning that was not answered.
func unclear(f form, q ask, session *Session) string {
	if f.get("username") == "" && f.get("as") != session.Name {
		return "Another account is signed in by now. Check it and decide again."
	}
	if reason := q.unanswered(f); reason != "" {
		return reason
	}
	if q.chosen().Has(ScopeAdmin) && !session.Admin {
		return "Only an administrator can allow that, and this account is none."
	}
	if len(q.within(session).without(offlineAccess)) == 0 {
		return nothingToGrant
	}
	return ""
}

// unanswered tells what the form leaves open, whoever sent it.
func (q ask) unanswered(f form) string {
	if q.lookAlike() && f.get("understood") != "yes" {
		return "Read the warning first."
	}
	if len(q.chosen().without(offlineAccess)) == 0 {
		return "Choose at least one thing that the app may do, or refuse."
	}
	return ""
}

// within returns the part of what was chosen that session's account may grant.
func (q ask) within(session *Session) ScopeSet {
	return allowed(q.chosen(), session.Admin).within(session.UseCases).within(session.vouched)
}

// grant records what was approved and returns the code.
func (s *Server) grant(ctx context.Context, q ask, session *Session) (string, error) {
	code, req := secret(codePrefix), q.req
	g := s.newGrant(session.AccountID, req.ClientID, q.within(session), session.Created)
	if !session.GrantsUntil.IsZero() {
		g.Expires = earlier(g.Expires, session.GrantsUntil)
	}
	c := &Code{Hash: hash(code), ClientID: req.ClientID, Challenge: req.Challenge, JKT: req.JKT, Expires: g.Created.Add(s.CodeTTL)}
	if req.RedirectSent {
		c.RedirectURI = req.RedirectURI
	}
	if err := s.Store.Approve(ctx, req.Handle, g, c); err != nil {
		return "", err
	}
	s.Log.InfoContext(ctx, "oauth: access granted", "grant", g.ID, "client", g.ClientID, "user", g.AccountID, "scope", g.Scope.String())
	return code, nil
}

// goBack sends the browser to the client with a page, not with a redirect:
// form-action of our policy would block the second hop of a redirect that
// follows a form, and claude.ai needs two.
func (s *Server) goBack(w http.ResponseWriter, r *http.Request, q ask, denied bool, params ...param) error {
	to, err := parseRedirect(q.req.RedirectURI)
	if err != nil {
		return err
	}
	s.setCookie(w, requestCookie(q.req.Handle), "", 0)
	templates.Write(w, r, http.StatusOK, templates.Return{
		Product: s.Name,
		Client:  q.client.Name,
		URL:     s.answerURL(to, q.req.State, params...),
		Denied:  denied,
	})
	return nil
}

// asAnswered explains a request that is gone: a second click came later.
func asAnswered(err error) error {
	if errors.Is(err, ErrNotFound) {
		return badLink(http.StatusBadRequest, "This page has been answered already.")
	}
	return err
}
