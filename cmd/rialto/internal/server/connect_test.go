package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/html"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/audit"
	"rialto/oauth"
)

// personalAgent is an agent that wants to know each of its users. Its
// authorization server is another Rialto, which registers clients, rotates
// refresh tokens and names itself in its answers.
type personalAgent struct {
	*a2atest.Agent
	as   *rig
	card a2a.Card
	url  string
	door func(*http.Request) bool

	mu   sync.Mutex
	seen []string // the Authorization or X-Key of each call
}

func newPersonalAgent(t *testing.T) *personalAgent {
	a := &personalAgent{Agent: a2atest.NewAgent(), as: newRig(t)}
	a.card = *a.Agent.Card()
	a.card.SecuritySchemes = map[string]a2a.SecurityScheme{"login": {Type: a2a.OAuth2, OAuth2MetadataURL: a.as.cfg.Load().URL + "/.well-known/oauth-authorization-server", Flows: []a2a.OAuthFlow{
		{Grant: "authorizationCode", AuthorizationURL: a.as.cfg.Load().URL + "/authorize", TokenURL: a.as.cfg.Load().URL + "/token"},
	}}}
	a.card.Security = []a2a.SecurityRequirement{{"login": {oauth.ScopeTools}}}
	a.door = func(r *http.Request) bool {
		return a.as.do("GET", "/userinfo", strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "").status == http.StatusOK
	}
	s := &a2aserver.Server{Agent: a, Card: &a.card}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			s.ServeHTTP(w, r)
			return
		}
		a.mu.Lock()
		a.seen = append(a.seen, r.Header.Get("Authorization")+r.Header.Get("X-Key"))
		a.mu.Unlock()
		if !a.door(r) {
			w.Header().Set("WWW-Authenticate", "Bearer")
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		s.ServeHTTP(w, r)
	}))
	s.URL, a.url = srv.URL, srv.URL
	t.Cleanup(func() { srv.Close(); a.Close() })
	return a
}

func (a *personalAgent) config() config.Agent {
	return config.Agent{Name: "personal", URL: a.url, Credentials: directory.Credentials{Type: config.TypeUser, Issuer: a.as.cfg.Load().URL}}
}

// leave begins to connect the agent and returns where the person is sent.
func (b browser) leave(page string) *url.URL {
	b.r.t.Helper()
	status, body := b.post(page, b.form(page, "way-0"), nil)
	to := regexp.MustCompile(`id="continue" href="([^"]+)"`).FindStringSubmatch(body)
	if status != http.StatusOK || to == nil {
		b.r.t.Fatalf("got %d %s", status, body)
	}
	u, err := url.Parse(html.UnescapeString(to[1]))
	if err != nil {
		b.r.t.Fatal(err)
	}
	return u
}

// allow signs alice in at the agent's server and returns where she is sent back.
func (a *personalAgent) allow(t *testing.T, at *url.URL) string {
	t.Helper()
	there := a.as.visitor("alice")
	form := there.form(at.String(), "authorize")
	form.Set("decision", "approve")
	status, body := there.post(a.as.cfg.Load().URL+"/authorize", form, nil)
	back := regexp.MustCompile(`id="continue" href="([^"]+)"`).FindStringSubmatch(body)
	if status != http.StatusOK || back == nil {
		t.Fatalf("allowing there: got %d %s", status, body)
	}
	return html.UnescapeString(back[1])
}

func (b browser) open(address string) (int, string) {
	b.r.t.Helper()
	resp, err := b.Get(address)
	if err != nil {
		b.r.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.r.t.Fatal(err)
	}
	return resp.StatusCode, resp.Request.URL.Path + " " + string(body)
}

