package mcp_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"rialto/mcp"
	"rialto/mcp/mcptest"
)

// question reads the next request that the server sends on a stream.
func question(t *testing.T, lines *bufio.Reader) (id, method string, params json.RawMessage) {
	t.Helper()
	message := strings.TrimPrefix(await(t, lines, "data: {"), "data: ")
	var q struct {
		ID     json.RawMessage
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal([]byte(message), &q); err != nil || len(q.ID) == 0 {
		t.Fatalf("got %s, %v, want a request", message, err)
	}
	return string(q.ID), q.Method, q.Params
}

// respond posts a response as the client and returns the status.
func (c *client) respond(id, result string) int {
	c.t.Helper()
	body := `{"jsonrpc":"2.0","id":` + id + `,` + result + `}`
	r, err := http.NewRequest(http.MethodPost, c.srv.URL, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header = c.request(context.Background(), "", "x", "").Header
	res, err := c.srv.Client().Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	res.Body.Close()
	return res.StatusCode
}

const accepted = `"result":{"action":"accept","content":{"name":"Ann"}}`

// One handler asks clients of both eras; this is the older way.
func TestSessionIsAskedOnItsOwnStream(t *testing.T) {
	for name, c := range map[string]struct{ tool, method, param, result, want string }{
		"a form": {"test_streaming_elicitation", "elicitation/create", `"requestedSchema"`, accepted, `{\"name\":\"Ann\"}`},
		"a form that is declined": {
			"test_streaming_elicitation", "elicitation/create", `"message"`, `"result":{"action":"decline"}`, "action=decline"},
		"a page": {"test_elicitation_url", "elicitation/create", `"elicitationId"`, `"result":{"action":"accept"}`, "Visited"},
		"a model": {
			"test_input_required_result_sampling", "sampling/createMessage", `"maxTokens"`,
			`"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}`, "Paris"},
		"a client that answers with an error": {
			"test_streaming_elicitation", "elicitation/create", `"message"`, `"error":{"code":-32601,"message":"no"}`, "there was none"},
		"a client that answers nonsense": {
			"test_streaming_elicitation", "elicitation/create", `"message"`, `"result":{"action":"maybe"}`, "there was none"},
	} {
		t.Run(name, func(t *testing.T) {
			srv := serve(t, &mcp.Server{Tools: mcptest.Tools()})
			ann := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
			_, lines := open(context.Background(), ann, "1", "tools/call", `"name":"`+c.tool+`"`)
			id, method, params := question(t, lines)
			if method != c.method || !strings.Contains(string(params), c.param) {
				t.Errorf("got %s with %s, want %s with %s", method, params, c.method, c.param)
			}
			if status := ann.respond(id, c.result); status != http.StatusAccepted {
				t.Errorf("the answer: got %d, want 202", status)
			}
			if got := await(t, lines, "data: {"); !strings.Contains(got, c.want) {
				t.Errorf("got %s, want %s in it", got, c.want)
			}
		})
	}
}

func TestAnswerOfAnotherIsNotTaken(t *testing.T) {
	srv := serve(t, &mcp.Server{Tools: mcptest.Tools()})
	ann := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	_, lines := open(context.Background(), ann, "1", "tools/call", `"name":"test_streaming_elicitation"`)
	id, _, _ := question(t, lines)
	for name, thief := range map[string]*client{
		"another principal in the same session": {t: t, srv: srv, era: eras[0], who: "bob", session: ann.session},
		"another session":                       (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize(),
		"no session":                            {t: t, srv: srv, era: eras[0], who: "ann"},
	} {
		thief.t = t
		thief.respond(id, `"result":{"action":"accept","content":{"name":"Mallory"}}`)
		t.Log(name)
	}
	ann.respond(id, accepted)
	ann.respond(id, `"result":{"action":"decline"}`) // the second is late
	if got := await(t, lines, "data: {"); !strings.Contains(got, "Ann") {
		t.Errorf("got %s, want what Ann answered", got)
	}
}

func TestQuestionTimesOut(t *testing.T) {
	srv := serve(t, &mcp.Server{Tools: mcptest.Tools(), Limits: mcp.Limits{AskTimeout: time.Millisecond}})
	c := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	_, body := c.do("1", "tools/call", `"name":"test_streaming_elicitation"`)
	stream := events(t, body)
	if len(stream) != 3 || !strings.Contains(stream[1], "notifications/cancelled") || !strings.Contains(stream[2], `"isError":true`) {
		t.Errorf("got %q, want the question, its end, and a result that says so", stream)
	}
}

func TestClientThatCannotAnswerIsNotAsked(t *testing.T) {
	srv := serve(t, &mcp.Server{Tools: mcptest.Tools()})
	for name, c := range map[string]*client{
		"no session":   {t: t, srv: srv, era: eras[0]},
		"not declared": (&client{t: t, srv: srv, era: eras[0]}).initialize(),
	} {
		t.Run(name, func(t *testing.T) {
			_, body := c.do("1", "tools/call", `"name":"test_input_required_result_list_roots"`)
			if !strings.Contains(body, "-32021") || strings.Contains(body, "roots/list") {
				t.Errorf("got %s, want -32021", body)
			}
		})
	}
}

func TestRequestStateExpires(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	srv := serve(t, &mcp.Server{Tools: mcptest.Tools(), Now: func() time.Time { return now }})
	c := &client{t: t, srv: srv, era: eras[1], capabilities: `{"elicitation":{}}`}
	const call = `"name":"test_input_required_result_multi_round"`
	_, body := c.do("1", "tools/call", call)
	var asked struct{ Result struct{ RequestState string } }
	if err := json.Unmarshal([]byte(body), &asked); err != nil {
		t.Fatal(err)
	}
	again := call + `,"inputResponses":{"step1":` + strings.TrimPrefix(accepted, `"result":`) + `},"requestState":"` + asked.Result.RequestState + `"`
	now = now.Add(119 * time.Minute)
	if _, body := c.do("2", "tools/call", again); !strings.Contains(body, "step2") {
		t.Errorf("after 119 minutes: got %s, want the second question", body)
	}
	now = now.Add(2 * time.Minute)
	if _, body := c.do("3", "tools/call", again); !strings.Contains(body, "-32602") {
		t.Errorf("after 121 minutes: got %s, want it refused", body)
	}
}

// Tests of tools make calls that no server made.
func TestCallWithoutServerCannotAsk(t *testing.T) {
	call, q := new(mcp.Call), mcp.Ask("roots", "roots/list", json.RawMessage("{}"), "roots")
	_, err := call.Ask(context.Background(), q)
	if refusal := (*mcp.Error)(nil); call.CanAsk(q) || !errors.As(err, &refusal) || refusal.Code != -32021 {
		t.Errorf("got %v, want -32021", err)
	}
	call.Log(mcp.LevelInfo, "", "nobody hears this")
}

// No state and no answer may break the server, and a forged state must not pass.
func FuzzRequestState(f *testing.F) {
	f.Add("e30.e30", `{"action":"accept","content":{"name":"Ann"}}`)
	f.Add("", `{"action":"accept","content":[]}`)
	f.Add("a.b.c", `{"action":1}`)
	f.Add(".", "null")
	srv := serve(f, &mcp.Server{Tools: mcptest.Tools()})
	f.Fuzz(func(t *testing.T, state, answer string) {
		if !json.Valid([]byte(answer)) {
			t.Skip()
		}
		sealed, err := json.Marshal(state)
		if err != nil {
			t.Skip()
		}
		c := &client{t: t, srv: srv, era: eras[1], capabilities: `{"elicitation":{}}`}
		call := `"name":"test_streaming_elicitation","inputResponses":{"user_name":` + answer + `}`
		if _, body := c.do("1", "tools/call", call+`,"requestState":`+string(sealed)); !strings.Contains(body, `"error"`) {
			t.Errorf("the state %q: got %s, want an error", state, body)
		}
		if _, body := c.do("2", "tools/call", call); !strings.Contains(body, `"resultType"`) && !strings.Contains(body, `"error"`) {
			t.Errorf("the answer %s: got %s", answer, body)
		}
	})
}

// TestAnAnswerInAnUnknownSessionIsNotTaken checks that it is not accepted and lost.
func TestAnAnswerInAnUnknownSessionIsNotTaken(t *testing.T) {
	srv := serve(t, &mcp.Server{Tools: mcptest.Tools()})
	ann := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
	for name, who := range map[string]*client{
		"a session of another": {t: t, srv: srv, era: eras[0], who: "bob", session: ann.session},
		"a session that ended": {t: t, srv: srv, era: eras[0], who: "ann", session: "gone"},
	} {
		if got := who.respond(`"q"`, `"result":{"action":"decline"}`); got != http.StatusNotFound {
			t.Errorf("%s: got %d, want 404", name, got)
		}
	}
}
