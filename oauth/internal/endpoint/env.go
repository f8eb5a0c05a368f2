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

	"rialto/oauth"
)

// Env is what the endpoints of one server share. Events, TrustedProxies
// and Rate may be nil. It must not be copied after its first use.
type Env struct {
	Issuer string
	Name   string // of the product, on pages
	Now    func() time.Time
	Log    *slog.Logger
	Events oauth.Events

	// TrustedProxies are the addresses whose X-Forwarded-For is trusted.
	TrustedProxies []netip.Prefix

	// Rate returns how many tokens a bucket gets in a minute, by its name; 0 and nil change nothing.
	Rate func(bucket string) int

	rates   sync.Map  // by the names of buckets: *quota.Rate
	warning sync.Once // about proxies that are not trusted
	csrf    http.CrossOriginProtection
}
