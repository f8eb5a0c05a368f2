package mcp_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

// changing returns a server that notifies of changes.
func changing() *mcp.Server {
	return &mcp.Server{Tools: mcptest.Tools(), Resources: mcptest.Resources(), Changing: true, Logging: true}
}

// get opens the stream of a session.
func (c *client) get() (*http.Response, *bufio.Reader) {
	c.t.Helper()
	ctx, hangUp := context.WithCancel(context.Background())
	c.t.Cleanup(hangUp)
	r := c.request(ctx, "", "x", "")
	r.Method, r.Body, r.ContentLength = http.MethodGet, nil, 0
	r.Header.Set("Accept", "text/event-stream")
	res, err := c.srv.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { res.Body.Close() })
	return res, bufio.NewReader(res.Body)
}

const watched = "test://watched-resource"

func TestSubscribersGetWhatTheyAskedFor(t *testing.T) {
	s := changing()
	srv := serve(t, s)
	stream := func(who, asked string) *bufio.Reader {
		ctx, hangUp := context.WithCancel(context.Background())
		t.Cleanup(hangUp)
		c := &client{t: t, srv: srv, era: eras[1], who: who}
		_, lines := open(ctx, c, "1", "subscriptions/listen", `"notifications":{`+asked+`}`)
		if ack := await(t, lines, "data: {"); !strings.Contains(ack, `"notifications":{`+asked+`}`) {
			t.Errorf("got %s, want %s acknowledged", ack, asked)
		}
		return lines
	}
	tools := stream("ann", `"toolsListChanged":true`)
	resource := stream("ann", `"resourceSubscriptions":["`+watched+`"]`)
	bob := stream("bob", `"toolsListChanged":true,"resourceSubscriptions":["`+watched+`"]`)

	s.Changed(mcp.ResourceUpdated("test://another"))
	s.Changed(mcp.ResourceUpdated(watched), "ann", "eve")
	s.Changed(mcp.ToolsChanged())
	for name, got := range map[string]struct {
		line string
		want string
	}{
		"who asked for tools":     {await(t, tools, "data: {"), "notifications/tools/list_changed"},
		"who asked for resources": {await(t, resource, "data: {"), `notifications/resources/updated","params":{"uri":"` + watched},
		"who was not meant":       {await(t, bob, "data: {"), "notifications/tools/list_changed"},
	} {
		if !strings.Contains(got.line, got.want) || !strings.Contains(got.line, `subscriptionId":1`) {
			t.Errorf("%s: got %s, want %s", name, got.line, got.want)
		}
	}
}

// unwatched forbids to subscribe to watched.
type unwatched struct{ byHeader }

func (unwatched) MaySubscribe(_ context.Context, uri string) bool { return uri != watched }

