package server

import (
	"bufio"
	"context"
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/mux"

	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/connectors"
	"rialto/oauth"
)

// newConnected starts a server with every door open, the agents front and vault, the connectors sales
// (front alone), legal (vault, for bob alone) and law, which has a host of its own.
func newConnected(t *testing.T) *vaulted {
	return newVaulted(t, func(c *config.Config) {
		c.Calls.Connectors = []directory.Connector{
			{
				Name: "sales", Title: "Sales desk", Description: "Offers and prices.", Instructions: "Ask front.",
				Icon: "https://icons.example/sales.png", Agents: []string{"front"},
				Tools: []string{"send_task", "get_task", "list_agents"},
			},
			{Name: "legal", Agents: []string{vault}, Accounts: []string{"bob"}},
			{Name: "law", Host: "law.example"},
			{Name: "claims", UseCase: "claims"},
			{Name: "skilled", Agents: []string{"front"}, Skills: []string{"plain"}},
			{Name: "reader", Tools: []string{"search", "get_task"}},
			{Name: "sales2"},
		}
	})
}

func (v *vaulted) at(host, method, path, token, body string, headers ...string) reply {
	v.t.Helper()
	req, err := http.NewRequestWithContext(v.t.Context(), method, v.cfg.Load().URL+path, strings.NewReader(body))
	if err != nil {
		v.t.Fatal(err)
	}
	if host != "" {
		req.Host = host
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	req.Header.Set("Content-Type", "application/json")
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		v.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	if err != nil {
		v.t.Fatal(err)
	}
	return reply{resp.StatusCode, resp.Header, string(b)}
}

const listing = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestATokenOfOneConnectorIsWorthNothingAtAnother(t *testing.T) {
	v := newConnected(t)
	sales := v.connectorToken("alice", "sales", oauth.ScopeTools)
	byDefault := v.token("alice", oauth.ScopeTools)
	for path, token := range map[string]string{
		"/mcp": sales, "/mcp/": sales, "/mcp/legal": sales, "/mcp/claims": sales, "/mcp/legal/sse": sales,
		"/mcp/sales2": sales, "/mcp/tools/call": sales, "/sse": sales, "/mcp/sales": byDefault, "/mcp/Sales/messages": byDefault,
	} {
		got := v.at("", "POST", path, token, listing)
		of := strings.TrimSuffix(strings.ToLower(path), "/")
		of, _, _ = strings.Cut(strings.TrimPrefix(of, "/mcp"), "/messages")
		of, _, _ = strings.Cut(of, "/sse")
		of, _, _ = strings.Cut(of, "/tools")
		want := `/.well-known/oauth-protected-resource/mcp` + of + `"`
		if challenge := got.header.Get("WWW-Authenticate"); got.status != http.StatusUnauthorized || !strings.Contains(challenge, want) {
			t.Errorf("%s: got %s with %q, want 401 with the challenge of %s", path, got.said(), challenge, want)
		}
	}
	if got := v.at("", "POST", "/MCP/Sales", sales, listing); got.status != http.StatusOK {
		t.Errorf("in other letter case: got %s", got.said())
	}
	for _, path := range []string{
		"/mcp/nobody", "/mcp/sales/x", "/mcp/salesforce", "/mcp/sale", "/mcp//sales", "/mcp/./sales", "/mcp/sales/../legal",
	} {
		for _, token := range []string{"", sales, byDefault} {
			if got := v.at("", "POST", path, token, listing); got.status != http.StatusNotFound {
				t.Errorf("%s: got %s, want 404", path, got.said())
			}
		}
	}
}

func TestEachConnectorHasItsOwnMetadataAlone(t *testing.T) {
	v := newConnected(t)
	origin := v.cfg.Load().URL
	for path, want := range map[string]string{
		"/.well-known/oauth-protected-resource/mcp/sales": origin + "/mcp/sales",
		"/.well-known/oauth-protected-resource/Mcp/SALES": origin + "/mcp/sales",
		"/.well-known/oauth-protected-resource/mcp":       origin + "/mcp",
		"/.well-known/oauth-protected-resource/MCP":       origin + "/mcp",
	} {
		var doc struct {
			Resource string
			Name     string `json:"resource_name"`
		}
		v.at("", "GET", path, "", "").decode(t, &doc)
		if doc.Resource != want {
			t.Errorf("%s: got %+v, want %s", path, doc, want)
		}
	}
	for _, path := range []string{
		"/.well-known/oauth-protected-resource/mcp/nobody", "/.well-known/oauth-protected-resource/mcp/law",
		"/.well-known/oauth-protected-resource/mcp/sales/x", "/mcp/nobody/server-card", "/mcp/law/server-card",
		"/.well-known/oauth-protected-resource/mcp/sales/", "/.well-known/oauth-protected-resource/sales",
		"/.well-known/oauth-protected-resource//mcp/sales", "/mcp/sales/.well-known/oauth-protected-resource",
		"/.well-known/oauth-authorization-server/mcp/nobody", "/.well-known/openid-configuration/mcp/nobody",
		"/mcp/nobody/.well-known/oauth-authorization-server", "/mcp/nobody/.well-known/openid-configuration",
	} {
		if got := v.at("", "GET", path, "", ""); got.status != http.StatusNotFound {
			t.Errorf("%s: got %s, want 404", path, got.said())
		}
	}
	var card connectors.Card
	v.at("", "GET", "/mcp/sales/server-card", "", "").decode(t, &card)
	if !strings.HasSuffix(card.Name, "/sales") || card.Title != "Sales desk" || card.Remotes[0].URL != origin+"/mcp/sales" {
		t.Errorf("got the card %+v", card)
	}
	var entry struct {
		Name, Description string
		Remotes           []struct{ Type, URL string }
	}
	v.at("", "GET", "/mcp/sales/server.json", "", "").decode(t, &entry)
	if entry.Description != "Offers and prices." || len(entry.Remotes) != 1 || entry.Remotes[0].URL != origin+"/mcp/sales" {
		t.Errorf("got server.json %+v", entry)
	}
}

// What a request says of the host changes neither the resource nor the challenge.
func TestAForgedHostNamesNoResource(t *testing.T) {
	v := newConnected(t)
	forged := []string{"X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https", "Forwarded: host=evil.example"}
	for _, host := range []string{"", "evil.example"} {
		for _, path := range []string{
			"/.well-known/oauth-protected-resource/mcp/sales", "/.well-known/oauth-protected-resource/mcp/sales?resource=evil.example",
			"/.well-known/oauth-authorization-server/mcp/sales", "/mcp/sales/server-card", "/mcp/sales/server.json", "/mcp/sales",
		} {
			got := v.at(host, "GET", path, "", "", forged...)
			if said := got.body + got.header.Get("WWW-Authenticate"); strings.Contains(said, "evil") {
				t.Errorf("%s at %q: got %s", path, host, said)
			}
		}
	}
}

func TestAConnectorPresentsItself(t *testing.T) {
	v := newConnected(t)
	sales, byDefault := v.connectorToken("alice", "sales", oauth.ScopeTools), v.token("alice", oauth.ScopeTools)
	for revision, method := range map[string]string{mcp2025: "initialize", mcp2026: "server/discover"} {
		params := ""
		if method == "initialize" {
			params = `"protocolVersion":"` + mcp2025 + `","capabilities":{},"clientInfo":{"name":"t","version":"1"}`
		}
		for token, want := range map[string]string{sales: "rialto-sales", byDefault: "rialto"} {
			said, _ := v.read(token, mcpRequest(t, revision, method, params, "{}"), "")
			_, body, _ := strings.Cut(said, " ")
			if !strings.Contains(said, `"name":"`+want+`"`) {
				t.Errorf("%s: got %.900s, want the name %s", method, body, want)
			}
			if ours := strings.Contains(said, "Ask front."); ours != (token == sales) {
				t.Errorf("%s of %s: got the instructions %t", method, want, ours)
			}
		}
	}
	said, _ := v.read(sales, mcpRequest(t, mcp2026, "tools/list", "", "{}"), "")
	if !strings.Contains(said, `"rialto-sales"`) || !strings.Contains(said, "icons.example/sales.png") {
		t.Errorf("the list of tools is of another server: %.2000s", said)
	}
}

func TestAConnectorHasItsToolsAlone(t *testing.T) {
	v := newConnected(t)
	sales := v.connectorToken("alice", "sales", oauth.ScopeTools)
	a := v.mcp(sales, "tools/list", object{})
	var names []string
	for _, tool := range a.Result.Tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{"get_task", "list_agents", "send_task"}) {
		t.Errorf("got the tools %v", names)
	}
	for _, revision := range mcpRevisions {
		said, _ := v.read(sales, toolCall(t, revision, "search", `{"query":"covert"}`, "{}"), "")
		unknown, _ := v.read(sales, toolCall(t, revision, "nonsense", `{"query":"covert"}`, "{}"), "")
		if !strings.Contains(said, "error") || strings.ReplaceAll(said, "search", "nonsense") != unknown {
			t.Errorf("%s: got %s, want as for an unknown tool: %s", revision, said, unknown)
		}
	}
}

