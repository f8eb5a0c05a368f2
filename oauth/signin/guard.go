package signin

import (
	"net/http"
	"net/url"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
)

// Require lets only signed-in browsers through to next, with their Principal
// in the context, who may use the tools within the use cases of their account; it
// sends the others to the sign-in page, from which they
// come back.
func (ss *Sessions) Require(next http.Handler) http.Handler {
	return ss.browser(next, http.HandlerFunc(ss.askSignIn))
}

// RequireForPage is SignedIn for pages whose forms go to their own address: whose session
// has ended when they post one comes back to the page, and not to the beginning.
func (ss *Sessions) RequireForPage(next http.Handler) http.Handler {
	return ss.browser(next, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ss.sendToSignIn(w, r, r.URL.RequestURI())
	}))
}

// Optional lets every browser through to next, and those that are signed
// in with their Principal in the context.
func (ss *Sessions) Optional(next http.Handler) http.Handler { return ss.browser(next, next) }

// browser serves one that is signed in by next, with its Principal in the
// context, and any other by stranger.
func (ss *Sessions) browser(next, stranger http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := ss.Env.CheckOrigin(r); err != nil {
			ss.Env.WriteProblem(w, r, err)
			return
		}
		asking, cancel := endpoint.Patient(r)
		session, err := ss.Current(asking)
		cancel()
		switch {
		case err != nil:
			ss.Env.WriteProblem(w, r, err)
		case session == nil:
			stranger.ServeHTTP(w, r)
		default:
			p := oauth.Principal{User: session.AccountID, Name: session.Name, Scope: oauth.ScopeSet{oauth.ScopeTools}.Within(session.UseCases), Expires: session.Expires}
			if session.Admin {
				p.Scope = p.Scope.With(oauth.ScopeAdmin)
			}
			next.ServeHTTP(w, r.WithContext(oauth.NewContext(r.Context(), p)))
		}
	})
}

// RequireAdmin lets only browsers of administrators through to next. The others
// who are signed in are told that the page is not for them, whatever it is and
// whether or not it exists.
func (ss *Sessions) RequireAdmin(next http.Handler) http.Handler {
	return ss.Require(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p, _ := oauth.FromContext(r.Context()); !p.Has(oauth.ScopeAdmin) {
			ss.Env.WriteProblem(w, r, errNoAdmin())
			return
		}
		next.ServeHTTP(w, r)
	}))
}

func errNoAdmin() *oauth.Problem {
	return &oauth.Problem{
		Status: http.StatusForbidden,
		Title:  "This page is for administrators",
		Detail: "Your account does not have that role.",
		Remedy: "Ask whoever runs this server for it, or sign in with another account.",
	}
}

// askSignIn sends a browser that wants to see a page to the sign-in page. One
// that wants to do something has to begin again afterwards.
func (ss *Sessions) askSignIn(w http.ResponseWriter, r *http.Request) {
	next := "/"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		next = r.URL.RequestURI()
	}
	ss.sendToSignIn(w, r, next)
}

func (ss *Sessions) sendToSignIn(w http.ResponseWriter, r *http.Request, next string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, ss.Env.Path("/signin")+"?next="+url.QueryEscape(next), http.StatusSeeOther)
}
