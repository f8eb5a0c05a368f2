package server

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/gorilla/mux"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2asign"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

var generations = []a2a.Generation{a2a.V10, a2a.V03, a2a.V02, a2a.V01}

// name is what the rig calls the agent of a generation.
func name(g a2a.Generation) string { return "agent-" + strings.ReplaceAll(string(g), ".", "-") }

// agentsOf returns an agent of each generation, and what they are.
func agentsOf(t *testing.T) (agents []config.Agent, scripted map[a2a.Generation]*a2atest.Agent) {
	scripted = map[a2a.Generation]*a2atest.Agent{}
	for _, g := range generations {
		agent := a2atest.NewAgent()
		t.Cleanup(func() { agent.Close() })
		scripted[g] = agent
		agents = append(agents, config.Agent{Name: name(g), Protocol: g, URL: a2atest.Serve(t, agent, agent.Card(), g)})
	}
	return agents, scripted
}

// client returns a client of a generation that found the agent by its card. It sends headers, NAME: VALUE.
func (r *rig) client(path, token string, g a2a.Generation, b a2a.Binding, headers ...string) *a2aclient.Client {
	r.t.Helper()
	over := &a2agrpc.Transport{}
	r.t.Cleanup(func() { over.Close() })
	d := &a2aclient.Dialer{
		Header: http.Header{"Authorization": {"Bearer " + token}}, Pause: time.Millisecond, Protocol: g, Binding: b, GRPC: over,
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		d.Header.Set(name, value)
	}
	c, err := d.Dial(r.t.Context(), r.cfg.Load().URL+path)
	if err != nil {
		r.t.Fatal(err)
	}
	if got := c.Interface(); g != "" && got.Version != g || b != "" && got.Binding != b {
		r.t.Fatalf("speaking %s over %s, want %s over %s", got.Version, got.Binding, g, b)
	}
	return c
}

// TestEveryGenerationReachesEveryGeneration goes through the whole server, with
// tokens: four generations of clients, each over what it has, to four of agents.
func TestEveryGenerationReachesEveryGeneration(t *testing.T) {
	agents, scripted := agentsOf(t)
	r := newRig(t, agents...)
	tokens := []string{r.full("alice"), r.full("bob")} // one alone makes too many calls in so short a time
	for i, callers := range generations {
		for _, b := range []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON} {
			if b == a2a.HTTPJSON && callers != a2a.V10 && callers != a2a.V03 {
				continue
			}
			for _, g := range generations {
				t.Run(fmt.Sprintf("%s %s to %s", callers, b, g), func(t *testing.T) {
					cross(t, r.client(directory.AgentPath+name(g), tokens[i%2], callers, b), fmt.Sprint(callers, b))
				})
			}
		}
	}
	for g, agent := range scripted {
		if len(agent.Received()) == 0 {
			t.Errorf("the agent of %s got nothing", g)
		}
	}
}

// cross sends, streams, answers a question, comes back to a task and cancels.
func cross(t *testing.T, c a2a.Agent, salt string) {
	e, err := c.Send(t.Context(), a2atest.Say("echo "+salt))
	task, ok := e.(*a2a.Task)
	if err != nil || !ok || task.Status.State != a2a.Completed || len(task.Artifacts) != 1 || task.Artifacts[0].Text() != salt {
		t.Fatalf("send: got %+v, %v", e, err)
	}
	asked := streamed(t, c, a2atest.Say("ask which? "+salt))
	if asked.Status.State != a2a.InputRequired {
		t.Fatalf("stream: got %+v", asked)
	}
	answer := a2atest.Say("chunks")
	answer.Message.TaskID, answer.Message.ContextID = asked.ID, asked.ContextID
	done := streamed(t, c, answer)
	if done.ID != asked.ID || done.Status.State != a2a.Completed || done.Artifacts[0].Text() != "chunk 1\nchunk 2\nchunk 3" {
		t.Fatalf("answer: got %+v", done)
	}
	kept, err := c.Task(t.Context(), a2a.TaskQuery{ID: asked.ID})
	if err != nil || kept.Status.State != a2a.Completed {
		t.Fatalf("get: got %+v, %v", kept, err)
	}
	hang := a2atest.Say("hang " + salt)
	hang.ReturnImmediately = true
	e, err = c.Send(t.Context(), hang)
	if err != nil {
		t.Fatal(err)
	}
	id := e.(*a2a.Task).ID
	var followed []a2a.Event
	for e, err := range c.Subscribe(t.Context(), id) {
		if err != nil {
			t.Fatalf("subscribe: %v", err)
		}
		if followed = append(followed, e); len(followed) == 1 {
			if canceled, err := c.Cancel(t.Context(), id); err != nil || canceled.Status.State != a2a.Canceled {
				t.Fatalf("cancel: got %+v, %v", canceled, err)
			}
		}
	}
	if len(followed) < 2 {
		t.Errorf("subscribe: got %v, want the task and its end", followed)
	}
}