// A connector with tools that read alone sent, answered, canceled and shared by other protocols than
// tools/call.
func TestAConnectorThatReadsDoesNothingElseAtAnyDoor(t *testing.T) {
	v := newConnected(t)
	reader := v.connectorToken("alice", "reader", oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish)
	task, done := v.begin("front", asking, ""), v.begin("front", ended, "")
	shared := v.share(v.begin(vault, ended, ""))
	before := v.received.Load()
	const extension = `{"elicitation":{},"extensions":{"io.modelcontextprotocol/tasks":{}}}`
	message := `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"end it"}]}}`
	reads := "This connector only reads"
	for _, door := range []struct {
		sent
		want string
	}{
		{sent{"POST", "/api/v1/agents/front/tasks", `{"message":"end it"}`, nil}, reads},
		{sent{"POST", "/api/v1/tasks/" + task + "/messages", `{"message":"end it"}`, nil}, reads},
		{sent{"POST", "/api/v1/tasks/" + task + "/cancel", "", nil}, reads},
		{sent{"POST", "/api/v1/shares", `{"id":"task:` + done + `"}`, nil}, "not_found"},
		{sent{"DELETE", "/api/v1/shares/" + shared, "", nil}, "not_found"},
		{sent{"POST", "/a2a/front", `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":` + message + `}`, []string{"A2A-Version: 1.0"}}, reads},
		{sent{"POST", "/a2a/front", `{"jsonrpc":"2.0","id":1,"method":"CancelTask","params":{"id":"` + task + `"}}`, []string{"A2A-Version: 1.0"}}, reads},
		{mcpRequest(t, mcp2026, "tasks/cancel", `"taskId":"`+task+`"`, extension), reads},
		{mcpRequest(t, mcp2026, "tasks/update", `"taskId":"`+task+`","inputResponses":{"answer":{"action":"decline"}}`, extension), reads},
	} {
		if said, _ := v.read(reader, door.sent, ""); !strings.Contains(said, door.want) {
			t.Errorf("%s %s: got %.600s, want %q", door.path, door.body, said, door.want)
		}
	}
	said := v.invoke(reader, grpc10, "SendMessage", `{"tenant":"front",`+message[1:], "")
	if !strings.Contains(said, reads) || v.received.Load() != before {
		t.Errorf("gRPC: got %.600s, and %d messages at the agent", said, v.received.Load()-before)
	}
	if said, _ := v.read(reader, toolCall(t, mcp2026, "get_task", `{"task_id":"`+task+`"}`, "{}"), ""); !strings.Contains(said, "the covert question") {
		t.Errorf("got %.600s, want the question of the task", said)
	}
}

