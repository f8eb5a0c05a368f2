package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"rialto/templates"
)

// formCookie binds the sign-in form to the browser that was given it.
const formCookie = "rialto-signin"

// SignedIn lets only signed-in browsers through to next, with their Principal
// in the context, who may use the tools within the use cases of their account; it
// sends the others to the sign-in page, from which they
// come back.
func (s *Server) SignedIn(next http.Handler) http.Handler {
	return s.browser(next, http.HandlerFunc(s.askSignIn))
}

// SignedInPage is SignedIn for pages whose forms go to their own address: whose session
// has ended when they post one comes back to the page, and not to the beginning.
func (s *Server) SignedInPage(next http.Handler) http.Handler {
	return s.browser(next, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.sendToSignIn(w, r, r.URL.RequestURI())
	}))
}

// MaybeSignedIn lets every browser through to next, and those that are signed
// in with their Principal in the context.
func (s *Server) MaybeSignedIn(next http.Handler) http.Handler { return s.browser(next, next) }

// browser serves one that is signed in by next, with its Principal in the
// context, and any other by stranger.
func (s *Server) browser(next, stranger http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := s.checkOrigin(r); err != nil {
			s.writeProblem(w, r, err)
			return
		}
		asking, cancel := patient(r)
		session, err := s.session(asking)
		cancel()
		switch {
		case err != nil:
			s.writeProblem(w, r, err)
		case session == nil:
			stranger.ServeHTTP(w, r)
		default:
			p := Principal{User: session.AccountID, Name: session.Name, Scope: ScopeSet{ScopeTools}.within(session.UseCases), Expires: session.Expires}
			if session.Admin {
				p.Scope = p.Scope.with(ScopeAdmin)
			}
			next.ServeHTTP(w, r.WithContext(newContext(r.Context(), p)))
		}
	})
}

// SignedInAdmin lets only browsers of administrators through to next. The others
// who are signed in are told that the page is not for them, whatever it is and
// whether or not it exists.
func (s *Server) SignedInAdmin(next http.Handler) http.Handler {
	return s.SignedIn(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if p, _ := FromContext(r.Context()); !p.Has(ScopeAdmin) {
			s.writeProblem(w, r, errNoAdmin())
			return
		}
		next.ServeHTTP(w, r)
	}))
}

func errNoAdmin() *problem {
	return &problem{
		status: http.StatusForbidden,
		title:  "This page is for administrators",
		detail: "Your account does not have that role.",
		remedy: "Ask whoever runs this server for it, or sign in with another account.",
	}
}

// askSignIn sends a browser that wants to see a page to the sign-in page. One
// that wants to do something has to begin again afterwards.
func (s *Server) askSignIn(w http.ResponseWriter, r *http.Request) {
	next := "/"
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		next = r.URL.RequestURI()
	}
	s.sendToSignIn(w, r, next)
}

func (s *Server) sendToSignIn(w http.ResponseWriter, r *http.Request, next string) {
	w.Header().Set("Cache-Control", "no-store")
	http.Redirect(w, r, s.path("/signin")+"?next="+url.QueryEscape(next), http.StatusSeeOther)
}

// showSignIn shows the sign-in page.
func (s *Server) showSignIn(w http.ResponseWriter, r *http.Request) {
	s.signInPage(w, r, http.StatusOK, templates.SignIn{Next: safeNext(r.URL.Query().Get("next"))})
}

func (s *Server) signInPage(w http.ResponseWriter, r *http.Request, status int, page templates.SignIn) {
	value := s.cookie(r, formCookie)
	if value == "" {
		value = secret("")
	}
	s.setCookie(w, formCookie, value, time.Hour)
	settingUp, err := s.settingUp(r.Context())
	if err != nil {
		s.writeProblem(w, r, err)
		return
	}
	page.Product, page.Action, page.Handle, page.Setup = s.Name, s.path("/signin"), s.formHandle(value), settingUp
	page.NoPasswords, page.Providers = s.NoPasswords, s.providersToOffer()
	templates.Write(w, r, status, page)
}