func streamed(t *testing.T, c a2a.Agent, req *a2a.SendRequest) (task *a2a.Task) {
	t.Helper()
	for e, err := range c.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		if first, ok := e.(*a2a.Task); ok && task == nil {
			task = first.Clone()
		} else {
			task.Apply(e)
		}
	}
	return task
}

// TestATaskThatItsCallerNamesIsTheirOwn: in 0.1 callers name tasks, and two users may take the same name.
func TestATaskThatItsCallerNamesIsTheirOwn(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRig(t, config.Agent{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)})
	e, err := r.client("/a2a/one", r.full("alice"), a2a.V10, a2a.JSONRPC).Send(t.Context(), a2atest.Say("ask which?"))
	if err != nil {
		t.Fatal(err)
	}
	hers := string(e.(*a2a.Task).ID)
	rpc(r, r.full("bob"), "tasks/send", `{"id":"`+hers+`","message":{"role":"user","parts":[{"type":"text","text":"echo bob's"}]}}`, "")
	still := rpc(r, r.full("alice"), "GetTask", `{"id":"`+hers+`"}`, "1.0")
	if !strings.Contains(still.body, "TASK_STATE_INPUT_REQUIRED") {
		t.Errorf("alice's task became %s", still.body)
	}
}

func rpc(r *rig, token, method, params, version string) reply {
	return r.do("POST", "/a2a/one", token, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, "A2A-Version: "+version)
}

func TestScopesOpenWhatTheyName(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRig(t, config.Agent{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)})
	const say = `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"echo x"}]}}`
	for _, c := range []struct{ path, method, body, need string }{
		{"/a2a/one/tasks", "GET", "", oauth.ScopeDiscover},
		{"/a2a/one/tasks/none", "GET", "", oauth.ScopeDiscover},
		{"/a2a/one/extendedAgentCard", "GET", "", oauth.ScopeDiscover},
		{"/a2a/one/message:send", "POST", say, oauth.ScopePublish},
		{"/a2a/one/tasks/none:cancel", "POST", "", oauth.ScopePublish},
		{"/message:send", "POST", say, oauth.ScopePublish},
		{"/tasks", "GET", "", oauth.ScopeDiscover},
	} {
		for _, has := range []string{oauth.ScopeDiscover, oauth.ScopePublish, oauth.ScopeTools, ""} {
			token := ""
			if has != "" {
				token = r.token("alice", has)
			}
			got := r.do(c.method, c.path, token, c.body)
			challenge := got.header.Get("WWW-Authenticate")
			switch {
			case has == "":
				if got.status != http.StatusUnauthorized || !strings.Contains(challenge, "resource_metadata=") {
					t.Errorf("%s %s without a token: got %d, %s", c.method, c.path, got.status, challenge)
				}
			case has == c.need:
				if got.status == http.StatusForbidden || got.status == http.StatusUnauthorized {
					t.Errorf("%s %s with %s: got %d %s", c.method, c.path, has, got.status, got.body)
				}
			case got.status != http.StatusForbidden || !strings.Contains(challenge, "insufficient_scope") || !strings.Contains(challenge, c.need):
				t.Errorf("%s %s with %s: got %d, %s", c.method, c.path, has, got.status, challenge)
			}
		}
	}
}

