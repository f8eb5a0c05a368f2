package flow

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/oauth/signin"
	"rialto/templates"
)

// page renders the consent page. It ignores a session that is older than the client wants.
func (cn *Consent) page(
	w http.ResponseWriter,
	r *http.Request,
	status int,
	q pendingAuthorization,
	session *oauth.Session,
	page templates.Authorize,
) error {
	page.Product = cn.Env.Name
	page.Connector = templates.Connector{Title: q.resource.Title, URL: q.resource.URL}
	page.Client = q.client.Name
	page.ClientURI = q.client.URI
	page.Unverified = !q.client.Configured && !q.client.Documented && !q.genuine
	page.RedirectHost = q.to.Host()
	page.Loopback = q.to.Local()
	page.LookAlike = q.lookAlike
	page.Scopes = cn.scopesInWords(q)
	page.Agents = cn.agents(q, session)
	page.Handle = q.handle
	page.Action = cn.Env.Path("/authorize")
	if q.signedIn(session) {
		page.User = session.Name
		if !q.resource.Admits(session.Name) {
			page.Error = notAdmitted
		}
	}

	page.Ends = templates.Textf(
		"Access ends on {} at the latest. You can disconnect it earlier in My account.",
		templates.Date(cn.grantEnd(session)),
	)
	cn.offerSignIn(&page)
	settingUp, err := cn.Pages.Passwords.SettingUp(r.Context())
	if err != nil {
		return err
	}
	if page.User == "" {
		page.Passkey, err = cn.Pages.PasskeyRequest(q.handle)
		if err != nil {
			return err
		}
	}
	if settingUp {
		page.Setup = cn.Env.Path("/signin")
	}

	templates.Write(w, r, status, page)
	return nil
}

// agents names the agents that the grant would reach. Without a session it
// names only those that are visible to all users: use cases also hide agents.
func (cn *Consent) agents(q pendingAuthorization, session *oauth.Session) []string {
	switch {
	case cn.Agents == nil || !q.req.Scope.Meets(oauth.ScopeTools):
		return nil
	case session == nil:
		return cn.Agents.Titles(q.resource.URL, nil, false)
	}
	q.ticked = q.req.Scope // at most
	some, all := q.within(session).UseCases()
	return cn.Agents.Titles(q.resource.URL, some, all)
}

// offerSignIn puts the ways to sign in onto the page.
func (cn *Consent) offerSignIn(page *templates.Authorize) {
	page.NoPasswords = cn.Pages.Passwords.Off
	page.Demo = cn.Pages.Demo
	page.Providers = cn.Pages.Providers.Offered()
	if cn.Pasted.Issuer != nil {
		if page.Token == nil {
			page.Token = &templates.Token{}
		}
		page.Token.Issuer = cn.Pasted.Issuer.URL
		page.Token.Audiences = strings.Join(cn.Pasted.Issuer.Audiences, " ")
	}
}

// scopesInWords returns the scopes in words. At first all are ticked but ScopeAdmin,
// which a person has to choose.
func (cn *Consent) scopesInWords(q pendingAuthorization) []templates.Scope {
	var words []templates.Scope
	for _, name := range q.req.Scope.Without(oauth.OfflineAccess) {
		scope := templates.Scope{
			Name:   name,
			Words:  cn.Scopes.Words(name),
			Ticked: q.ticked.Has(name),
		}
		if useCase := oauth.UseCase(name); useCase != "*" {
			scope.UseCase = useCase
		}
		if q.ticked == nil {
			scope.Ticked = name != oauth.ScopeAdmin
		}
		words = append(words, scope)
	}

	return words
}

// Answer takes the consent form. It reads only the handle, the decision, the
// credentials and the ticked scopes: it grants what the page showed, or less.
func (cn *Consent) Answer(w http.ResponseWriter, r *http.Request) error {
	f, err := cn.Env.PageForm(w, r, "scope")
	if err != nil {
		return err
	}

	q, err := cn.Requests.waiting(r, f.Get("handle"))
	if err != nil {
		return err
	}

	q.ticked = append(oauth.ScopeSet{}, f["scope"]...)
	switch f.Get("decision") {
	case "approve":
		return cn.approve(w, r, f, q)
	case "passkey":
		return cn.signInByPasskey(w, r, f, q)
	case "token":
		return cn.approveByToken(w, r, f, q)
	case "deny":
		return cn.deny(w, r, q)
	case "switch":
		return cn.switchAccount(w, r, q)
	}

	return cn.approveAtProvider(w, r, f, q)
}

func (cn *Consent) deny(w http.ResponseWriter, r *http.Request, q pendingAuthorization) error {
	if err := cn.Store.Deny(r.Context(), q.req.Handle); err != nil {
		return asAnswered(err)
	}

	cn.Env.Log.InfoContext(r.Context(), "oauth: access denied", "client", q.client.ID)
	cn.Env.Audit(
		r, oauth.Event{Kind: oauth.EventConsent, Outcome: oauth.EventDenied, ClientID: q.client.ID},
	)
	return cn.goBack(
		w,
		r,
		q,
		true,
		"error",
		"access_denied",
		"error_description",
		"The person refused.",
	)
}

