package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"rialto/oauth/oauthtest"
)

// logInElsewhere signs a person in by an identity provider, leaves another sign-in
// unfinished, and pastes a token.
func (v *vault) logInElsewhere() {
	v.Helper()
	const proof = "another-verifier-that-is-long-enough-for-rfc-7636"
	request := v.program.URL + "/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {v.client}, "redirect_uri": {"http://127.0.0.1:1/callback"}, "scope": {"mcp:tools offline_access"},
		"code_challenge": {s256(proof)}, "code_challenge_method": {"S256"},
	}.Encode()
	redeem := func(what, code string) {
		v.Helper()
		got := v.token(url.Values{
			"grant_type": {"authorization_code"}, "code": {v.keptFor("a code "+what, code)}, "redirect_uri": {"http://127.0.0.1:1/callback"},
			"code_verifier": {proof}, "client_id": {v.client}, "client_secret": {v.secrets["the client's secret"]},
		}, 200)
		v.keptFor("an access token "+what, got.Access)
		v.keptFor("a refresh token "+what, got.Refresh)
	}
	for _, what := range []string{"of a login that is open", "of a login that is over"} {
		browser := oauthtest.NewBrowser(v.T, nil)
		there := browser.Submit(browser.Get(request), map[string]string{"decision": "provider:corp"}).Continue()
		v.keptFor("the state "+what, there.Query().Get("state"))
		v.keptFor("the nonce "+what, there.Query().Get("nonce"))
		v.keptCookies(browser, what)
		back := browser.Get(there.String()).Continue()
		v.keptFor("the provider's code "+what, back.Query().Get("code"))
		if what == "of a login that is over" {
			v.keepsWhatTheProviderSees()
			redeem(what, browser.Get(back.String()).Continue().Query().Get("code"))
			v.keptCookies(browser, "of a session after a login")
		}
	}
	pasted := v.keptFor("a pasted token", v.provider.AccessToken(map[string]any{"exp": time.Now().Add(time.Hour).Unix()}))
	v.keptFor("the signature of a pasted token", pasted[strings.LastIndexByte(pasted, '.')+1:])
	v.keptFor("the claims of a pasted token", strings.Split(pasted, ".")[1])
	browser := oauthtest.NewBrowser(v.T, nil)
	shown := browser.Submit(browser.Get(request), map[string]string{"decision": "token", "token": pasted})
	redeem("for a pasted token", browser.Submit(shown, map[string]string{"decision": "token"}).Continue().Query().Get("code"))
}

// signInLinks makes two links, uses the first, and opens the second.
func (v *vault) signInLinks() {
	v.Helper()
	for _, what := range []string{"that was used", "that waits"} {
		link := output(v.T, "", "user", "link", "alice", "--config", v.config)
		_, token, _ := strings.Cut(link, "=")
		v.keptFor("a sign-in link "+what, token)
		browser := oauthtest.NewBrowser(v.T, nil)
		page := browser.Get(link)
		if what == "that was used" {
			browser.Submit(page, nil).Continue()
			v.keptCookies(browser, "of a session after a sign-in link")
		}
	}
}

func (v *vault) keptCookies(browser *oauthtest.Browser, what string) {
	v.Helper()
	for _, c := range browser.Cookies(v.program.URL) {
		v.keptFor("the cookie "+c.Name+" "+what, c.Value)
	}
}

// keepsWhatTheProviderSees keeps the verifier of the next login at the provider,
// and the ID token that it gets.
func (v *vault) keepsWhatTheProviderSees() {
	v.provider.IDToken(func(header, claims map[string]any) string {
		return v.keptFor("an ID token", v.provider.Sign(header, claims))
	})
	v.provider.Instead("/token", func(w http.ResponseWriter, r *http.Request) {
		v.keptFor("the verifier of a login", r.FormValue("code_verifier"))
		v.provider.Instead("/token", nil)
		v.provider.ServeHTTP(w, r)
	})
}
