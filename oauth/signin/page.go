package signin

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
	"rialto/templates"
)

// Pages serves the sign-in page.
type Pages struct {
	Secret    []byte
	Passwords *Passwords
	Passkeys  *Passkeys
	Providers *Providers
	Sessions  *Sessions
	Env       *endpoint.Env
	Demo      bool // the page says where the password of the demo is
}

// formCookie binds the sign-in form to the browser that was given it.
const formCookie = "rialto-signin"

// Show shows the sign-in page.
func (pg *Pages) Show(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	return pg.Write(w, r, http.StatusOK, templates.SignIn{
		Next:    SafeNext(q.Get("next")),
		Link:    q.Get("link"),
		Another: q.Has("another"),
	})
}

func (pg *Pages) Write(
	w http.ResponseWriter,
	r *http.Request,
	status int,
	page templates.SignIn,
) error {
	value := pg.Env.Cookie(r, formCookie)
	if value == "" {
		value = secret.New("")
	}
	pg.Env.SetCookie(w, formCookie, value, time.Hour)
	settingUp, err := pg.Passwords.SettingUp(r.Context())
	if err != nil {
		return err
	}

	page.Product = pg.Env.Name
	page.Action = pg.Env.Path("/signin")
	page.Handle = pg.formHandle(value)
	page.Setup = settingUp
	page.NoPasswords = pg.Passwords.Off
	page.Providers = pg.Providers.Offered()
	page.Demo = pg.Demo
	switch {
	case page.Link != "":
		err = pg.showLink(r.Context(), &page)
	case !settingUp:
		page.Passkey, err = pg.PasskeyRequest(page.Handle)
	}
	if err != nil {
		return err
	}
	templates.Write(w, r, status, page)
	return nil
}

// showLink adds the account of a link to its page, and where the person is invited what they can choose.
func (pg *Pages) showLink(ctx context.Context, page *templates.SignIn) error {
	a, err := pg.Passwords.linked(ctx, page.Link)
	if err != nil {
		return linkProblem(err)
	}
	page.Username = a.Name
	page.Invited = a.Invited()
	if page.Invited {
		page.Passkey, err = pg.Passkeys.Creation(ctx, a.ID, page.Handle)
	}
	return err
}

// formHandle returns the handle that belongs to a form cookie. It is not the
// cookie itself, so that a page that leaks does not give the cookie away.
func (pg *Pages) formHandle(cookie string) string {
	return secret.MAC(pg.Secret, "sign-in form "+cookie)
}

// Answer takes the sign-in form. The form's handle must belong to the browser's cookie: otherwise
// an attacker could sign a victim in under the attacker's name (login CSRF).
func (pg *Pages) Answer(w http.ResponseWriter, r *http.Request) error {
	f, err := pg.Env.PageForm(w, r)
	if err != nil {
		return err
	}
	cookie := pg.Env.Cookie(r, formCookie)
	if cookie == "" || !secret.Same(f.Get("handle"), pg.formHandle(cookie)) {
		return endpoint.CrossSite()
	}
	next := SafeNext(f.Get("next"))
	provider := pg.Providers.Find(f.Get("provider"))
	var a *oauth.Account
	switch {
	case f.Get("code") != "":
		if next == "/" {
			f["next"] = []string{afterSetup}
		}
		a, err = pg.Passwords.firstAccount(w, r, f)
	case f.Get("link") != "":
		a, err = pg.Passwords.useLink(w, r, f)
	case f.Get("passkey") != "":
		a, err = pg.SignInByPasskey(w, r, f)
	case provider != nil:
		return pg.Providers.Send(w, r, provider, oauth.Login{Next: next}, f.Get("another") != "")
	default:
		a, err = pg.Passwords.SignIn(w, r, f.Get("username"), f.Get("password"))
	}
	return pg.enter(w, r, f, a, err)
}

// afterSetup is the page that says what to do next (bridge/console).
const afterSetup = "/admin?done=setup"

// enter starts the session of a and redirects, or shows the sign-in page with the refusal in err.
func (pg *Pages) enter(
	w http.ResponseWriter,
	r *http.Request,
	f endpoint.Form,
	a *oauth.Account,
	err error,
) error {
	next := SafeNext(f.Get("next"))
	if refused, ok := errors.AsType[*Refusal](err); ok {
		endpoint.SetRetryAfter(w, refused.RetryAfter, refused.Quota)
		page := templates.SignIn{Next: next, Username: f.Get("username"), Error: refused.Reason}
		if refused.RetryAfter == 0 { // a refused choice leaves the link as it is
			page.Link = f.Get("link")
		}
		return pg.Write(w, r, refused.Status(), page)
	}
	if err == nil {
		_, err = pg.Sessions.Start(w, r, a, time.Time{})
	}
	if err != nil {
		return err
	}
	pg.Env.SetCookie(w, formCookie, "", 0)
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

// SignOut ends the browser's session. A form of another site ends nothing,
// because the cookie does not come with it.
func (pg *Pages) SignOut(w http.ResponseWriter, r *http.Request) error {
	if err := pg.Env.CheckOrigin(r); err != nil {
		return err
	}
	if err := pg.Sessions.End(w, r); err != nil {
		return err
	}
	templates.Write(w, r, http.StatusOK, templates.SignedOut{Product: pg.Env.Name})
	return nil
}

// SafeNext returns a path on this server to go on to. What could lead
// elsewhere ("//evil.example", "/\evil.example", a scheme) becomes "/".
func SafeNext(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || len(next) > oauth.MaxURL {
		return "/"
	}
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") ||
		strings.Contains(next, `\`) ||
		!endpoint.IsText(next) {
		return "/"
	}

	return next
}
