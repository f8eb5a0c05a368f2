package e2e

import (
	"fmt"
	"net/http"
	"strings"

	"rialto/oauth/oauthtest"
)

// connect connects agents with accounts of alice's: by a sign-in whose tokens are
// renewed, by one that is left open, and by a key.
func (v *vault) connect() {
	v.Helper()
	browser := oauthtest.NewBrowser(v.T, nil)
	browser.Header.Set("Origin", v.program.URL)
	open := func(path string) *oauthtest.Page {
		v.Helper()
		page := browser.Get(v.program.URL + path)
		if page.Status == http.StatusSeeOther {
			signIn := browser.Get(page.Continue().String())
			page = browser.Get(browser.Submit(signIn, map[string]string{"username": "alice", "password": password}).Continue().String())
		}
		if !page.Has("#connect") {
			v.Fatalf("%s: got %d %s", path, page.Status, page.Text())
		}
		return page
	}
	issued := 0
	v.provider.Instead("/token", func(w http.ResponseWriter, r *http.Request) {
		if verifier := r.FormValue("code_verifier"); verifier != "" {
			v.keptFor("the verifier of a connection", verifier)
		}
		issued++
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"access_token":%q,"refresh_token":%q,"token_type":"Bearer","expires_in":1}`,
			v.keptFor(fmt.Sprint("access token ", issued, " at an agent"), fmt.Sprint("upstream-access-token-", issued, "-of-alice")),
			v.keptFor(fmt.Sprint("refresh token ", issued, " at an agent"), fmt.Sprint("upstream-refresh-token-", issued, "-of-alice")))
	})
	for _, what := range []string{"of a connection that is made", "of a connection that waits"} {
		there := browser.Submit(open("/connect/personal"), nil).Continue()
		v.keptFor("the state "+what, there.Query().Get("state"))
		v.keptCookies(browser, what)
		if what == "of a connection that waits" {
			continue
		}
		back := browser.Get(there.String()).Continue()
		v.keptFor("the code "+what, back.Query().Get("code"))
		if done := browser.Get(back.String()); done.Status != http.StatusSeeOther {
			v.Fatalf("coming back: got %d %s", done.Status, done.Text())
		}
	}
	browser.Submit(open("/connect/keyed"), map[string]string{"value": v.keptFor("a key for an agent", "the-key-that-alice-has-for-an-agent")})
	for _, agent := range []string{"personal", "keyed"} {
		sent := do(v.T, "POST", v.program.URL+"/api/v1/agents/"+agent+"/tasks", `{"message":"as alice","wait":20}`,
			"Authorization", "Bearer "+v.secrets["an access token by hand"], "Content-Type", "application/json")
		if !strings.Contains(string(sent.body), `"completed"`) {
			v.Fatalf("%s: got %s", agent, sent.body)
		}
	}
	if issued < 2 {
		v.Fatal("no token was renewed")
	}
}