// switchAccount signs out and shows the page again.
func (cn *Consent) switchAccount(
	w http.ResponseWriter, r *http.Request, q pendingAuthorization,
) error {
	if err := cn.Pages.Sessions.End(w, r); err != nil {
		return err
	}
	q.ticked = nil
	return cn.page(w, r, http.StatusOK, q, nil, templates.Authorize{Another: true})
}

// approve signs the person in if needed, records the grant and gives the client its code.
func (cn *Consent) approve(
	w http.ResponseWriter,
	r *http.Request,
	f endpoint.Form,
	q pendingAuthorization,
) error {
	session, err := cn.approver(w, r, f, q)
	if err != nil {
		return cn.refuseSignIn(w, r, f, q, err)
	}
	if reason := unclear(f, q, session); reason != "" {
		return cn.page(w, r, http.StatusOK, q, session, templates.Authorize{Error: reason})
	}
	return cn.approveAs(w, r, q, session)
}

// refuseSignIn shows the page again with a refusal of the sign-in, or returns err.
func (cn *Consent) refuseSignIn(
	w http.ResponseWriter,
	r *http.Request,
	f endpoint.Form,
	q pendingAuthorization,
	err error,
) error {
	refused, ok := errors.AsType[*signin.Refusal](err)
	if !ok {
		return err
	}
	endpoint.SetRetryAfter(w, refused.RetryAfter, refused.Quota)
	again := templates.Authorize{Username: f.Get("username"), Error: refused.Reason}
	return cn.page(w, r, refused.Status(), q, nil, again)
}

// signInByPasskey signs the person in and shows the page again: a passkey allows nothing yet.
func (cn *Consent) signInByPasskey(
	w http.ResponseWriter,
	r *http.Request,
	f endpoint.Form,
	q pendingAuthorization,
) error {
	a, err := cn.Pages.SignInByPasskey(w, r, f)
	if err != nil {
		return cn.refuseSignIn(w, r, f, q, err)
	}
	session, err := cn.Pages.Sessions.Start(w, r, a, time.Time{})
	if err != nil {
		return err
	}
	return cn.page(w, r, http.StatusOK, q, session, templates.Authorize{})
}

// approveAs records the grant of the session's account, and gives the client its code.
func (cn *Consent) approveAs(
	w http.ResponseWriter, r *http.Request, q pendingAuthorization, session *oauth.Session,
) error {
	if !q.resource.Admits(session.Name) {
		return cn.refuseAccount(w, r, q)
	}
	if q.within(session).OpensNothing() {
		return &oauth.Problem{
			Code:   "nothing_to_grant",
			Status: http.StatusForbidden,
			Title:  "You can't allow this",
			Detail: nothingToGrant,
			Remedy: "Go back and use another account, or ask the people who run this server.",
		}
	}

	code, err := cn.grant(r.Context(), q, session)
	if err != nil {
		return asAnswered(err)
	}

	cn.Env.Audit(r, oauth.Event{
		Kind:      oauth.EventConsent,
		AccountID: session.AccountID,
		Account:   session.Name,
		ClientID:  q.client.ID,
		Detail:    q.within(session).String(),
	})
	return cn.goBack(w, r, q, false, "code", code)
}

// refuseAccount tells the client that the account may not use the resource. The person sees it first.
func (cn *Consent) refuseAccount(
	w http.ResponseWriter, r *http.Request, q pendingAuthorization,
) error {
	if err := cn.Store.Deny(r.Context(), q.req.Handle); err != nil {
		return asAnswered(err)
	}
	refused := oauth.Refuse("access_denied", notAdmitted)
	cn.showRefusal(w, r, http.StatusForbidden, &sendBack{q.client, q.to, q.req.State, refused})
	return nil
}

// notAdmitted is the answer for an account that may not use the resource.
const notAdmitted = "Your account may not use this connector."

// nothingToGrant is the answer if an account may grant none of the requested scopes.
const nothingToGrant = "Your account can't grant anything that the app asks for."

// approveAtProvider takes an approval and sends the person to an identity provider to sign in.
func (cn *Consent) approveAtProvider(
	w http.ResponseWriter,
	r *http.Request,
	f endpoint.Form,
	q pendingAuthorization,
) error {
	id, ok := strings.CutPrefix(f.Get("decision"), "provider:")
	p := cn.Pages.Providers.Find(id)
	if !ok || p == nil {
		return endpoint.BadLink("incomplete_form", "The form wasn't complete.")
	}
	if reason := q.unanswered(f); reason != "" {
		return cn.page(w, r, http.StatusOK, q, nil, templates.Authorize{Error: reason})
	}

	return cn.Pages.Providers.Send(
		w,
		r,
		p,
		oauth.Login{Handle: q.req.Handle, Scope: q.chosen()},
		!q.req.SignedInAfter.IsZero() || f.Get("another") != "",
	)
}

