package e2e

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"sync"
	"testing"

	"rialto/oauth/oauthtest"
)

// TestHonestUsersBesideManyReaders measures what honest users meet while others read a public page.
func TestHonestUsersBesideManyReaders(t *testing.T) {
	takesLong(t)
	s := newSiege(t, "")
	s.withstand(t, func(ctx context.Context) {
		s.flood(ctx, 200, func(ctx context.Context, _ int64) int { return s.send(ctx, "GET", "/", "", "192.0.2.1") })
	})
}

// TestJunkDoesNotCloseTheLogin asks for logins that name no client, or not its redirect URI, from
// 64 networks.
func TestJunkDoesNotCloseTheLogin(t *testing.T) {
	takesLong(t)
	s := newSiege(t, "")
	junk := []string{
		"/authorize?x",
		"/authorize?client_id=rialto-client-unknown&redirect_uri=https://chat.example/callback",
		"/authorize?client_id=" + s.client + "&redirect_uri=https://elsewhere.example/",
		"/authorize?response_type=code&client_id=" + s.client + "&redirect_uri=https://chat.example/callback", // has a client, and no PKCE
		"/authorize?client_id=" + s.client + "&request_uri=urn:ietf:params:oauth:request_uri:nothing",
		"/authorize?client_id=https://nobody.invalid/client.json",
		"/oauth/callback/nobody?state=x&code=y",
	}
	s.withstand(t, func(ctx context.Context) {
		s.flood(ctx, 500, func(ctx context.Context, i int64) int {
			return s.send(ctx, "GET", junk[i%int64(len(junk))], "", sixtyFour())
		})
	})
}

// TestLoginsOfManyNetworksDoNotCloseTheLogin asks for logins with a known client and its redirect
// URI, as many as the server answers, from networks that come once.
func TestLoginsOfManyNetworksDoNotCloseTheLogin(t *testing.T) {
	takesLong(t)
	s := newSiege(t, "")
	good := "/authorize?" + url.Values{"response_type": {"code"}, "client_id": {s.client}, "redirect_uri": {hostedApp}, "code_challenge": {s256("x")}, "code_challenge_method": {"S256"}}.Encode()
	s.withstand(t, func(ctx context.Context) {
		s.flood(ctx, 300, func(ctx context.Context, _ int64) int {
			return s.send(ctx, "GET", good, "", fmt.Sprintf("2001:%x:%x::1", rand.IntN(1<<16), rand.IntN(1<<16)))
		})
	})
}

// TestStrangersDoNotCloseTheRegistration registers clients from 62 addresses.
func TestStrangersDoNotCloseTheRegistration(t *testing.T) {
	takesLong(t)
	s := newSiege(t, "")
	s.withstand(t, func(ctx context.Context) {
		s.flood(ctx, 500, func(ctx context.Context, i int64) int {
			return s.send(ctx, "POST", "/register", `{"redirect_uris":["https://app.example/cb"]}`, fmt.Sprintf("192.0.2.%d", 1+i%62), "Content-Type", "application/json")
		})
	})
}

// TestRefusalsAtTheTokenEndpointStopNobodyElse sends codes, refresh tokens and clients that do not
// exist from the address of a hosted chat app, in its own name too.
func TestRefusalsAtTheTokenEndpointStopNobodyElse(t *testing.T) {
	takesLong(t)
	s := newSiege(t, "")
	code, refresh := "rialto_code_"+strings.Repeat("0", 43), "rialto_refresh_"+strings.Repeat("0", 43)
	forms := []url.Values{
		{"grant_type": {"authorization_code"}, "client_id": {s.client}, "code": {code}, "redirect_uri": {hostedApp}},
		{"grant_type": {"refresh_token"}, "client_id": {s.client}, "refresh_token": {refresh}},
		{"grant_type": {"refresh_token"}, "client_id": {"nobody"}, "refresh_token": {refresh}},
		{"grant_type": {"refresh_token"}, "client_id": {s.client}, "client_secret": {"wrong"}, "refresh_token": {refresh}},
	}
	s.withstand(t, func(ctx context.Context) {
		s.flood(ctx, 500, func(ctx context.Context, i int64) int {
			return s.send(ctx, "POST", "/token", forms[i%int64(len(forms))].Encode(), hostedFrom, "Content-Type", "application/x-www-form-urlencoded")
		})
	})
}

// sixtyFour returns an address in one of 64 networks of eight /48.
func sixtyFour() string { return fmt.Sprintf("2001:db8:%x:%x::1", rand.IntN(8), rand.IntN(8)) }

// TestPasswordsOfOneNetworkDoNotCloseTheSignIn tries passwords for names that do not exist, more at a
// time than the server hashes, from one address.
func TestPasswordsOfOneNetworkDoNotCloseTheSignIn(t *testing.T) {
	takesLong(t)
	s := newSiege(t, "")
	browser := oauthtest.NewBrowser(t, s.http.Transport)
	_, shown := browser.Get(s.p.URL + "/signin").Form()
	cookie := browser.Cookies(s.p.URL)[0].String()
	s.withstand(t, func(ctx context.Context) {
		var all sync.WaitGroup
		for range 200 {
			all.Go(func() {
				for ctx.Err() == nil {
					form := url.Values{"handle": {shown.Get("handle")}, "username": {fmt.Sprint("nobody", rand.IntN(1e9))}, "password": {"a wrong guess"}}
					status := s.send(ctx, "POST", "/signin", form.Encode(), "192.0.2.1", "Content-Type", "application/x-www-form-urlencoded", "Cookie", cookie, "Origin", s.p.URL)
					s.mu.Lock()
					s.strange[status]++
					s.mu.Unlock()
				}
			})
		}
		all.Wait()
	})
}