func TestCardsAreForEverybody(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	secret := config.Agent{Name: "secret", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10), UseCases: []string{"claims"}}
	open := config.Agent{Name: "one", URL: secret.URL}
	r := newRig(t, open, secret)
	for _, path := range []string{"/a2a/one/.well-known/agent-card.json", "/a2a/one/.well-known/agent.json"} {
		got := r.do("GET", path, "", "")
		if got.status != http.StatusOK || got.header.Get("Vary") != "A2A-Version" || got.header.Get("Access-Control-Allow-Origin") != "*" ||
			!strings.Contains(got.header.Get("Cache-Control"), "max-age") {
			t.Fatalf("%s: got %d %v", path, got.status, got.header)
		}
		for _, member := range []string{`"url":`, `"supportedInterfaces":`, `"protocolVersion":"0.3.0"`, `"preferredTransport":"JSONRPC"`, `"authentication":`, `"securitySchemes":`, `"signatures":`} {
			if !strings.Contains(got.body, member) {
				t.Errorf("%s: no %s in %s", path, member, got.body)
			}
		}
		if again := r.do("GET", path, "", "", "If-None-Match: "+got.header.Get("ETag")); again.status != http.StatusNotModified || again.body != "" {
			t.Errorf("%s again: got %d %s", path, again.status, again.body)
		}
		if pure := r.do("GET", path, "", "", "A2A-Version: 1.0"); strings.Contains(pure.body, `"protocolVersion":"0.3.0"`) || pure.header.Get("ETag") == got.header.Get("ETag") {
			t.Errorf("%s for 1.0: got %s", path, pure.body)
		}
		var keys jose.JSONWebKeySet
		r.do("GET", "/jwks.json", "", "").decode(t, &keys)
		if _, _, err := a2asign.Verify([]byte(got.body), keys.Keys); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	const hidden = "/a2a/secret/.well-known/agent-card.json"
	claims := r.token("alice", oauth.ScopeDiscover, oauth.ScopeTools+":claims")
	for token, want := range map[string]int{"": 401, r.full("alice"): 404, claims: 200} {
		if got := r.do("GET", hidden, token, ""); got.status != want {
			t.Errorf("a card that use cases hide: got %d, want %d", got.status, want)
		}
	}
	if got := r.do("GET", hidden, claims, ""); !strings.HasPrefix(got.header.Get("Cache-Control"), "private") {
		t.Errorf("it may be kept by %s", got.header.Get("Cache-Control"))
	}
	// Two agents without a default: there is no primary agent.
	if got := r.do("GET", "/.well-known/agent-card.json", "", ""); got.status != http.StatusNotFound {
		t.Errorf("a primary agent where there is none: got %d", got.status)
	}
	unknown, notMine := r.do("POST", "/a2a/nobody", r.full("alice"), "{}"), r.do("POST", "/a2a/secret", r.full("alice"), "{}")
	if unknown.status != 404 || notMine.status != 404 || unknown.body != notMine.body {
		t.Errorf("got %v and %v, want no difference", unknown, notMine)
	}
}

func TestTheOnlyAgentIsPrimary(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRig(t, config.Agent{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)})
	for _, g := range generations { // who finds the way by the card alone
		c := r.client("", r.full("alice"), g, "")
		if got := c.Interface().URL; strings.TrimSuffix(got, "/") != r.cfg.Load().URL {
			t.Errorf("%s: the card leads to %s", g, got)
		}
		cross(t, c, string(g))
	}
}

