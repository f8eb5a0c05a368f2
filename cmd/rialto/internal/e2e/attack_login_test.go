package e2e

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/oauth/oauthtest"
)

// TestHonestUsersBesideManyReaders has strangers of many networks read each of the pages for everybody, and
// register clients, a thousand times a second.
func TestHonestUsersBesideManyReaders(t *testing.T) {
	takesLong(t)
	for _, page := range []string{"/", "/docs", "/docs?q=task", "/openapi.json", "/signin", "/register"} {
		t.Run(page, func(t *testing.T) {
			s := newSiege(t, "")
			s.withstand(t, func(ctx context.Context) {
				s.flood(ctx, 1000, func(ctx context.Context, _ int64) int {
					from := fmt.Sprintf("2001:%x:%x::1", rand.IntN(1<<16), rand.IntN(1<<16))
					if page == "/register" {
						return s.send(ctx, "POST", page, `{"redirect_uris":["https://app.example/cb"]}`, from, "Content-Type", "application/json")
					}
					return s.send(ctx, "GET", page, "", from, "Accept-Encoding", "gzip")
				})
			})
		})
	}
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
	s.withstand(t, func(ctx context.Context) {
		s.signIns(ctx, browser, func(int) (name, password, from string) {
			return fmt.Sprint("nobody", rand.IntN(1e9)), "a wrong guess", "192.0.2.1"
		})
	})
}

// TestOneAccountDoesNotCloseTheSignIn signs an account in, with its own password in its own browser, on
// more connections than may wait, from an address each. Another account signs in beside it in a browser
// that it has used before.
func TestOneAccountDoesNotCloseTheSignIn(t *testing.T) {
	takesLong(t)
	s := newSiege(t, "")
	output(t, password+"\n", "user", "add", "bob", "--password-stdin", "--config", s.config)
	signIn := func(b *oauthtest.Browser, name string) error {
		p := b.Submit(b.Get(s.p.URL+"/signin"), map[string]string{"username": name, "password": password})
		return want(p.Status, http.StatusSeeOther)
	}
	bobs, known := oauthtest.NewBrowser(t, s.http.Transport), oauthtest.NewBrowser(t, s.http.Transport)
	if err := errors.Join(signIn(bobs, "bob"), signIn(known, username)); err != nil {
		t.Fatal(err)
	}
	s.withstand(t, func(ctx context.Context) {
		var all sync.WaitGroup
		all.Go(func() {
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for ctx.Err() == nil {
				if err := s.timed("sign in", func() error { return signIn(known, username) }); err != nil {
					t.Error(err)
				}
				<-tick.C
			}
		})
		s.signIns(ctx, bobs, func(i int) (string, string, string) {
			return "bob", password, fmt.Sprintf("192.0.2.%d", i)
		})
		all.Wait()
	})
}

// signIns sends the form of the sign-in page with the cookies of a browser, on 200 connections, until
// ctx ends.
func (s *siege) signIns(ctx context.Context, browser *oauthtest.Browser, next func(connection int) (name, password, from string)) {
	_, shown := browser.Get(s.p.URL + "/signin").Form()
	var cookies []string
	for _, c := range browser.Cookies(s.p.URL) {
		cookies = append(cookies, c.String())
	}
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			for ctx.Err() == nil {
				name, password, from := next(i)
				form := url.Values{"handle": {shown.Get("handle")}, "username": {name}, "password": {password}}
				status := s.send(ctx, "POST", "/signin", form.Encode(), from, "Content-Type", "application/x-www-form-urlencoded", "Cookie", strings.Join(cookies, "; "), "Origin", s.p.URL)
				s.mu.Lock()
				s.strange[status]++
				s.mu.Unlock()
			}
		})
	}
	all.Wait()
}