func TestAUserConnectsAnAgentAndTheWaitingTaskGoesOn(t *testing.T) {
	agent := newPersonalAgent(t)
	r := newRig(t, agent.config())
	token := r.token("alice", oauth.ScopeTools)
	task := r.ask(token, "echo hello")
	if n := len(agent.Received()); n != 0 {
		t.Fatalf("the agent took %d messages of an unknown user", n)
	}
	alice := r.visitor("alice")
	back := agent.allow(t, alice.leave(r.cfg.Load().URL+"/connect/personal?task="+task))
	if status, page := alice.open(back); status != http.StatusOK || !strings.HasPrefix(page, "/answer/"+task) {
		t.Fatalf("got %d %s, want the task's page", status, page)
	}
	r.waits(token, task)
	if _, page := alice.open(r.cfg.Load().URL + "/answer/" + task); !strings.Contains(page, "hello") || !strings.Contains(page, "Done") {
		t.Errorf("got %s, want the result", page)
	}
	if got := agent.Received(); len(got) != 1 || got[0].Message.Text() != "echo hello" {
		t.Errorf("the agent got %+v, want the message that waited, once", got)
	}
	if got := r.do("POST", "/mcp/tools/call", token, `{"name":"send_task","arguments":{"message":"echo again"}}`); !strings.Contains(got.body, `"completed"`) {
		t.Errorf("connected: got %s", got.body)
	}
	if got := r.do("POST", "/mcp/tools/call", token, `{"name":"list_agents","arguments":{}}`); !strings.Contains(got.body, `"connected":true`) {
		t.Errorf("list_agents: got %s", got.body)
	}
	if got := r.do("POST", "/mcp/tools/call", r.token("bob", oauth.ScopeTools), `{"name":"send_task","arguments":{"message":"echo mine"}}`); !strings.Contains(got.body, "auth-required") || !strings.Contains(got.body, r.cfg.Load().URL+"/connect/personal?task=") {
		t.Errorf("bob has not connected it: got %s", got.body)
	}
	if got := r.do("POST", "/api/v1/agents/personal/tasks", r.full("bob"), `{"message":"echo mine","wait":20}`); !strings.Contains(got.body, r.cfg.Load().URL+"/connect/personal?task=") {
		t.Errorf("bob, by the API: got %s, want the address where he connects it", got.body)
	}
	if status, page := alice.post(r.cfg.Load().URL+"/connect/personal", url.Values{"decision": {"forget"}}, nil); status != http.StatusOK || strings.Contains(page, "You have connected") {
		t.Errorf("forgetting: got %d %s", status, page)
	}
	if got := r.do("POST", "/mcp/tools/call", token, `{"name":"send_task","arguments":{"message":"echo gone"}}`); !strings.Contains(got.body, "auth-required") {
		t.Errorf("forgotten: got %s", got.body)
	}
}

func TestAnAnswerThatBelongsElsewhereConnectsNothing(t *testing.T) {
	agent := newPersonalAgent(t)
	other := agent.config()
	other.Name = "other"
	r := newRig(t, agent.config(), other)
	page := r.cfg.Load().URL + "/connect/personal"
	alice := r.visitor("alice")
	change := func(address string, change func(url.Values)) string {
		u, _ := url.Parse(address)
		q := u.Query()
		change(q)
		u.RawQuery = q.Encode()
		return u.String()
	}
	for name, c := range map[string]struct {
		who browser
		to  func(back string) string
	}{
		"another user":                  {r.visitor("bob"), func(back string) string { return back }},
		"another browser of the same":   {r.visitor("alice"), func(back string) string { return back }},
		"the callback of another agent": {alice, func(back string) string { return strings.Replace(back, "/personal/", "/other/", 1) }},
		"another server": {alice, func(back string) string {
			return change(back, func(q url.Values) { q.Set("iss", "https://evil.example") })
		}},
		"no server where it names itself": {alice, func(back string) string { return change(back, func(q url.Values) { q.Del("iss") }) }},
		"a state that was made up":        {alice, func(back string) string { return change(back, func(q url.Values) { q.Set("state", "x") }) }},
		"a refusal":                       {alice, func(back string) string { return change(back, func(q url.Values) { q.Set("error", "access_denied") }) }},
		"another code":                    {alice, func(back string) string { return change(back, func(q url.Values) { q.Set("code", "x") }) }},
	} {
		t.Run(name, func(t *testing.T) {
			status, body := c.who.open(c.to(agent.allow(t, alice.leave(page))))
			if status != http.StatusBadRequest || !strings.Contains(body, "The agent wasn&#39;t connected") || !strings.Contains(body, `id="way" href="/connect/`) {
				t.Errorf("got %d %s, want why, and the way to begin again", status, body)
			}
			for _, user := range []string{"alice", "bob"} {
				if all := r.connectionsOf(user); len(all) > 0 {
					t.Errorf("%s is connected: %v", user, all)
				}
			}
		})
	}
	back := agent.allow(t, alice.leave(page))
	if status, body := alice.open(back); status != http.StatusOK || !strings.Contains(body, "You have connected") {
		t.Fatalf("got %d %s", status, body)
	}
	if status, body := alice.open(back); status != http.StatusBadRequest || !strings.Contains(body, "finished already") {
		t.Errorf("the same answer again: got %d %s", status, body)
	}
}

// waits returns the result of a task, which it waits for as an app does.
func (r *rig) waits(token, task string) string {
	r.t.Helper()
	got := r.do("POST", "/mcp/tools/call", token, `{"name":"get_task","arguments":{"task_id":"`+task+`"}}`)
	if !strings.Contains(got.body, `"completed"`) {
		r.t.Fatalf("got %s, want the result", got.body)
	}
	return got.body
}

