package server

import (
	"net/http"
	"testing"

	"rialto/cmd/rialto/internal/config"
)

// TestPublicPagesHaveABudget uses up what a network has, with the cheapest of the pages for everybody: then
// each of them is refused, and another network is served.
func TestPublicPagesHaveABudget(t *testing.T) {
	s := newRigWith(t, func(c *config.Config) { c.TrustedProxies = []string{"127.0.0.1/32"} })
	open := func(path, from string) reply { return s.do("GET", path, "", "", "X-Forwarded-For: "+from) }
	for _, path := range []string{"/", "/docs?q=task", "/openapi.json", "/signin"} {
		var got reply
		for tries := 0; tries < 20 && got.status != http.StatusTooManyRequests; tries++ { // a token comes back every 50 ms
			for n := 0; n < 2000 && open("/signin", "192.0.2.1").status == http.StatusOK; n++ {
			}
			got = open(path, "192.0.2.1")
		}
		if got.status != http.StatusTooManyRequests || got.header.Get("Retry-After") == "" {
			t.Errorf("%s: got %d, Retry-After %q, want a refusal that says when to try again", path, got.status, got.header.Get("Retry-After"))
		}
		if got := open(path, "198.51.100.1"); got.status != http.StatusOK {
			t.Errorf("%s: another network: got %d", path, got.status)
		}
	}
}
