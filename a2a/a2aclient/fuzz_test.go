package a2aclient_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// parrot answers every call with the same bytes, and hangs up on a caller who
// asks too often.
type parrot struct {
	status     int
	kind, body string
	calls      int
	hangUp     context.CancelFunc
}

func (p *parrot) RoundTrip(req *http.Request) (*http.Response, error) {
	if p.calls++; p.calls > 50 {
		p.hangUp()
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: p.status, Header: http.Header{"Content-Type": {p.kind}}, Request: req,
		Body: io.NopCloser(strings.NewReader(p.body)),
	}, nil
}

// FuzzAnswer has an agent answer with anything. Whatever that is, the first
// event of a stream is a task or a message, and what the protocol does not
// define becomes our own error.
func FuzzAnswer(f *testing.F) {
	for _, rogue := range a2atest.Rogues() {
		for _, answers := range rogue.Answers {
			if body := strings.ReplaceAll(answers[0].Body, "$ID", "1"); len(body) < 1<<12 {
				f.Add(200, answers[0].Header.Get("Content-Type"), body, 0)
			}
		}
	}
	f.Add(500, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"data":{"error":{"code":-32601}}}}`, 1)
	protocols := []a2a.Generation{a2a.V10, a2a.V03, a2a.V02, a2a.V01}
	bindings := []a2a.Binding{a2a.JSONRPC, a2a.HTTPJSON}
	f.Fuzz(func(t *testing.T, status int, kind, body string, as int) {
		if status < 200 || status > 599 {
			return
		}
		ctx, hangUp := context.WithCancel(t.Context())
		defer hangUp()
		p := &parrot{status: status, kind: kind, body: body, hangUp: hangUp}
		d := &a2aclient.Dialer{HTTP: &http.Client{Transport: p}, Protocol: protocols[as&3], Pause: 1, MaxBody: 1 << 16}
		if d.Protocol == a2a.V10 || d.Protocol == a2a.V03 {
			d.Binding = bindings[as>>2&1]
		}
		c, err := d.Dial(ctx, "http://agent.test/rpc")
		if err != nil {
			return // a card that was no card
		}
		first := true
		for e, err := range c.Stream(ctx, a2atest.Say("x")) {
			switch e.(type) {
			case *a2a.Task, *a2a.Message:
			default:
				if err == nil && first {
					t.Fatalf("%q began with %T", body, e)
				}
			}
			first = false
		}
		if task, err := c.Task(ctx, a2a.TaskQuery{ID: "t1"}); err == nil && task.ID != "t1" {
			t.Errorf("%q is task %q", body, task.ID)
		}
	})
}
