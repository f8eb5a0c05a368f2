package server

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/oauth"
)

// TestAPersonConnectsAnAgentWithACode enters a code at an agent's server, which sends
// no one back, while a task waits. The same page in another tab is no fault afterwards.
func TestAPersonConnectsAnAgentWithACode(t *testing.T) {
	var entered atomic.Bool
	var there *httptest.Server
	there = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.URL.Path == "/.well-known/oauth-authorization-server":
			_ = json.NewEncoder(w).Encode(map[string]string{
				"issuer": there.URL, "device_authorization_endpoint": there.URL + "/device", "token_endpoint": there.URL + "/token", "registration_endpoint": there.URL + "/register",
			})
		case r.URL.Path == "/register":
			w.WriteHeader(http.StatusCreated)
			fmt.Fprint(w, `{"client_id":"c"}`)
		case r.URL.Path == "/device":
			fmt.Fprintf(w, `{"device_code":"d","user_code":"WDJB-MJHT","verification_uri":%q,"expires_in":600,"interval":1}`, there.URL+"/enter")
		case entered.CompareAndSwap(true, false):
			fmt.Fprint(w, `{"access_token":"hush","token_type":"Bearer"}`)
		default:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprint(w, `{"error":"invalid_grant"}`)
		}
	}))
	t.Cleanup(there.Close)
	agent := newPersonalAgent(t)
	agent.card.SecuritySchemes = map[string]a2a.SecurityScheme{"login": {Type: a2a.OAuth2, Flows: []a2a.OAuthFlow{
		{Grant: "deviceCode", DeviceAuthorizationURL: there.URL + "/device", TokenURL: there.URL + "/token"},
	}}}
	agent.card.Security = []a2a.SecurityRequirement{{"login": nil}}
	agent.door = func(r *http.Request) bool { return r.Header.Get("Authorization") == "Bearer hush" }
	config := agent.config()
	config.Credentials.Issuer = there.URL
	r := newRig(t, config)
	token, alice := r.token("alice", oauth.ScopeTools), r.visitor("alice")
	task := r.ask(token, "echo hello")
	page := r.cfg.Load().URL + "/connect/personal?task=" + task
	status, body := alice.post(page, alice.form(page, "way-0"), nil)
	if status != http.StatusOK || !strings.Contains(body, "WDJB-MJHT") || !strings.Contains(body, `id="visit" href="`+there.URL+`/enter"`) {
		t.Fatalf("got %d %s, want the code and where to enter it", status, body)
	}
	form := formIn(t, strings.NewReader(body), "device")
	entered.Store(true)
	for _, tab := range []string{"the tab", "another tab"} {
		if status, body := alice.post(page, form, nil); status != http.StatusOK || !strings.Contains(body, task) || strings.Contains(body, "wasn&#39;t connected") {
			t.Fatalf("%s: got %d %s, want the task", tab, status, body)
		}
	}
	if got := r.waits(token, task); !strings.Contains(got, "hello") {
		t.Errorf("got %s", got)
	}
	if status, body := r.visitor("bob").post(page, form, nil); status != http.StatusBadRequest || !strings.Contains(body, "wasn&#39;t connected") {
		t.Errorf("bob with alice's page: got %d %s", status, body)
	}
}

// TestASignInGoesOnWhenItsBrowserLeaves has a person leave the page while the agent's
// server takes its time over the code, which is used up by then: the agent is connected
// and the task goes on all the same.
func TestASignInGoesOnWhenItsBrowserLeaves(t *testing.T) {
	asked, answer := make(chan struct{}, 1), make(chan struct{})
	there := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- struct{}{}
		<-answer
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"access_token":"hush","token_type":"Bearer"}`)
	}))
	t.Cleanup(there.Close)
	agent := newPersonalAgent(t)
	came := make(chan struct{}, 100)
	agent.door = func(r *http.Request) bool {
		known := r.Header.Get("Authorization") == "Bearer hush"
		if known {
			came <- struct{}{}
		}
		return known
	}
	config := agent.config()
	config.Credentials.Issuer, config.Credentials.ClientID = "", "c"
	config.Credentials.AuthorizationURL, config.Credentials.TokenURL = there.URL+"/authorize", there.URL+"/token"
	r := newRig(t, config)
	token, alice := r.token("alice", oauth.ScopeTools), r.visitor("alice")
	task := r.ask(token, "echo hello")
	state := alice.leave(r.cfg.Load().URL + "/connect/personal?task=" + task).Query().Get("state")
	ctx, leave := context.WithCancel(t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.cfg.Load().URL+"/connect/personal/callback?code=x&state="+state, nil)
	if err != nil {
		t.Fatal(err)
	}
	left := make(chan struct{})
	go func() {
		defer close(left)
		if resp, err := alice.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	<-asked
	leave()
	<-left
	close(answer)
	select {
	case <-came:
	case <-time.After(20 * time.Second):
		t.Fatal("the message that waited never came")
	}
	if got := r.waits(token, task); !strings.Contains(got, "hello") {
		t.Errorf("got %s", got)
	}
}
