package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
)

// scriptedAgent serves an agent that follows instructions in messages.
func scriptedAgent(t *testing.T) (config.Agent, *a2atest.Agent) {
	agent := a2atest.NewAgent()
	s := &a2aserver.Server{Agent: agent, Card: agent.Card()}
	srv := httptest.NewServer(s)
	s.URL = srv.URL
	t.Cleanup(func() { srv.Close(); agent.Close() })
	return config.Agent{Name: "scripted", URL: srv.URL}, agent
}

// browser is a browser with a cookie jar.
type browser struct {
	*http.Client
	r *rig
}

func (r *rig) visitor(user string) browser {
	if user == "" {
		return browser{&http.Client{}, r}
	}
	return browser{r.browser(user), r}
}

// form opens a page and returns the hidden fields of one of its forms.
func (b browser) form(page, id string) url.Values {
	b.r.t.Helper()
	resp, err := b.Get(page)
	if err != nil {
		b.r.t.Fatal(err)
	}
	defer resp.Body.Close()
	hidden := formIn(b.r.t, resp.Body, id)
	if len(hidden) == 0 {
		b.r.t.Fatalf("%s: got %d without a form %q", page, resp.StatusCode, id)
	}
	return hidden
}

// formIn returns the hidden fields of a form on a page.
func formIn(t *testing.T, page io.Reader, id string) url.Values {
	t.Helper()
	doc, err := html.Parse(page)
	if err != nil {
		t.Fatal(err)
	}
	hidden := url.Values{}
	for n := range doc.Descendants() {
		if n.Data != "input" || htmlAttr(n, "type") != "hidden" {
			continue
		}
		for p := range n.Ancestors() {
			if p.Data == "form" && htmlAttr(p, "id") == id {
				hidden.Set(htmlAttr(n, "name"), htmlAttr(n, "value"))
			}
		}
	}
	return hidden
}

func htmlAttr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func (b browser) post(target string, form url.Values, header map[string]string) (int, string) {
	b.r.t.Helper()
	req, err := http.NewRequest(http.MethodPost, target, strings.NewReader(form.Encode()))
	if err != nil {
		b.r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := b.Do(req)
	if err != nil {
		b.r.t.Fatal(err)
	}
	defer resp.Body.Close()
	var body strings.Builder
	if err := resp.Write(&body); err != nil {
		b.r.t.Fatal(err)
	}
	return resp.StatusCode, body.String()
}

func TestAnAnswerIsTakenFromItsOwnerInABrowserAlone(t *testing.T) {
	config, agent := scriptedAgent(t)
	config.UseCases = []string{"trips"} // alice is of every use case
	r := newRig(t, config)
	task := r.ask(r.token("alice", oauth.ScopeTools), "ask Which colour?")
	page := r.cfg.Load().URL + "/answer/" + task

	alice := r.visitor("alice")
	form := alice.form(page, "answer")
	form.Set("field:answer", "echo blue")
	for name, header := range map[string]map[string]string{
		"a form of another site": {"Sec-Fetch-Site": "cross-site"},
		"a form of a neighbour":  {"Sec-Fetch-Site": "same-site"},
		"an old browser's":       {"Origin": "https://evil.example"},
	} {
		for _, form := range []url.Values{form, {"do": {"cancel"}}, {"do": {"retry"}}, {"do": {"share"}}, {"revoke": {"x"}}} {
			if status, body := alice.post(page, form, header); status != http.StatusForbidden {
				t.Errorf("%s: got %d %s for %v", name, status, body, form)
			}
		}
	}
	for _, form := range []url.Values{form, {"do": {"cancel"}}, {"do": {"retry"}}} {
		if status, _ := r.visitor("bob").post(page, form, nil); status != http.StatusNotFound {
			t.Errorf("another user: got %d for %v, want 404", status, form)
		}
	}
	if status, body := r.visitor("").post(page, form, nil); status != http.StatusOK || !strings.Contains(body, `id="signin"`) {
		t.Errorf("without a session: got %d %s, want the sign-in page", status, body)
	}
	if n := len(agent.Received()); n != 1 {
		t.Fatalf("the agent got %d messages, want the question's alone", n)
	}
	if status, body := alice.post(page, form, map[string]string{"Sec-Fetch-Site": "same-origin"}); status != http.StatusOK {
		t.Errorf("got %d %s, want it to be sent", status, body)
	}
	if got := r.waits(r.token("alice", oauth.ScopeTools), task); !strings.Contains(got, "blue") {
		t.Errorf("got %s, want the result", got)
	}
}

// ask sends a message through MCP and returns the task that waits.
func (r *rig) ask(token, message string) string {
	r.t.Helper()
	var got struct {
		Result struct {
			StructuredContent struct {
				TaskID string    `json:"task_id"`
				State  a2a.State `json:"state"`
			} `json:"structuredContent"`
		} `json:"result"`
	}
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"message":"` + message + `"}}}`
	r.do("POST", "/mcp", token, body, "Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2025-06-18").decode(r.t, &got)
	if !got.Result.StructuredContent.State.Interrupted() {
		r.t.Fatalf("got %+v, want a task that waits", got)
	}
	return got.Result.StructuredContent.TaskID
}