// formHandle returns the handle that belongs to a form cookie. It is not the
// cookie itself, so that a page that leaks does not give the cookie away.
func (s *Server) formHandle(cookie string) string {
	mac := hmac.New(sha256.New, s.Secret)
	mac.Write([]byte("sign-in form " + cookie))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// answerSignIn takes the sign-in form. The form's handle must belong to the
// browser's cookie: otherwise a stranger could sign a victim in under the
// stranger's name (login CSRF).
func (s *Server) answerSignIn(w http.ResponseWriter, r *http.Request) {
	f, err := s.pageForm(w, r)
	if err != nil {
		s.writeProblem(w, r, err)
		return
	}
	cookie := s.cookie(r, formCookie)
	if cookie == "" || !same(f.get("handle"), s.formHandle(cookie)) {
		s.writeProblem(w, r, errCrossSite())
		return
	}
	if f.get("code") != "" {
		s.answerSetup(w, r, f)
		return
	}
	if p := s.provider(f.get("provider")); p != nil {
		if err := s.sendToProvider(w, r, p, Login{Next: safeNext(f.get("next"))}, false); err != nil {
			s.writeProblem(w, r, err)
		}
		return
	}
	a, err := s.signIn(r.Context(), r, f.get("username"), f.get("password"))
	s.enter(w, r, f, a, err)
}

// enter answers the form of a sign-in: it starts the session of a and sends
// the person on, or says why not.
func (s *Server) enter(w http.ResponseWriter, r *http.Request, f form, a *Account, err error) {
	next := safeNext(f.get("next"))
	if refused, ok := errors.AsType[*errSignIn](err); ok {
		setRetryAfter(w, refused.after)
		s.signInPage(w, r, refused.status(), templates.SignIn{Next: next, Username: f.get("username"), Error: refused.words})
		return
	}
	if err == nil {
		_, err = s.startSession(w, r, a, time.Time{})
	}
	if err != nil {
		s.writeProblem(w, r, err)
		return
	}
	s.setCookie(w, formCookie, "", 0)
	http.Redirect(w, r, next, http.StatusSeeOther)
}

// signOut ends the browser's session. A form of another site ends nothing,
// because the cookie does not come with it.
func (s *Server) signOut(w http.ResponseWriter, r *http.Request) {
	if err := s.checkOrigin(r); err != nil {
		s.writeProblem(w, r, err)
		return
	}
	if err := s.endSession(w, r); err != nil {
		s.writeProblem(w, r, err)
		return
	}
	templates.Write(w, r, http.StatusOK, templates.SignedOut{Product: s.Name})
}

// pageForm reads the form of one of our pages, posted from that page.
func (s *Server) pageForm(w http.ResponseWriter, r *http.Request, several ...string) (form, error) {
	if err := s.checkOrigin(r); err != nil {
		return nil, err
	}
	return readForm(w, r, several...)
}

func errCrossSite() *problem {
	return &problem{
		status: http.StatusForbidden,
		title:  "This request did not come from our page",
		detail: "Another site may have sent it, or your browser keeps no cookies.",
		remedy: "Go back to the app and start again.",
	}
}

// safeNext returns a path on this server to go on to. What could lead
// elsewhere ("//evil.example", "/\evil.example", a scheme) becomes "/".
func safeNext(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || len(next) > maxURL {
		return "/"
	}
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.Contains(next, `\`) || !isText(next) {
		return "/"
	}
	return next
}

// path returns the path of one of our endpoints as the browser sees it.
func (s *Server) path(endpoint string) string { return pathOf(s.Issuer) + endpoint }

func setRetryAfter(w http.ResponseWriter, after time.Duration) {
	if after > 0 {
		w.Header().Set("Retry-After", seconds(after))
	}
}

// checkOrigin refuses a request that another site sent.
func (s *Server) checkOrigin(r *http.Request) error {
	if s.csrf.Check(r) != nil {
		return errCrossSite()
	}
	return nil
}