// connectionsOf returns what a user has connected.
func (r *rig) connectionsOf(user string) (agents []string) {
	r.t.Helper()
	account, err := r.store.OAuth.Accounts.Account(r.t.Context(), user)
	if err != nil {
		r.t.Fatal(err)
	}
	all, err := r.connections.vault.Connections(r.t.Context(), account.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, c := range all {
		agents = append(agents, c.Agent)
	}
	return agents
}

func TestTheWayOutIsBoundAndLeadsBackHereAlone(t *testing.T) {
	agent := newPersonalAgent(t)
	r := newRig(t, agent.config())
	page := r.cfg.Load().URL + "/connect/personal"
	alice := r.visitor("alice")
	q := alice.leave(page).Query()
	if q.Get("redirect_uri") != page+"/callback" || q.Get("code_challenge_method") != "S256" || len(q.Get("code_challenge")) != 43 || len(q.Get("state")) < 26 || q.Get("client_secret") != "" {
		t.Errorf("got %v", q)
	}
	form := alice.form(page, "way-0")
	for name, header := range map[string]map[string]string{"another site": {"Sec-Fetch-Site": "cross-site"}, "an old browser": {"Origin": "https://evil.example"}} {
		if status, body := alice.post(page, form, header); status != http.StatusForbidden {
			t.Errorf("%s: got %d %s", name, status, body)
		}
	}
	if status, body := alice.open(r.cfg.Load().URL + "/connect/personal?task=https://evil.example/"); status != http.StatusOK || strings.Contains(body, `href="https://evil`) {
		t.Errorf("a task that is an address: got %d %s", status, body)
	}
	if status, _ := alice.open(r.cfg.Load().URL + "/connect/nobody"); status != http.StatusNotFound {
		t.Errorf("an agent that is not there: got %d", status)
	}
	if _, body := r.visitor("").open(page); !strings.Contains(body, `id="signin"`) {
		t.Errorf("nobody: got %s", body)
	}
}

func TestAUserStoresAKeyThatOnlyTheAgentSees(t *testing.T) {
	agent := newPersonalAgent(t)
	agent.card.SecuritySchemes = map[string]a2a.SecurityScheme{"key": {Type: a2a.APIKey, In: "header", Name: "X-Key", Description: "<b>From your profile.</b>"}}
	agent.card.Security = []a2a.SecurityRequirement{{"key": nil}}
	agent.door = func(r *http.Request) bool { return r.Header.Get("X-Key") == "hush-hush" }
	config := agent.config()
	config.Credentials.Issuer = ""
	r := newRig(t, config)
	token := r.token("alice", oauth.ScopeTools)
	task := r.ask(token, "echo hello")
	alice := r.visitor("alice")
	page := r.cfg.Load().URL + "/connect/personal?task=" + task
	form := alice.form(page, "way-0")
	form.Set("value", "two\nlines")
	if status, body := alice.post(page, form, nil); status != http.StatusUnprocessableEntity || strings.Contains(body, "lines\"") {
		t.Errorf("got %d %s", status, body)
	}
	form.Set("value", "wrong")
	if status, body := alice.post(page, form, nil); status != http.StatusOK || !strings.Contains(body, "Connect this agent") || !strings.Contains(body, "does not accept what you have connected it with") {
		t.Errorf("a wrong key: got %d %s, want to be asked again", status, body)
	}
	form.Set("value", "hush-hush")
	if status, body := alice.post(page, form, nil); status != http.StatusOK || strings.Contains(body, "hush") {
		t.Errorf("got %d %s", status, body)
	}
	if got := r.waits(token, task); !strings.Contains(got, "hello") {
		t.Errorf("got %s", got)
	}
	if _, body := alice.open(page); strings.Contains(body, "hush") || strings.Contains(body, "<b>From") {
		t.Errorf("the page shows %s", body)
	}
	if got := r.events(audit.AgentConnected); len(got) != 2 || got[0].Actor != "alice" || got[0].Target != "personal" {
		t.Errorf("got %+v in the audit log, want both keys", got)
	}
}

func TestACardLeadsNoRequestIntoThePrivateNetwork(t *testing.T) {
	agent := newPersonalAgent(t)
	config := agent.config()
	config.Credentials.Issuer = "" // the card names the server, which is on loopback
	r := newRig(t, config)
	page := r.cfg.Load().URL + "/connect/personal"
	alice := r.visitor("alice")
	if status, body := alice.post(page, alice.form(page, "way-0"), nil); status != http.StatusBadGateway || !strings.Contains(body, "server can&#39;t be used") {
		t.Errorf("got %d %s", status, body)
	}
}

// TestADeniedConnectionReturnsToTheTask refuses at the agent's server: the page says
// so, and from it one begins again for the same task.
func TestADeniedConnectionReturnsToTheTask(t *testing.T) {
	agent := newPersonalAgent(t)
	r := newRig(t, agent.config())
	task := r.ask(r.token("alice", oauth.ScopeTools), "echo hello")
	alice := r.visitor("alice")
	back, err := url.Parse(agent.allow(t, alice.leave(r.cfg.Load().URL+"/connect/personal?task="+task)))
	if err != nil {
		t.Fatal(err)
	}
	q := back.Query()
	q.Del("code")
	q.Set("error", "access_denied")
	back.RawQuery = q.Encode()
	if _, body := alice.open(back.String()); !strings.Contains(body, "You denied access there") || !strings.Contains(body, `href="/connect/personal?task=`+task+`"`) {
		t.Errorf("got %s", body)
	}
}

// TestALinkToConnectSaysWhoseTaskItIsAbout opens the link of alice's task as bob, who
// would connect the agent for himself, and the task would not continue.
func TestALinkToConnectSaysWhoseTaskItIsAbout(t *testing.T) {
	agent := newPersonalAgent(t)
	r := newRig(t, agent.config())
	task := r.ask(r.token("alice", oauth.ScopeTools), "echo hello")
	page := r.cfg.Load().URL + "/connect/personal?task=" + task
	again := "/signin?next=%2Fconnect%2Fpersonal%3Ftask%3D" + task
	if _, body := r.visitor("bob").open(page); !strings.Contains(body, `id="switch" href="`+again+`"`) {
		t.Errorf("bob: got %s, want an error that the task is not his", body)
	}
	if _, body := r.visitor("alice").open(page); strings.Contains(body, `id="switch"`) {
		t.Errorf("alice: got %s", body)
	}
	if status, body := r.visitor("bob").open(r.cfg.Load().URL + "/answer/" + task); status != http.StatusNotFound || !strings.Contains(body, `id="way" href="/signin?next=%2Fanswer%2F`+task+`"`) {
		t.Errorf("the task's page, bob: got %d %s", status, body)
	}
}

// TestAnAnswerWaitsUntilTheAgentIsConnectedAgain answers on the page of a task whose
// agent does not know its user any more: what was typed stays, the way to connect is on
// the page, and from there one comes back.
func TestAnAnswerWaitsUntilTheAgentIsConnectedAgain(t *testing.T) {
	agent := newPersonalAgent(t)
	r := newRig(t, agent.config())
	token, alice, connect := r.token("alice", oauth.ScopeTools), r.visitor("alice"), r.cfg.Load().URL+"/connect/personal"
	alice.open(agent.allow(t, alice.leave(connect)))
	task := r.ask(token, "ask which?")
	alice.post(connect, url.Values{"decision": {"forget"}}, nil)
	page := r.cfg.Load().URL + "/answer/" + task
	form := alice.form(page, "answer")
	form.Set("field:answer", "the blue one")
	status, body := alice.post(page, form, nil)
	if status != http.StatusConflict || !strings.Contains(body, `id="first" href="/connect/personal?task=`+task+`"`) || !strings.Contains(body, "the blue one</textarea>") {
		t.Fatalf("got %d %s, want the form as it was, and where to connect the agent", status, body)
	}
	if status, body := alice.open(agent.allow(t, alice.leave(connect+"?task="+task))); status != http.StatusOK || !strings.HasPrefix(body, "/answer/"+task) {
		t.Fatalf("connected: got %d %s, want the task's page", status, body)
	}
	form = alice.form(page, "answer")
	form.Set("field:answer", "the blue one")
	alice.post(page, form, nil)
	r.waits(token, task)
}

// TestWhoIsSignedOutWhileAnsweringComesBackToTheTask posts an answer after the session has
// ended: from the sign-in one comes back to the page, where the agent still waits.
func TestWhoIsSignedOutWhileAnsweringComesBackToTheTask(t *testing.T) {
	agent := newPersonalAgent(t)
	r := newRig(t, agent.config())
	for _, page := range []string{"/answer/x", "/connect/personal?task=x", "/documents/x"} {
		stranger := r.visitor("")
		stranger.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		resp, err := stranger.PostForm(r.cfg.Load().URL+page, url.Values{"pause": {"p"}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if got, want := resp.Header.Get("Location"), "/signin?next="+url.QueryEscape(page); !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %q, want %q", page, got, want)
		}
	}
}
