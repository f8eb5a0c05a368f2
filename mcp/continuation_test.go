package mcp_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"rialto/mcp"
)

// restarted returns a server as another process makes it: only the key of the sessions is the same.
func restarted(t *testing.T) (c *client, w *waiter, second *client) {
	w = newWaiter()
	wait := w.tool()
	work := wait.Call
	wait.Call = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.ContinueWith("look", func() map[string]any { return map[string]any{"at": "it"} })
		return work(ctx, c)
	}
	look := tool("look", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		var args struct {
			At string `json:"at"`
		}
		if wrong := c.Decode(&args); wrong != nil {
			return wrong, nil
		}
		return text("looked at " + args.At), nil
	})
	look.InputSchema = json.RawMessage(`{"type":"object","properties":{"at":{"type":"string"}}}`)
	lost := w.tool()
	lost.Name = "lose"
	first := serve(t, &mcp.Server{Changing: true, Tools: []mcp.Tool{wait, look, lost}})
	later := serve(t, &mcp.Server{Changing: true, Tools: []mcp.Tool{look}})
	c = (&client{t: t, srv: first, era: eras[0], who: "ann"}).initialize()
	return c, w, &client{t: t, srv: later, era: eras[0], who: "ann", session: c.session}
}

// TestCallIsContinuedByAnotherProcess resumes streams at a server that never had them: the
// answer comes under the id of the call. It was 410 each time.
func TestCallIsContinuedByAnotherProcess(t *testing.T) {
	c, w, second := restarted(t)
	primed, progress := broken(t, w, c)
	defer close(w.release)
	for name, id := range map[string]string{"the first event": primed, "a later event": progress} {
		got := rest(t, second.resume(id))
		last := string(got[len(got)-1].Data)
		if !strings.Contains(last, `"id":7`) || !strings.Contains(last, "looked at it") {
			t.Errorf("%s: got %s, want the result of the call that continues it, as an answer to 7", name, last)
		}
		if again := second.resume(got[len(got)-1].ID); again.StatusCode != http.StatusGone {
			t.Errorf("%s: after the answer: got %d, want 410: the client would come back forever", name, again.StatusCode)
		}
	}
	for name, other := range map[string]*client{
		"another session": (&client{t: t, srv: second.srv, era: eras[0], who: "ann"}).initialize(),
		"another user":    (&client{t: t, srv: second.srv, era: eras[0], who: "bob"}).initialize(),
	} {
		if res := other.resume(primed); res.StatusCode != http.StatusGone {
			t.Errorf("%s: got %d, want 410", name, res.StatusCode)
		}
	}
}

// TestCallThatCannotBeContinuedEnds resumes the stream of a call that nothing continues: it
// ends at once with an error that says what to do.
func TestCallThatCannotBeContinuedEnds(t *testing.T) {
	c, w, second := restarted(t)
	defer close(w.release)
	ctx, hangUp := context.WithCancel(t.Context())
	res, err := c.srv.Client().Do(c.request(ctx, `"seven"`, "tools/call", `"name":"lose","_meta":{"progressToken":1}`))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	primed := make([]byte, 1<<10)
	n, err := io.ReadAtLeast(res.Body, primed, 40)
	if err != nil {
		t.Fatal(err)
	}
	hangUp()
	id, _, _ := bytes.Cut(bytes.TrimPrefix(primed[:n], []byte("id: ")), []byte("\n"))
	got := rest(t, second.resume(string(id)))
	if last := string(got[len(got)-1].Data); !strings.Contains(last, `"id":"seven"`) || !strings.Contains(last, `"error"`) || !strings.Contains(last, "list_tasks") {
		t.Errorf("got %s, want an error that answers the call and says what to do", last)
	}
}

// TestSessionStreamIsOpenedByAnotherProcess resumes the stream of changes at a server that
// never had it.
func TestSessionStreamIsOpenedByAnotherProcess(t *testing.T) {
	c, w, second := restarted(t)
	defer close(w.release)
	_, lines := c.get()
	id := strings.TrimSpace(strings.TrimPrefix(await(t, lines, "id: "), "id: "))
	if res := second.resume(id); res.StatusCode != http.StatusOK {
		t.Errorf("got %d, want a new stream", res.StatusCode)
	}
}

// TestReadsAreContinuedByThemselves resumes the stream of a call that only reads.
func TestReadsAreContinuedByThemselves(t *testing.T) {
	w := newWaiter()
	read := w.tool()
	read.ReadOnly, read.Idempotent = true, true
	first := (&client{t: t, srv: serve(t, &mcp.Server{Tools: []mcp.Tool{read}}), era: eras[0], who: "ann"}).initialize()
	primed, _ := broken(t, w, first)
	defer close(w.release)
	read.Call = func(context.Context, *mcp.Call) (*mcp.Result, error) { return text("read again"), nil }
	second := &client{t: t, srv: serve(t, &mcp.Server{Tools: []mcp.Tool{read}}), era: eras[0], who: "ann", session: first.session}
	got := rest(t, second.resume(primed))
	if last := string(got[len(got)-1].Data); !strings.Contains(last, `"id":7`) || !strings.Contains(last, "read again") {
		t.Errorf("got %s, want the result of the same call", last)
	}
}