// TestSubscribersGetNoChangesOfForbiddenResources follows two resources, of which one is
// for others: no stream gets its changes.
func TestSubscribersGetNoChangesOfForbiddenResources(t *testing.T) {
	s := changing()
	s.Access = unwatched{}
	srv := serve(t, s)
	const other = "test://static-text"
	c := &client{t: t, srv: srv, era: eras[1], who: "ann"}
	_, listening := open(t.Context(), c, "1", "subscriptions/listen", `"notifications":{"resourceSubscriptions":["`+watched+`","`+other+`"]}`)
	await(t, listening, "data: {") // the acknowledgement does not reveal it
	c = (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	c.do("1", "resources/subscribe", `"uri":"`+watched+`"`)
	c.do("2", "resources/subscribe", `"uri":"`+other+`"`)
	_, session := c.get()
	await(t, session, ": open")
	s.Changed(mcp.ResourceUpdated(watched))
	s.Changed(mcp.ResourceUpdated(other))
	for name, lines := range map[string]*bufio.Reader{"a listener": listening, "a session": session} {
		if got := await(t, lines, "data: {"); !strings.Contains(got, other) {
			t.Errorf("%s is told %s", name, got)
		}
	}
}

func TestSessionIsNotifiedOnItsNewestStream(t *testing.T) {
	s := changing()
	srv := serve(t, s)
	c := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	c.do("1", "resources/subscribe", `"uri":"`+watched+`"`)
	c.do("2", "resources/subscribe", `"uri":"test://static-text"`)
	c.do("3", "resources/unsubscribe", `"uri":"test://static-text"`)
	_, older := c.get()
	await(t, older, ":")
	res, newer := c.get()
	if res.StatusCode != http.StatusOK || res.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("got %d, %v", res.StatusCode, res.Header)
	}
	await(t, newer, ":")
	if rest, err := io.ReadAll(older); err != nil || strings.Contains(string(rest), "data: {") {
		t.Errorf("got %q, %v on the older stream, want its end", rest, err)
	}
	s.Changed(mcp.ResourceUpdated("test://static-text"))
	s.Changed(mcp.ResourceUpdated(watched))
	got := await(t, newer, "data: {")
	if !strings.Contains(got, watched) {
		t.Errorf("got %s, want %s", got, watched)
	}
	r := c.request(context.Background(), "", "x", "")
	r.Method, r.Body, r.ContentLength = http.MethodDelete, nil, 0
	ended, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	ended.Body.Close()
	if rest, err := io.ReadAll(newer); err != nil || strings.Contains(string(rest), "data: {") {
		t.Errorf("got %q, %v after the session ended, want the end", rest, err)
	}
}

func TestOnlySessionsOfAChangingServerGetAStream(t *testing.T) {
	srv, still := serve(t, changing()), serve(t, &mcp.Server{})
	session := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize().session
	for name, c := range map[string]struct {
		client *client
		want   int
	}{
		"no session":              {&client{srv: srv, era: eras[0], who: "ann"}, http.StatusMethodNotAllowed},
		"another's session":       {&client{srv: srv, era: eras[0], who: "bob", session: session}, http.StatusNotFound},
		"the current era":         {&client{srv: srv, era: eras[1], who: "ann", session: session}, http.StatusMethodNotAllowed},
		"no notifications":        {&client{srv: still, era: eras[0], who: "ann", session: session}, http.StatusMethodNotAllowed},
		"a session that is known": {&client{srv: srv, era: eras[0], who: "ann", session: session}, http.StatusOK},
	} {
		t.Run(name, func(t *testing.T) {
			c.client.t = t
			if res, _ := c.client.get(); res.StatusCode != c.want {
				t.Errorf("got %d, want %d", res.StatusCode, c.want)
			}
		})
	}
}

func TestSubscriptionsOfASessionAreBounded(t *testing.T) {
	c := (&client{t: t, srv: serve(t, changing()), era: eras[0], who: "ann"}).initialize()
	for i := range 64 {
		if _, body := c.do("1", "resources/subscribe", fmt.Sprintf(`"uri":"test://%d"`, i)); strings.Contains(body, "error") {
			t.Fatalf("%d: got %s", i, body)
		}
	}
	if _, body := c.do("1", "resources/subscribe", `"uri":"test://64"`); !strings.Contains(body, "-32602") {
		t.Errorf("got %s, want -32602", body)
	}
	if _, body := c.do("1", "resources/subscribe", `"uri":"test://7"`); strings.Contains(body, "error") {
		t.Errorf("the same again: got %s", body)
	}
}