// share shares a task and returns the id of the share.
func (v *vaulted) share(task string) string {
	v.t.Helper()
	var made documents.Shared
	got := v.do("POST", "/api/v1/shares", v.claims, `{"id":"task:`+task+`"}`)
	got.decode(v.t, &made)
	if made.ID == "" {
		v.t.Fatalf("got %s", got.said())
	}
	return made.ID
}

// A link to what a connector does not reach is neither listed through it nor ended.
func TestAConnectorEndsNoLinkToAnotherAgent(t *testing.T) {
	v := newConnected(t)
	skilled := v.connectorToken("alice", "skilled", oauth.ScopeDiscover, oauth.ScopePublish)
	reached, other := v.share(v.begin("front", ended, "")), v.share(v.begin(vault, ended, ""))
	for id, want := range map[string]int{other: http.StatusNotFound, reached: http.StatusOK} {
		if got := v.do("DELETE", "/api/v1/shares/"+id, skilled, ""); got.status != want {
			t.Errorf("got %s, want %d", got.said(), want)
		}
	}
	if got := v.do("GET", "/api/v1/shares", v.claims, ""); !strings.Contains(got.body, other) {
		t.Errorf("the link has ended: %s", got.body)
	}
}

// Clients list the tools again when those of their connector change.
func TestAChangedConnectorTellsItsClients(t *testing.T) {
	v := newConnected(t)
	sales := v.connectorToken("alice", "sales", oauth.ScopeTools)
	ctx, stop := context.WithTimeout(t.Context(), 10*time.Second)
	defer stop()
	listen := mcpRequest(t, mcp2026, "subscriptions/listen", `"notifications":{"toolsListChanged":true,"resourcesListChanged":true}`, "{}")
	req, err := http.NewRequestWithContext(ctx, listen.method, v.cfg.Load().URL+"/mcp/sales", strings.NewReader(listen.body))
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range append(listen.headers, "Content-Type: application/json", "Authorization: Bearer "+sales) {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	until := func(what string) {
		t.Helper()
		for lines.Scan() {
			if strings.Contains(lines.Text(), what) {
				return
			}
		}
		t.Fatalf("the stream ended without %s: %v", what, lines.Err())
	}
	until("acknowledged")
	v.change(func(c *config.Config) { c.Calls.Connectors[0].Tools = []string{"get_task"} })
	until("notifications/tools/list_changed")
	until("notifications/resources/list_changed")
}

func TestASessionBelongsToItsConnector(t *testing.T) {
	v := newConnected(t)
	sales, claims := v.connectorToken("alice", "sales", oauth.ScopeTools), v.connectorToken("alice", "claims", oauth.ScopeTools)
	session := v.session(sales, mcp2025, "{}")
	for token, want := range map[string]int{sales: http.StatusOK, claims: http.StatusNotFound, v.token("alice", oauth.ScopeTools): http.StatusNotFound} {
		if got := v.do("POST", "/mcp", token, listing, session, "MCP-Protocol-Version: "+mcp2025); got.status != want {
			t.Errorf("at %q: got %s, want %d", v.mcpOf[token], got.said(), want)
		}
	}
}

// The state of a question that one connector asked is refused at another, with the answer.
func TestAQuestionBelongsToItsConnector(t *testing.T) {
	v := newConnected(t)
	asked, other := v.connectorToken("alice", "sales", oauth.ScopeTools), v.connectorToken("alice", "sales2", oauth.ScopeTools)
	const ask = `{"agent":"front","message":"ask","wait":9}`
	said, _ := v.read(asked, toolCall(t, mcp2026, "send_task", ask, canElicit), "")
	state := regexp.MustCompile(`"requestState":"([^"]+)"`).FindStringSubmatch(said)
	if state == nil {
		t.Fatalf("got %s, want a question", said)
	}
	again := `"name":"send_task","arguments":` + ask + `,"requestState":"` + state[1] + `","inputResponses":{"answer":` + accept("answer", "end it") + `}`
	before := v.received.Load()
	for _, token := range []string{other, v.token("alice", oauth.ScopeTools)} {
		said, _ := v.read(token, mcpRequest(t, mcp2026, "tools/call", again, canElicit), "")
		if !strings.Contains(said, "the requestState is not one that you were given") || v.received.Load() != before {
			t.Errorf("at %q: got %s, and %d messages at the agent", v.mcpOf[token], said, v.received.Load()-before)
		}
	}
	if said, _ := v.read(asked, mcpRequest(t, mcp2026, "tools/call", again, canElicit), ""); strings.Contains(said, "requestState is not") {
		t.Errorf("at its own: got %s", said)
	}
}

func TestAConnectorIsForItsAccounts(t *testing.T) {
	v := newConnected(t)
	bob := v.connectorToken("bob", "legal", oauth.ScopeTools, oauth.ScopeDiscover)
	if a := v.mcp(bob, "tools/list", object{}); a.Error != nil {
		t.Fatal(a.raw)
	}
	v.change(func(c *config.Config) { c.Calls.Connectors[1].Accounts = []string{"alice"} })
	for _, path := range []string{"/mcp/legal", "/api/v1/agents", "/a2a/" + vault} {
		method := "POST"
		if path == "/api/v1/agents" {
			method = "GET"
		}
		if got := v.at("", method, path, bob, listing); got.status != http.StatusNotFound {
			t.Errorf("%s: got %s, want 404", path, got.said())
		}
	}
	if _, _, err := v.oauth.Tokens.IssueFor(t.Context(), v.oauth.Resources.Of(v.cfg.Load().URL+"/mcp/legal"), "bob", []string{oauth.ScopeTools}, 0); err == nil {
		t.Error("an account that may not use the connector gets a token for it")
	}
}

func TestAConnectorWithAHostOfItsOwn(t *testing.T) {
	v := newConnected(t)
	url := "http://law.example/mcp"
	token, _, err := v.oauth.Tokens.IssueFor(t.Context(), v.oauth.Resources.Of(url), "alice", []string{oauth.ScopeTools}, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := v.at("law.example", "POST", "/mcp", token, listing); got.status != http.StatusOK {
		t.Errorf("got %s", got.said())
	}
	got := v.at("LAW.example", "POST", "/mcp", v.token("alice", oauth.ScopeTools), listing)
	if challenge := got.header.Get("WWW-Authenticate"); got.status != http.StatusUnauthorized ||
		!strings.Contains(challenge, `"http://law.example/.well-known/oauth-protected-resource/mcp"`) {
		t.Errorf("a token of the default connector: got %s with %q", got.said(), challenge)
	}
	var doc struct{ Resource string }
	v.at("law.example", "GET", "/.well-known/oauth-protected-resource/mcp", "", "").decode(t, &doc)
	if doc.Resource != url {
		t.Errorf("got the metadata of %s", doc.Resource)
	}
	for _, path := range []string{
		"/mcp/sales", "/mcp/tools/list", "/sse", "/.well-known/mcp-metadata", "/.well-known/mcp/server-card.json",
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp/sales",
	} {
		if got := v.at("law.example", "GET", path, token, ""); got.status != http.StatusNotFound {
			t.Errorf("%s on the host of a connector: got %s, want 404", path, got.said())
		}
	}
	if got := v.at("", "POST", "/mcp/law", token, listing); got.status != http.StatusNotFound {
		t.Errorf("at the path of a connector with a host: got %s, want 404", got.said())
	}
}

func TestAConnectorNarrowsToItsUseCaseAndSkills(t *testing.T) {
	v := newConnected(t)
	claims := v.connectorToken("alice", "claims", oauth.ScopeTools)
	said, _ := v.read(claims, toolCall(t, mcp2025, "send_task", `{"agent":"vault","message":"end it","wait":9}`, "{}"), "")
	if !strings.Contains(said, "the covert result") || v.received.Load() != 0 {
		t.Errorf("got %.600s, want a message of the use case claims", said)
	}
	skilled := v.connectorToken("alice", "skilled", oauth.ScopeTools)
	for arguments, want := range map[string]string{
		`{"agent":"front","message":"end it","wait":9}`:                      "This connector reaches only the skills plain.",
		`{"agent":"front","skill":"undercover","message":"end it","wait":9}`: "has no skill undercover",
		`{"agent":"front","skill":"plain","message":"end it","wait":9}`:      "the covert result",
	} {
		said, _ := v.read(skilled, toolCall(t, mcp2025, "send_task", arguments, "{}"), "")
		if !strings.Contains(said, want) {
			t.Errorf("%s: got %.600s, want %q", arguments, said, want)
		}
	}
	if said, _ := v.read(skilled, toolCall(t, mcp2025, "get_agent", `{"agent":"front"}`, "{}"), ""); strings.Contains(said, "ndercover") {
		t.Errorf("the agent shows a skill that the connector does not reach: %s", said)
	}
}

func TestARemovedConnectorStopsAtOnce(t *testing.T) {
	v := newConnected(t)
	sales := v.connectorToken("alice", "sales", oauth.ScopeTools, oauth.ScopeDiscover)
	if a := v.mcp(sales, "tools/list", object{}); a.Error != nil {
		t.Fatal(a.raw)
	}
	v.change(func(c *config.Config) { c.Calls.Connectors = c.Calls.Connectors[1:] })
	if got := v.at("", "POST", "/mcp/sales", sales, listing); got.status != http.StatusNotFound {
		t.Errorf("got %s, want 404", got.said())
	}
	for _, path := range []string{"/mcp", "/api/v1/agents"} {
		if got := v.at("", "GET", path, sales, ""); got.status != http.StatusUnauthorized {
			t.Errorf("%s: got %s, want 401", path, got.said())
		}
	}
}

// change reloads the configuration with a change.
func (v *vaulted) change(change func(*config.Config)) {
	v.t.Helper()
	v.Source = Source{Level: new(slog.LevelVar), Read: func() (*config.Config, error) {
		next := *v.cfg.Load()
		next.Calls.Connectors = slices.Clone(next.Calls.Connectors)
		change(&next)
		return &next, next.Check()
	}}
	if changes, err := v.Reload(v.t.Context()); err != nil || len(changes) == 0 {
		v.t.Fatalf("got the changes %v, %v", changes, err)
	}
}

// Whatever is mounted below /mcp is no name for a connector.
func TestNamesOfOtherAddressesAreReserved(t *testing.T) {
	r := newRig(t)
	routes, err := r.routes()
	if err != nil {
		t.Fatal(err)
	}
	err = routes.Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		path, err := route.GetPathTemplate()
		rest, below := strings.CutPrefix(path, "/mcp/")
		word, _, _ := strings.Cut(rest, "/")
		ok := strings.HasPrefix(word, ".") || slices.Contains(directory.ReservedConnectors, word)
		if err == nil && below && word != "" && !ok {
			t.Errorf("%q is mounted at %s and not reserved", word, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