func TestAStartFailsIfACardPromisesWhatIsNotServed(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	r := newRig(t, config.Agent{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)})
	f := newAgentServers(r.Server)
	if err := f.reachable(r.cfg.Load().URL, mux.NewRouter()); err == nil || !strings.Contains(err.Error(), "/a2a/one") {
		t.Errorf("got %v where nothing is mounted", err)
	}
	if err := f.reachable("https://elsewhere.example", mux.NewRouter()); err == nil {
		t.Error("a card that leads elsewhere passed")
	}
}

// teller is an agent that tells more of itself to those who may call it.
type teller struct{ *a2atest.Agent }

func (a teller) ExtendedCard(context.Context) (*a2a.Card, error) {
	card := a.Card()
	card.Description = "What only callers know."
	return card, nil
}

func TestExtendedCardsComeFromTheAgent(t *testing.T) {
	agent := teller{a2atest.NewAgent()}
	t.Cleanup(func() { agent.Close() })
	card := agent.Card()
	card.Capabilities.ExtendedAgentCard = true
	upstream := &a2aserver.Server{Agent: agent, Card: card, Extender: agent}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { upstream.ServeHTTP(w, r) }))
	t.Cleanup(web.Close)
	upstream.URL = web.URL
	r := newRig(t, config.Agent{Name: "one", URL: web.URL})
	token := r.full("alice")
	for _, got := range []reply{
		rpc(r, token, "GetExtendedAgentCard", `{}`, "1.0"),
		rpc(r, token, "agent/getAuthenticatedExtendedCard", `{}`, "0.3"),
		r.do("GET", "/a2a/one/extendedAgentCard", token, ""),
		r.do("GET", "/a2a/one/v1/card", token, ""),
		r.do("GET", "/agent/authenticatedExtendedCard", token, ""), // of 0.2
	} {
		if got.status != http.StatusOK || !strings.Contains(got.body, "What only callers know.") || !strings.Contains(got.body, `"signatures":`) || !strings.Contains(got.body, r.cfg.Load().URL) {
			t.Errorf("got %d %s", got.status, got.body)
		}
	}
	if got := r.do("GET", "/.well-known/agent-card.json", "", ""); strings.Contains(got.body, "What only callers know.") {
		t.Error("everybody knows")
	}
	for _, g := range []a2a.Generation{a2a.V10, a2a.V03} {
		for _, b := range []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON} {
			if got, err := r.client("", token, g, b).ExtendedCard(t.Context()); err != nil || got.Description != "What only callers know." {
				t.Errorf("%s %s: got %+v, %v", g, b, got, err)
			}
		}
	}
}

// testSigner signs cards with a key of an agent.
type testSigner struct{ key jose.SigningKey }

func (s testSigner) SignCard(card []byte) ([]byte, error) { return a2asign.Sign(card, s.key, "") }

// TestAnExtendedCardIsHeldToWhatTheCardIs lets an agent tell more than it may: what
// is not signed or not reviewed, is not returned here.
func TestAnExtendedCardIsHeldToWhatTheCardIs(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	private := jose.JSONWebKey{Key: key, KeyID: "k1"}
	set, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{private.Public()}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "keys.json")
	if err := os.WriteFile(file, set, 0o600); err != nil {
		t.Fatal(err)
	}
	agent := teller{a2atest.NewAgent()}
	t.Cleanup(func() { agent.Close() })
	card := agent.Card()
	card.Capabilities.ExtendedAgentCard = true
	sign := testSigner{jose.SigningKey{Algorithm: jose.ES256, Key: private}}
	for name, test := range map[string]struct {
		set    config.Agent
		signed bool // the extended card, too
		want   bool
	}{
		"signed":                        {config.Agent{Card: directory.CardKeys{Keys: file}}, true, true},
		"not signed":                    {config.Agent{Card: directory.CardKeys{Keys: file}}, false, false},
		"of an agent that is looked at": {config.Agent{Review: true}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			tells := &a2aserver.Server{Agent: agent, Card: card, Extender: agent}
			shows := &a2aserver.Server{Agent: agent, Card: card, Signer: sign}
			web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if strings.HasSuffix(r.URL.Path, ".json") {
					shows.ServeHTTP(w, r)
					return
				}
				tells.ServeHTTP(w, r)
			}))
			t.Cleanup(web.Close)
			shows.URL, tells.URL = web.URL, web.URL
			if test.signed {
				tells.Signer = sign
			}
			test.set.Name, test.set.URL = "one", web.URL
			r := newRig(t, test.set)
			got := rpc(r, r.full("alice"), "GetExtendedAgentCard", `{}`, "1.0")
			if got.status != http.StatusOK || strings.Contains(got.body, "What only callers know.") != test.want || !test.want && !strings.Contains(got.body, "Does what it is told.") {
				t.Errorf("got %d %s", got.status, got.body)
			}
		})
	}
}

