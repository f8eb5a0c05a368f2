package endpoint

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/secret"
)

// NotConnected refuses a request that cannot succeed, however often the app repeats it.
func NotConnected(code, detail string) *oauth.Problem {
	p := BadLink(code, detail)
	p.Title = "This app couldn't be connected"
	return p
}

// BadLink refuses a link or form that cannot be used.
func BadLink(code, detail string) *oauth.Problem {
	return &oauth.Problem{
		Code:   code,
		Status: http.StatusBadRequest,
		Title:  "This link doesn't work",
		Detail: detail,
		Remedy: "Go back to the app and start again. If it happens again, remove the connection there and add it anew.",
	}
}

// Description returns what an *oauth.Error says.
func Description(err error) string {
	if e, ok := errors.AsType[*oauth.Error](err); ok {
		return e.Description
	}
	return "The request is not well formed."
}

// PageForm reads the form of one of our pages, posted from that page.
func (env *Env) PageForm(w http.ResponseWriter, r *http.Request, several ...string) (Form, error) {
	if err := env.CheckOrigin(r); err != nil {
		return nil, err
	}
	return ReadForm(w, r, several...)
}

// CrossSite refuses a request that another site may have sent.
func CrossSite() *oauth.Problem {
	return &oauth.Problem{
		Code:   "cross_site",
		Status: http.StatusForbidden,
		Title:  "This request didn't come from our page",
		Detail: "Another site may have sent it, or your browser keeps no cookies.",
		Remedy: "Go back to the app and start again.",
	}
}

// CheckOrigin refuses a request that another site sent.
func (env *Env) CheckOrigin(r *http.Request) error {
	if env.csrf.Check(r) != nil {
		return CrossSite()
	}
	return nil
}

// secure tells whether the issuer is reached over TLS.
func (env *Env) secure() bool { return strings.HasPrefix(env.Issuer, "https:") }

// cookieName puts the prefix before a name that makes browsers refuse the
// cookie from anywhere but this very host over TLS. A loopback issuer does
// without: browsers drop Secure cookies there, and some refuse the prefix.
func (env *Env) cookieName(name string) string {
	if env.secure() {
		return "__Host-" + name
	}
	return name
}

// SetCookie sets a cookie that scripts cannot read and that other sites'
// forms do not carry. A life of zero removes it.
func (env *Env) SetCookie(w http.ResponseWriter, name, value string, life time.Duration) {
	age := int(life / time.Second)
	if age <= 0 {
		age = -1
	}

	http.SetCookie(w, &http.Cookie{
		Name:     env.cookieName(name),
		Value:    value,
		Path:     "/",
		MaxAge:   age,
		Secure:   env.secure(),
		HttpOnly: true,
		SameSite: http.SameSiteLaxMode,
	})
}

// Cookie returns the value of one of our cookies, or "".
func (env *Env) Cookie(r *http.Request, name string) string {
	c, err := r.Cookie(env.cookieName(name))
	if err != nil || !secret.Is(c.Value, "") {
		return ""
	}
	return c.Value
}

// Path returns the path of one of our endpoints as the browser sees it.
func (env *Env) Path(endpoint string) string { return oauth.PathOf(env.Issuer) + endpoint }
