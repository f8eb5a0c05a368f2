// Package endpoint holds what all HTTP endpoints of the authorization server
// share: methods, CORS, forms, cookies, rate limits by address, and the one place
// where an error becomes bytes. It does not know any endpoint.
package endpoint

import (
	"log/slog"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"rialto/internal/quota"
	"rialto/oauth"
)

// Settings are what an operator may change while the server runs. They are read at each request.
type Settings interface {
	// Rate returns how many tokens a bucket of docs/security.md gets in a minute, by its name;
	// 0 is the default.
	Rate(bucket string) int

	// RedirectPrefixes, if any, are where https redirect URIs of clients that register or bring a
	// document must lead: to the same host, and to the path or below it. Addresses on people's own
	// computers are not limited.
	RedirectPrefixes() []string

	// Secrets returns the secrets that count for a key of the configuration: "clients[ID]",
	// "registration.token", "sign_in.oidc[ID]" or "tokens.secret". The first is in force, and the others
	// were replaced a short while ago. None means that the configuration of the start has it.
	Secrets(key string) []string
}

// Env is what the parts of one server share. Events and TrustedProxies may be nil. It must not be
// copied after its first use.
type Env struct {
	Issuer string
	Name   string // of the product, on pages
	Now    func() time.Time
	Log    *slog.Logger
	Events oauth.Events

	// TrustedProxies are the addresses whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix

	Settings Settings

	rates   sync.Map    // by the names of buckets: *quota.Rate
	pages   quota.Queue // for everybody
	warning sync.Once   // about proxies that are not trusted
	csrf    http.CrossOriginProtection
}

// Secrets returns Settings.Secrets of a key or, without any, the secret of the start.
func (env *Env) Secrets(key, start string) []string {
	if live := env.Settings.Secrets(key); len(live) > 0 {
		return live
	}
	return []string{start}
}