func TestPagesOfOtherOriginsMayCall(t *testing.T) {
	r := newAPIRig(t)
	for _, path := range []string{"/a2a/one", "/a2a/one/tasks", "/a2a/one/.well-known/agent-card.json", "/", "/message:send", "/api/v1/agents", "/api/v1/agents/one/card", "/a2a/tasks"} {
		got := r.do("OPTIONS", path, "", "", "Origin: https://app.example", "Access-Control-Request-Headers: authorization")
		if got.status != http.StatusNoContent || got.header.Get("Access-Control-Allow-Origin") != "*" || !strings.Contains(got.header.Get("Access-Control-Allow-Headers"), "Authorization") {
			t.Errorf("%s: got %d %v", path, got.status, got.header)
		}
	}
	if got := r.do("POST", "/a2a/one", "", "{}", "Origin: https://app.example"); got.status != 401 || !strings.Contains(got.header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate") {
		t.Errorf("the challenge cannot be read: got %d %v", got.status, got.header)
	}
}

func TestAgentsCannotTakeTheAddressesOfTheAPI(t *testing.T) {
	for _, c := range []struct {
		agent config.Agent
		want  string
	}{
		{config.Agent{Name: "tasks", URL: "http://127.0.0.1:1"}, `"tasks" is taken`},
		{config.Agent{Name: "agents", URL: "http://127.0.0.1:1"}, `"agents" is taken`},
		{config.Agent{Name: "one", URL: "http://127.0.0.1:1", UseCases: []string{"claims", "a b"}}, `use_cases: "a b"`},
		{config.Agent{Name: "one", URL: "http://127.0.0.1:1", UseCases: []string{"*"}}, `use_cases: "*"`},
	} {
		if err := config.CheckAgent(c.agent); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: got %v, want %s", c.agent, err, c.want)
		}
	}
}

// TestCardsNameTheGrantOfPrograms configures a client that asks for itself. Programs that choose their
// grant by the card found only the one for people.
func TestCardsNameTheGrantOfPrograms(t *testing.T) {
	agent := a2atest.NewAgent()
	t.Cleanup(func() { agent.Close() })
	one := config.Agent{Name: "one", URL: a2atest.Serve(t, agent, agent.Card(), a2a.V10)}
	t.Setenv("NIGHTLY_SECRET", "a secret of enough characters 123")
	for _, user := range []string{"", "alice"} {
		r := newRigWith(t, func(c *config.Config) {
			c.Agents = []config.Agent{one}
			c.Apps.Clients = []config.Client{{ID: "nightly", Secret: config.Secret{Env: "NIGHTLY_SECRET"}, User: user, RedirectURIs: []string{"https://app.example/cb"}}}
		})
		for _, g := range []a2a.Generation{a2a.V10, a2a.V03} {
			card := r.client("/a2a/one", r.full("alice"), g, a2a.JSONRPC).Card()
			scheme, named := card.SecuritySchemes["clientCredentials"]
			if named != (user != "") {
				t.Errorf("for user %q, %s has the scheme: %v", user, g, named)
			}
			if named && scheme.Flows[0].TokenURL != r.cfg.Load().URL+"/token" {
				t.Errorf("%s: got %+v", g, scheme)
			}
		}
	}
}
