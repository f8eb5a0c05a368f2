package flow

import (
	"net/http"
	"strings"

	"rialto/oauth"
	"rialto/oauth/client"
	"rialto/templates"
)

// page asks. Nobody is taken as signed in when the client wants the
// person to sign in again.
func (cn *Consent) page(w http.ResponseWriter, r *http.Request, status int, q pendingAuthorization, session *oauth.Session, page templates.Authorize) {
	to, err := client.ParseRedirect(q.req.RedirectURI)
	if err != nil {
		cn.Env.WriteProblem(w, r, err)
		return
	}
	page.Product, page.Client, page.ClientURI = cn.Env.Name, q.client.Name, q.client.URI
	page.Unverified = !q.client.Configured && !q.client.Documented
	page.RedirectHost, page.Loopback = to.Host(), to.Local()
	page.LookAlike = client.LookAlike(q.client, to)
	page.Scopes = cn.inWords(q)
	page.Agents = cn.reaches(q, session)
	page.Handle, page.Action = q.handle, cn.Env.Path("/authorize")
	if session != nil && !q.req.Login {
		page.User = session.Name
	}
	cn.offerSignIn(&page)
	settingUp, err := cn.Pages.Passwords.SettingUp(r.Context())
	if err != nil {
		cn.Env.WriteProblem(w, r, err)
		return
	}
	if settingUp {
		page.Setup = cn.Env.Path("/signin")
	}
	templates.Write(w, r, status, page)
}

// reaches names what the grant would reach. To nobody in particular it says what
// everybody may know: use cases also hide that an agent is there.
func (cn *Consent) reaches(q pendingAuthorization, session *oauth.Session) []string {
	switch {
	case cn.Opens == nil || !q.req.Scope.Meets(oauth.ScopeTools):
		return nil
	case session == nil:
		return cn.Opens(nil, false)
	}
	q.ticked = q.req.Scope // at most
	return cn.Opens(q.within(session).UseCases())
}

// offerSignIn puts the ways to sign in onto the page.
func (cn *Consent) offerSignIn(page *templates.Authorize) {
	page.NoPasswords = cn.Pages.Passwords.Off
	page.Providers = cn.Pages.Providers.Offered()
	if cn.Pasted.Issuer != nil {
		page.Token = &templates.Token{Issuer: cn.Pasted.Issuer.URL, Audiences: strings.Join(cn.Pasted.Issuer.Audiences, " ")}
	}
}

// inWords returns the scopes as a person should read them. All are ticked at
// first but the operator's, which nobody is to grant by going on.
func (cn *Consent) inWords(q pendingAuthorization) []templates.Scope {
	var words []templates.Scope
	for _, name := range q.req.Scope.Without(oauth.OfflineAccess) {
		scope := templates.Scope{Name: name, Words: cn.Scopes.Words(name), Ticked: q.ticked.Has(name)}
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