func TestLogsReachClientsThatWantThem(t *testing.T) {
	srv := serve(t, changing())
	session := func(level string) *client {
		c := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
		if level != "" {
			if _, body := c.do("1", "logging/setLevel", `"level":"`+level+`"`); result(t, body) != "{}" {
				t.Errorf("got %s, want {}", body)
			}
		}
		return c
	}
	now := &client{t: t, srv: srv, era: eras[1]}
	for name, c := range map[string]struct {
		client *client
		meta   string
		want   int
	}{
		"a session that said nothing":    {session(""), "", 3},
		"a session that wants all":       {session("debug"), "", 4},
		"a session that wants errors":    {session("error"), "", 0},
		"a request that said nothing":    {now, "", 0},
		"a request that wants all":       {now, `,"_meta":{"io.modelcontextprotocol/logLevel":"debug"}`, 4},
		"a request that wants warnings":  {now, `,"_meta":{"io.modelcontextprotocol/logLevel":"warning"}`, 0},
		"a request of an unknown level":  {now, `,"_meta":{"io.modelcontextprotocol/logLevel":"loud"}`, 0},
		"a session at the level of info": {session("info"), "", 3},
	} {
		t.Run(name, func(t *testing.T) {
			c.client.t = t
			_, body := c.client.do("2", "tools/call", `"name":"test_tool_with_logging"`+c.meta)
			if got := strings.Count(body, "notifications/message"); got != c.want {
				t.Errorf("got %d messages in %s, want %d", got, body, c.want)
			}
		})
	}
	c := session("")
	if _, body := c.do("1", "logging/setLevel", `"level":"loud"`); !strings.Contains(body, "-32602") {
		t.Errorf("an unknown level: got %s, want -32602", body)
	}
	if res, _ := now.do("1", "logging/setLevel", `"level":"debug"`); res.StatusCode != http.StatusNotFound {
		t.Errorf("in the current era: got %d, want 404", res.StatusCode)
	}
}

func TestToolsAreReplacedWhileTheServerServes(t *testing.T) {
	s := changing()
	srv := serve(t, s)
	answer := func(text string) mcp.Tool {
		return mcp.Tool{Name: "extra", InputSchema: []byte(`{"type":"object"}`), Call: func(context.Context, *mcp.Call) (*mcp.Result, error) {
			return &mcp.Result{Content: []mcp.Content{mcp.Text(text)}}, nil
		}}
	}
	modern := &client{t: t, srv: srv, era: eras[1], who: "ann"}
	ctx, hangUp := context.WithCancel(context.Background())
	t.Cleanup(hangUp)
	_, told := open(ctx, modern, "1", "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	await(t, told, "data: {")
	legacy := (&client{t: t, srv: srv, era: eras[0], who: "bob"}).initialize()
	_, stream := legacy.get()

	if err := s.SetTools(append(mcptest.Tools(), answer("one"))); err != nil {
		t.Fatal(err)
	}
	for name, line := range map[string]string{"since 2026-07-28": await(t, told, "data: {"), "before": await(t, stream, "data: {")} {
		if !strings.Contains(line, "notifications/tools/list_changed") {
			t.Errorf("%s: got %s", name, line)
		}
	}
	for _, c := range []*client{modern, legacy} {
		if _, got := c.do("2", "tools/list", ""); !strings.Contains(got, `"name":"extra"`) {
			t.Errorf("got %s", got)
		}
		if _, got := c.do("3", "tools/call", `"name":"extra","arguments":{}`); !strings.Contains(got, `"text":"one"`) {
			t.Errorf("got %s", got)
		}
	}

	// what a client sees stays the same: no client is notified, and the new one is called
	if err := s.SetTools(append(mcptest.Tools(), answer("two"))); err != nil {
		t.Fatal(err)
	}
	if _, got := modern.do("4", "tools/call", `"name":"extra","arguments":{}`); !strings.Contains(got, `"text":"two"`) {
		t.Errorf("got %s", got)
	}
	if err := s.SetTools([]mcp.Tool{answer("a"), answer("b")}); err == nil {
		t.Error("two tools of one name were accepted")
	}
	s.Changed(mcp.ResourcesChanged())
	if line := await(t, stream, "data: {"); !strings.Contains(line, "notifications/resources/list_changed") {
		t.Errorf("got %s", line)
	}
	if err := s.SetTools(mcptest.Tools()); err != nil {
		t.Fatal(err)
	}
	if _, got := modern.do("5", "tools/call", `"name":"extra","arguments":{}`); !strings.Contains(got, "there is no tool") {
		t.Errorf("got %s", got)
	}
	if n := len(s.ToolNames(t.Context(), "")); n != len(mcptest.Tools()) {
		t.Errorf("got %d names", n)
	}
}