// approver returns the session of the person who approves. A name in the form
// signs in, and replaces the session of the browser.
func (cn *Consent) approver(
	w http.ResponseWriter,
	r *http.Request,
	f endpoint.Form,
	q pendingAuthorization,
) (*oauth.Session, error) {
	if f.Get("username") == "" {
		session, err := cn.Pages.Sessions.Current(r)
		if err != nil {
			return nil, err
		}
		if !q.signedIn(session) {
			return nil, &signin.Refusal{Code: "sign_in_required", Reason: "Sign in to allow this."}
		}
		return session, cn.Pages.CheckPasskeys(r, session)
	}

	a, err := cn.Pages.Passwords.SignIn(w, r, f.Get("username"), f.Get("password"))
	if err != nil {
		return nil, err
	}

	session, err := cn.Pages.Sessions.Start(w, r, a, time.Time{})
	if err != nil {
		return nil, err
	}
	return session, cn.Pages.CheckPasskeys(r, session)
}

// unclear tells why an approval is not valid. Another tab may have signed in
// another account since the page was shown, or a warning was not confirmed.
func unclear(f endpoint.Form, q pendingAuthorization, session *oauth.Session) string {
	if f.Get("username") == "" && f.Get("as") != session.Name {
		return "Another account is signed in by now. Check it and decide again."
	}
	if !q.resource.Admits(session.Name) {
		return notAdmitted
	}
	if reason := q.unanswered(f); reason != "" {
		return reason
	}
	if q.chosen().Has(oauth.ScopeAdmin) && !session.Admin {
		return "Only an administrator can allow that, and this account isn't one."
	}
	if q.within(session).OpensNothing() {
		return nothingToGrant
	}

	return ""
}

// unanswered tells what the form leaves open, for every account.
func (q pendingAuthorization) unanswered(f endpoint.Form) string {
	if q.lookAlike != "" && f.Get("understood") != "yes" {
		return "Read the warning first."
	}
	if q.chosen().OpensNothing() {
		return "Choose at least one thing that the app may do, or refuse."
	}
	return ""
}

// within returns the chosen scopes that the session's account may grant.
func (q pendingAuthorization) within(session *oauth.Session) oauth.ScopeSet {
	allowed := oauth.Allowed(q.chosen(), session.Admin)
	return q.resource.Within(allowed).Within(session.UseCases).Within(session.TokenUseCases)
}

// grant records what was approved and returns the code.
func (cn *Consent) grant(
	ctx context.Context, q pendingAuthorization, session *oauth.Session,
) (string, error) {
	code := secret.New(secret.CodePrefix)
	req := q.req
	g := cn.Tokens.NewGrant(
		session.AccountID, req.ClientID, q.resource, q.within(session), session.Created,
	)
	g.ClientName = q.client.Name
	g.Expires = cn.grantEnd(session)
	c := &oauth.Code{
		Hash:      secret.Hash(code),
		ClientID:  req.ClientID,
		Challenge: req.Challenge,
		JKT:       req.JKT,
		Expires:   g.Created.Add(cn.CodeTTL),
	}
	if req.RedirectSent {
		c.RedirectURI = req.RedirectURI
	}
	if err := cn.Store.Approve(ctx, req.Handle, g, c); err != nil {
		return "", err
	}

	cn.Env.Log.InfoContext(
		ctx, "oauth: access granted",
		"grant", g.ID,
		"client", g.ClientID,
		"user", g.AccountID,
		"scope", g.Scope.String(),
	)
	return code, nil
}

// grantEnd returns the latest end of a grant that is given now. The session may be nil.
func (cn *Consent) grantEnd(session *oauth.Session) time.Time {
	end := cn.Env.Now().Add(cn.Tokens.GrantTTL)
	if session != nil && !session.GrantsUntil.IsZero() {
		end = earlier(end, session.GrantsUntil)
	}
	return end
}

// goBack sends the browser to the client with a page, not with a redirect:
// form-action in our Content-Security-Policy would block the second hop of a
// redirect that follows a form, and claude.ai needs two.
func (cn *Consent) goBack(
	w http.ResponseWriter,
	r *http.Request,
	q pendingAuthorization,
	denied bool,
	params ...string,
) error {
	cn.Env.SetCookie(w, requestCookie(q.req.Handle), "", 0)
	templates.Write(w, r, http.StatusOK, templates.Return{
		Product: cn.Env.Name,
		Client:  q.client.Name,
		URL:     cn.answerURL(q.to, q.req.State, params...),
		Denied:  denied,
	})
	return nil
}

// asAnswered explains an answered request: the person clicked twice.
func asAnswered(err error) error {
	return oauth.IfNotFound(
		err, endpoint.BadLink("already_answered", "This page has been answered already."),
	)
}
