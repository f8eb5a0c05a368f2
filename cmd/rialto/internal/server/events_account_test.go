package server

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"rialto/oauth"
	"rialto/oauth/oauthtest"
)

// TestAPersonSeesTheirEventSubscriptions has a receiver that refuses an event for good. Its owner sees why,
// sends a test, and has the event delivered again.
func TestAPersonSeesTheirEventSubscriptions(t *testing.T) {
	r, hooks, _ := eventRig(t, io.Discard)
	token, home := r.token("alice", oauth.ScopeTools), r.cfg.Load().URL
	if a := r.mcp(token, "events/subscribe", hookTo("task.changed", hooks.url, hookSecret, object{"states": []string{"completed"}})); a.Error != nil {
		t.Fatal(a.raw)
	}
	hooks.answers = []int{http.StatusGone}
	lost := r.send(token, "echo one")
	hooks.wait(1)
	browser := oauthtest.NewBrowser(t, nil)
	browser.Submit(browser.Get(home+"/signin"), map[string]string{"username": "alice", "password": "correct horse battery staple"}).Continue()
	r.settled()
	page := browser.Get(home + "/account")
	for _, want := range []string{"task.changed", "completed", hooks.host, "http_4xx", "Some events were given up."} {
		if !strings.Contains(page.Body, want) {
			t.Errorf("the page does not say %q: %s", want, page.Text())
		}
	}
	if strings.Contains(page.Body, "query-of-the-callback") {
		t.Error("the page shows the whole address")
	}
	for i, tc := range []struct {
		action, want string
		answer       int
	}{{"test", "The receiver took the test event.", 200}, {"test", "http_5xx", 500}, {"redeliver", "are delivered again", 200}} {
		hooks.mu.Lock()
		hooks.answers = []int{tc.answer}
		hooks.mu.Unlock()
		id := hooks.wait(1)[0].Subscription
		got := browser.Post(home+"/account/events", url.Values{"id": {id}, "action": {tc.action}})
		if got.Status == http.StatusSeeOther {
			got = browser.Get(got.Continue().String())
		}
		if !strings.Contains(got.Text(), tc.want) {
			t.Errorf("%s: got %s", tc.action, got.Text())
		}
		d := hooks.wait(i + 2)[i+1]
		if d.Type == "gap" {
			d = hooks.wait(i + 3)[i+2]
		}
		if isTest := strings.HasPrefix(d.EventID, "test."); isTest != (tc.action == "test") || d.Name != "task.changed" || !isTest && d.Data.Task != lost {
			t.Errorf("%s: got %+v", tc.action, d)
		}
		if got := browser.Post(home+"/account/events", url.Values{"id": {"sub_of_another"}, "action": {tc.action}}); got.Status != http.StatusNotFound {
			t.Errorf("%s of another's: got %d", tc.action, got.Status)
		}
	}
}
