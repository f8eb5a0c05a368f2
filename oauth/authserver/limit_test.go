package authserver_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
)

// behindAProxy is a rig that takes the address of a request from its X-Forwarded-For.
func behindAProxy(t *testing.T, change ...func(*setup)) *rig {
	return newRig(t, append(change, func(s *setup) { s.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")} })...)
}

// from opens an address as a caller in a network does, and returns the status.
func (r *rig) from(network, address string) int {
	r.t.Helper()
	return r.do(r.request("GET", strings.TrimPrefix(address, r.url), "", "", "X-Forwarded-For", network)).status
}

func TestJunkDoesNotCountAsAnAuthorizationRequest(t *testing.T) {
	r := behindAProxy(t)
	c := r.newClient("none")
	good := r.authorizeURL(c, nil)
	for range 200 {
		r.from("192.0.2.1", "/authorize?x")
		r.from("192.0.2.1", "/authorize?client_id=nobody")
		r.from("192.0.2.1", strings.ReplaceAll(good, "9%2Fcb", "9%2Felsewhere"))
	}
	if got := r.from("192.0.2.1", good); got != 200 {
		t.Errorf("got %d for a good request after junk of the same address, want 200", got)
	}
}

// TestANetworkHasItsOwnLimitOfLogins lets 64 networks use up what they have.
func TestANetworkHasItsOwnLimitOfLogins(t *testing.T) {
	r := behindAProxy(t)
	good := r.authorizeURL(r.newClient("none"), nil)
	limited := func(network func(i int) string) (n int) {
		for i := range 1100 {
			if r.from(network(i), good) == 429 {
				n++
			}
		}
		return n
	}
	if n := limited(func(int) string { return "2001:db8:1::1" }); n != 1100-120 {
		t.Errorf("one /64: got %d of 1100 refused, want all but 120", n)
	}
	if n := limited(func(i int) string { return fmt.Sprintf("2001:db8:2:%x::1", i%64) }); n != 1100-8*120 {
		t.Errorf("one /48: got %d of 1100 refused, want all but 960", n)
	}
	page := r.do(r.request("GET", strings.TrimPrefix(good, r.url), "", "", "X-Forwarded-For", "2001:db8:1::1"))
	if got := page.header.Get("RateLimit-Policy") + page.header.Get("RateLimit"); got != `"authorize";q=120;w=120"authorize";r=0;t=1` {
		t.Errorf("got RateLimit headers %s", got)
	}
	for _, other := range []string{"2001:db8:3::1", "192.0.2.1"} {
		if got := r.from(other, good); got != 200 {
			t.Errorf("%s: got %d, want 200", other, got)
		}
	}
}

func TestPushedRequestsHaveALimitOfTheirOwn(t *testing.T) {
	r := behindAProxy(t)
	c := r.newClient("none")
	good := r.authorizeURL(c, nil)
	for range 121 {
		r.from("192.0.2.1", good)
	}
	_, query, _ := strings.Cut(good, "?")
	push := func() int {
		return r.do(r.request("POST", "/par", "application/x-www-form-urlencoded", query, "X-Forwarded-For", "192.0.2.1")).status
	}
	for i := range 120 {
		if got := push(); got != 201 {
			t.Fatalf("push %d: got %d, want 201", i+1, got)
		}
	}
	if got := push(); got != 429 {
		t.Errorf("got %d after 120 pushes, want 429", got)
	}
}

func TestNetworksDoNotCloseTheRegistrationForOthers(t *testing.T) {
	r := behindAProxy(t, func(s *setup) { s.Registration.PerHour = 0 })
	register := func(network string) int {
		return r.do(r.request("POST", "/register", "application/json", `{"redirect_uris":["https://app.example/cb"]}`, "X-Forwarded-For", network)).status
	}
	for i := range 62 * 12 {
		register(fmt.Sprintf("192.0.2.%d", 1+i%62))
	}
	if got := register("192.0.2.1"); got != 429 {
		t.Errorf("got %d for a network that registered ten clients, want 429", got)
	}
	if got := register("198.51.100.1"); got != 201 {
		t.Errorf("got %d for a network that was not seen before, want 201", got)
	}
}

// TestRefusalsStopNoGoodRequest has a hosted chat app refused without end, for one of its users,
// for clients that do not exist and for another client; its good requests go on.
func TestRefusalsStopNoGoodRequest(t *testing.T) {
	r := newRig(t)
	c, other, secretive := r.newClient("none"), r.newClient("none"), r.newClient("client_secret_post")
	token := r.tokens(c, nil)
	code, otherCode, secretCode := r.code(c, nil), r.code(other, nil), r.code(secretive, nil)
	limited := map[string]int{}
	for range 300 {
		for name, form := range map[string]params{
			"code":    codeForm(c, "rialto_code_"+strings.Repeat("x", 43)),
			"refresh": refreshForm(c, "rialto_refresh_"+strings.Repeat("x", 43)),
			"nobody":  {"grant_type": "refresh_token", "client_id": "nobody", "refresh_token": "x"},
			"secret":  codeForm(secretive, "x").with(params{"client_secret": "wrong"}),
		} {
			if r.form("/token", form).status == 429 {
				limited[name]++
			}
		}
	}
	for _, name := range []string{"code", "refresh", "nobody", "secret"} {
		if limited[name] < 100 {
			t.Errorf("%s: got %d of 300 answered with 429, want most after the first 200", name, limited[name])
		}
	}
	r.ok(r.form("/token", refreshForm(c, token.str("refresh_token"))))
	r.ok(r.form("/token", codeForm(c, code)))
	r.ok(r.form("/token", codeForm(other, otherCode)))
	r.ok(r.form("/token", codeForm(secretive, secretCode).with(params{"client_secret": secretive.secret})))
}

// TestAProxyThatIsNotTrustedIsReportedOnce: behind a proxy that is missing in trusted_proxies, all
// clients share one address, and no line of the log said so.
func TestAProxyThatIsNotTrustedIsReportedOnce(t *testing.T) {
	for name, c := range map[string]struct {
		trusted, forwarded string
		lines              int
	}{
		"a proxy that is not trusted": {"10.0.0.0/8", "192.0.2.1", 1},
		"a trusted proxy":             {"127.0.0.0/8", "192.0.2.1", 0},
		"no proxy":                    {"10.0.0.0/8", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, func(s *setup) {
				s.TrustedProxies = []netip.Prefix{netip.MustParsePrefix(c.trusted)}
			})
			for range 3 {
				headers := []string{"X-Forwarded-For", c.forwarded}
				if c.forwarded == "" {
					headers = nil
				}
				r.do(r.request("GET", strings.TrimPrefix(r.authorizeURL(r.newClient("none"), nil), r.url), "", "", headers...))
			}
			if n := strings.Count(r.log.String(), "trusted_proxies"); n != c.lines {
				t.Errorf("got %d lines, want %d:\n%s", n, c.lines, r.log.String())
			}
		})
	}
}
