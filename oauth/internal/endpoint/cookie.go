package endpoint

import (
	"net/http"
	"strings"
	"time"

	"rialto/oauth"
	"rialto/oauth/internal/secret"
)

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
