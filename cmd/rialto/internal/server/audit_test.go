package server

import (
	"context"
	"encoding/csv"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/internal/usage"
	"rialto/oauth"
	"rialto/oauth/oauthtest"
)

// calls returns what was recorded so far, as DOOR TOOL AGENT OUTCOME, and "of a task" for a call about one.
func (r *rig) calls() (lines []string) {
	r.t.Helper()
	r.usage.Flush(r.t.Context())
	for c, err := range r.operator.Calls(r.t.Context(), usage.Filter{}, "") {
		if err != nil {
			r.t.Fatal(err)
		}
		if c.User != "alice" || c.UserID == "" || c.Client == "" && c.Door != usage.Web || c.At.IsZero() {
			r.t.Errorf("got %+v, want whose it was and when", c)
		}
		line := fmt.Sprint(c.Door, " ", c.Tool, " ", c.Agent, " ", c.Outcome)
		if c.Task != "" {
			line += " of a task"
			if task, err := r.operator.Task(r.t.Context(), c.Task); err != nil || task.Agent != c.Agent {
				r.t.Errorf("%s: its task is %+v, %v", line, task, err)
			}
		}
		lines = append(lines, line)
	}
	return lines
}

func TestCallsOfEveryProtocolAreRecorded(t *testing.T) {
	r := newAPIRig(t)
	tools := r.token("alice", oauth.ScopeTools)
	for _, call := range []string{
		`"name":"send_task","arguments":{"agent":"one","message":"echo hello"}`,
		`"name":"send_task","arguments":{"agent":"none","message":"echo hello"}`,
		`"name":"send_task","arguments":{"agent":"two","message":"fail"}`,
	} {
		if got := r.do("POST", "/mcp/tools/call", tools, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+call+`}}`); got.status != http.StatusOK {
			t.Fatalf("got %d %s", got.status, got.body)
		}
	}
	task := r.create(r.full("alice"), "one", `{"message":"echo hello","wait":20}`)
	r.do("GET", "/api/v1/tasks/"+task.ID, r.full("alice"), "")
	r.do("GET", "/api/v1/tasks/none", r.full("alice"), "")
	c := r.client("/a2a/two", r.full("alice"), a2a.V10, a2a.JSONRPC)
	if _, err := c.Send(t.Context(), &a2a.SendRequest{Message: &a2a.Message{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("echo hello")}}}); err != nil {
		t.Fatal(err)
	}
	for _, err := range c.Stream(t.Context(), &a2a.SendRequest{Message: &a2a.Message{ID: "n", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("echo hello")}}}) {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"mcp send_task one ok of a task", "mcp send_task  refused", "mcp send_task two failed of a task",
		"rest POST /agents/{agent}/tasks one ok of a task", "rest GET /tasks/{task} one ok of a task", "rest GET /tasks/{task}  refused",
		"a2a SendMessage two ok of a task", "a2a SendStreamingMessage two ok of a task",
	}
	slices.Sort(want)
	var got []string
	for end := time.After(time.Minute); len(got) < len(want); { // a stream is recorded after its client has seen the end
		got = r.calls()
		select {
		case <-end:
			t.Fatalf("got %q", got)
		case <-time.After(5 * time.Millisecond):
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	sums, err := r.operator.Usage(t.Context(), usage.Filter{}, usage.ByUser, 0)
	if err != nil || len(sums) != 1 || sums[0].Name != "alice" || sums[0].Calls != int64(len(want)) || sums[0].Errors != 3 || sums[0].BytesOut == 0 {
		t.Errorf("got %+v, %v", sums, err)
	}
}

// recorded waits until so many calls are recorded, and compares them, in any order.
func (r *rig) recorded(want ...string) {
	r.t.Helper()
	slices.Sort(want)
	var got []string
	for end := time.After(time.Minute); len(got) < len(want); { // some are recorded after their client has seen the end
		got = r.calls()
		select {
		case <-end:
			r.t.Fatalf("got %q", got)
		case <-time.After(5 * time.Millisecond):
		}
	}
	if slices.Sort(got); !slices.Equal(got, want) {
		r.t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestEveryKindOfCallIsRecordedOnce makes calls that are refused, asked back, left
// alone, or that come through doors which few use.
func TestEveryKindOfCallIsRecordedOnce(t *testing.T) {
	r := newAPIRig(t)
	tools, full := r.token("alice", oauth.ScopeTools), r.full("alice")
	mcp := func(revision, method, params string) reply {
		return r.do("POST", "/mcp", tools, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+params+`}}`,
			"Accept: application/json, text/event-stream", "MCP-Protocol-Version: "+revision, "Mcp-Method: "+method, "Mcp-Name: send_task")
	}
	task := r.create(full, "one", `{"message":"echo hello","wait":20}`)
	r.create(full, "one", `{"message":"fail","wait":20}`)
	mcp("2025-06-18", "tools/call", `"name":"get_task","arguments":{"nonsense":1}`)
	mcp("2025-06-18", "tools/call", `"name":"fetch","arguments":{"id":"agent:two"}`)
	mcp("2025-06-18", "tools/call", `"name":"fetch","arguments":{"id":"task:`+task.ID+`"}`)
	for _, uri := range []string{"tasks/" + task.ID, "tasks/none", "agents/two/card"} {
		mcp("2025-06-18", "resources/read", `"uri":"rialto://`+uri+`"`)
	}
	mcp("2025-11-25", "tasks/get", `"taskId":"`+task.ID+`"`)
	mcp("2025-11-25", "tasks/cancel", `"taskId":"`+task.ID+`"`) // which has ended
	asked := mcp("2026-07-28", "tools/call", `"name":"send_task","arguments":{"agent":"one","message":"ask Which colour?"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":{}}}}`)
	if !strings.Contains(asked.body, `"resultType":"input_required"`) {
		t.Fatalf("got %d %s, want a question", asked.status, asked.body)
	}
	for method, params := range map[string]string{
		"ListTaskPushNotificationConfigs": `{"taskId":"` + task.ID + `"}`,
		"SendMessage":                     `{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"fail"}]}}`,
	} {
		r.do("POST", "/a2a/two", full, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, "A2A-Version: 1.0")
	}
	leaving, leave := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer leave()
	left, err := http.NewRequestWithContext(leaving, "POST", r.cfg.Load().URL+"/api/v1/agents/one/tasks", strings.NewReader(`{"message":"hang","wait":20}`))
	if err != nil {
		t.Fatal(err)
	}
	left.Header.Set("Authorization", "Bearer "+full)
	left.Header.Set("Content-Type", "application/json")
	if _, err := http.DefaultClient.Do(left); err == nil {
		t.Fatal("there was an answer")
	}
	r.recorded(
		"rest POST /agents/{agent}/tasks one ok of a task", "rest POST /agents/{agent}/tasks one failed of a task", "rest POST /agents/{agent}/tasks one canceled of a task",
		"mcp get_task  refused", "mcp fetch two ok", "mcp fetch one ok of a task",
		"mcp resources/read one ok of a task", "mcp resources/read  refused", "mcp resources/read two ok",
		"mcp tasks/get one ok of a task", "mcp tasks/cancel one refused of a task", "mcp send_task one ok",
		"a2a ListTaskPushNotificationConfigs two refused", "a2a SendMessage two failed of a task",
	)
	sums, err := r.operator.Usage(t.Context(), usage.Filter{}, "", 0)
	if err != nil || len(sums) != 1 || sums[0].Calls != 14 || sums[0].Errors != 6 {
		t.Errorf("got %+v, %v, want what failed or was refused as errors, and not what was left", sums, err)
	}
}

func TestCallsOnPagesAreRecorded(t *testing.T) {
	config, _ := scriptedAgent(t)
	r := newRig(t, config)
	task := r.ask(r.token("alice", oauth.ScopeTools), "ask Which colour?")
	alice, page := r.visitor("alice"), r.cfg.Load().URL+"/answer/"+task
	form := alice.form(page, "answer")
	form.Set("field:answer", "echo blue")
	for range 2 { // the second is the same again
		if status, body := alice.post(page, form, map[string]string{"Sec-Fetch-Site": "same-origin"}); status != http.StatusOK {
			t.Fatalf("got %d %s", status, body)
		}
	}
	for _, id := range []string{"doc:scripted:d", "task:" + task} {
		resp, err := alice.Get(r.cfg.Load().URL + "/documents/" + id)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	r.recorded("mcp send_task scripted ok of a task", "web answer scripted ok of a task", "web answer scripted ok of a task", "web document scripted refused")
}

// events returns what the audit log has of a kind, the latest first.
func (r *rig) events(kind audit.Kind) []audit.Event {
	r.t.Helper()
	r.audit.Flush(r.t.Context())
	events, err := r.store.Records.Events(r.t.Context(), audit.Filter{Kind: kind, Limit: 100})
	if err != nil {
		r.t.Fatal(err)
	}
	return events
}

func TestSignInsAreInTheAuditLog(t *testing.T) {
	r := newRig(t)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, as := range []struct{ name, password string }{
		{"alice", "hunter2hunter2"}, {"my-secret-in-the-wrong-field", "x"}, {"alice", "correct horse battery staple"},
	} {
		page, err := browser.Get(r.cfg.Load().URL + "/signin")
		if err != nil {
			t.Fatal(err)
		}
		handle := attribute(t, page, `name="handle" value="`)
		resp, err := browser.PostForm(r.cfg.Load().URL+"/signin", url.Values{"handle": {handle}, "username": {as.name}, "password": {as.password}, "next": {"/"}})
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	events := r.events(audit.SignIn)
	if len(events) != 3 {
		t.Fatalf("got %+v, want three sign-ins", events)
	}
	slices.SortFunc(events, func(a, b audit.Event) int { return strings.Compare(a.Detail, b.Detail) })
	entered, unknown, wrong := events[0], events[1], events[2]
	if entered.Outcome != audit.OK || entered.Actor != "alice" || entered.ActorID == "" || entered.Address != "127.0.0.1" {
		t.Errorf("got %+v for a sign-in", entered)
	}
	if wrong.Outcome != audit.Failed || wrong.Actor != "alice" || unknown.Outcome != audit.Failed || unknown.Actor != "" {
		t.Errorf("got %+v and %+v for sign-ins that were refused", wrong, unknown)
	}
	if all := fmt.Sprint(events); strings.Contains(all, "hunter2") || strings.Contains(all, "wrong-field") {
		t.Errorf("the audit log has what was typed: %s", all)
	}
}

// TestSignInLinksAreInTheAuditLog makes one, uses it, and tries it again.
func TestSignInLinksAreInTheAuditLog(t *testing.T) {
	r := newRig(t)
	link, err := r.operator.SignInLink(t.Context(), operator.CommandLine, "alice")
	if err != nil {
		t.Fatal(err)
	}
	browser := oauthtest.NewBrowser(t, nil)
	page := browser.Get(link)
	browser.Submit(page, nil).Continue()
	again := oauthtest.NewBrowser(t, nil)
	_, used := page.Form()
	again.Submit(again.Get(r.cfg.Load().URL+"/signin"), map[string]string{"link": used.Get("link")})
	events := r.events(audit.AccountLink)
	if len(events) != 2 || events[0].Detail != "used" || events[0].Actor != "alice" || events[0].Address != "127.0.0.1" || events[1].Detail != "made" || events[1].Actor != operator.CommandLine.Name || events[1].Target != "alice" {
		t.Errorf("got %+v, want a link that was made and used", events)
	}
	entered := r.events(audit.SignIn)
	if len(entered) != 2 || entered[0].Outcome != audit.Failed || entered[0].Detail != "wrong sign-in link" || entered[1].Outcome != audit.OK || entered[1].Actor != "alice" {
		t.Errorf("got %+v, want a sign-in and a failed one", entered)
	}
	if all := fmt.Sprint(events, entered); strings.Contains(all, used.Get("link")) {
		t.Errorf("the audit log has the link: %s", all)
	}
	if err := r.operator.SetDisabled(t.Context(), operator.CommandLine, "bob", true); err != nil {
		t.Fatal(err)
	}
	if link, err := r.operator.SignInLink(t.Context(), operator.CommandLine, "bob"); link != "" || err == nil {
		t.Errorf("got %q for a disabled account", link)
	}
	elsewhere := &oauth.Account{ID: "e", Name: "corp:eve", Issuer: "https://id.example", Subject: "1"}
	if _, err := r.store.OAuth.Identities.Identify(t.Context(), elsewhere, true); err != nil {
		t.Fatal(err)
	}
	if link, err := r.operator.SignInLink(t.Context(), operator.CommandLine, "corp:eve"); link != "" || err == nil {
		t.Errorf("got %q for an account that signs in elsewhere", link)
	}
}

// attribute returns what stands in a page behind a text, up to the next quote.
func attribute(t *testing.T, page *http.Response, before string) string {
	t.Helper()
	defer page.Body.Close()
	b := make([]byte, 1<<20)
	n := 0
	for {
		k, err := page.Body.Read(b[n:])
		if n += k; err != nil {
			break
		}
	}
	_, rest, ok := strings.Cut(string(b[:n]), before)
	value, _, ended := strings.Cut(rest, `"`)
	if !ok || !ended {
		t.Fatalf("there is no %s in %s", before, b[:n])
	}
	return value
}

func TestChangedSettingsAreAudited(t *testing.T) {
	r := newRig(t)
	if got := r.events(audit.Settings); len(got) != 1 {
		t.Fatalf("got %+v after the first start", got)
	}
	for range 2 {
		if err := r.auditSettings(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.events(audit.Settings); len(got) != 1 {
		t.Errorf("got %d events though nothing has changed", len(got))
	}
	r.cfg.Load().Links.DownloadLinks = time.Hour
	if err := r.auditSettings(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := r.events(audit.Settings); len(got) != 2 {
		t.Errorf("got %d events after a change", len(got))
	}
}

func TestExportsAreSafeForSpreadsheets(t *testing.T) {
	var b strings.Builder
	r := newRig(t)
	for _, name := range []string{`=HYPERLINK("https://evil.example")`, "+1", "-1+cmd()", "@SUM(A1)", "＝1", "plain, with a comma", "p;=1+1", "p; \"@SUM(A1)", "p;;-1;+1"} {
		r.audit.Record(t.Context(), audit.Event{Kind: audit.ClientRegistered, Detail: name})
	}
	r.audit.Flush(t.Context())
	if err := operator.WriteEvents(&b, operator.CSV, r.operator.AllEvents(t.Context(), audit.Filter{Kind: audit.ClientRegistered}, "")); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(b.String())).ReadAll()
	if err != nil || len(rows) != 10 {
		t.Fatalf("got %d rows, %v: %s", len(rows), err, b.String())
	}
	for _, row := range rows[1:] {
		if detail := row[len(row)-1]; strings.IndexAny(detail, "'p") != 0 {
			t.Errorf("a spreadsheet takes %q for a formula", detail)
		}
		for _, cell := range strings.Split(row[len(row)-1], ";") { // as where the comma is that of decimals
			if strings.IndexAny(strings.TrimLeft(cell, ` "`), "=+-@") == 0 {
				t.Errorf("a spreadsheet that parts cells by semicolons takes %q for a formula", cell)
			}
		}
	}
}
