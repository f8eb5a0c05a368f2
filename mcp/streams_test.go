package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"rialto/mcp"
)

// progressTool returns a tool whose calls are answered on a stream.
func progressTool() mcp.Tool {
	return tool("work", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.Progress("")
		return text("done"), nil
	})
}

// TestCallsOfASessionDoNotCutItsStream makes more calls in a session than are kept for
// resuming. After 31 of them, the session's own stream ended.
func TestCallsOfASessionDoNotCutItsStream(t *testing.T) {
	s := changing()
	s.Tools = append(s.Tools, progressTool())
	c := (&client{t: t, srv: serve(t, s), era: eras[0], who: "ann"}).initialize()
	_, lines := c.get()
	await(t, lines, ": open")
	for i := range 100 {
		c.do(fmt.Sprint(i+1), "tools/call", `"name":"work","_meta":{"progressToken":1}`)
	}
	s.Changed(mcp.ToolsChanged())
	if got := await(t, lines, "data: {"); !strings.Contains(got, "tools/list_changed") {
		t.Errorf("got %s, want the change on the stream that was open before the calls", got)
	}
}

// TestStreamsInUseAreNeverCut opens more streams than are kept for resuming. From the
// 1,025th on, each cut another.
func TestStreamsInUseAreNeverCut(t *testing.T) {
	const streams = 1200
	s := changing()
	s.Limits = mcp.Limits{StreamsPerUser: streams}
	srv := serve(t, s)
	var all []*bufio.Reader
	for range streams {
		c := (&client{t: t, srv: srv, era: eras[0], who: "ann"}).initialize()
		_, lines := c.get()
		await(t, lines, ": open")
		all = append(all, lines)
	}
	s.Changed(mcp.ToolsChanged())
	for i, lines := range all {
		if got := await(t, lines, "data: {"); !strings.Contains(got, "tools/list_changed") {
			t.Fatalf("stream %d: got %s, want the change", i, got)
		}
	}
}

// perUser takes what is before the slash of a principal for its user.
type perUser struct{ byHeader }

func (perUser) OwnerOf(principal string) string {
	user, _, _ := strings.Cut(principal, "/")
	return user
}

func TestStreamsAreBoundedPerUserAndInAll(t *testing.T) {
	var log bytes.Buffer
	s := changing()
	s.Limits = mcp.Limits{StreamsPerUser: 2, Streams: 3}
	s.Access = perUser{}
	s.Log = slog.New(slog.NewTextHandler(&log, nil))
	now := time.Unix(1e9, 0)
	s.Now = func() time.Time { return now }
	srv := serve(t, s)
	session := func(who string) *client {
		return (&client{t: t, srv: srv, era: eras[0], who: who}).initialize()
	}
	var lines []*bufio.Reader
	var refused []*http.Response
	for _, who := range []string{"ann/phone", "ann/laptop", "ann/car", "ann/car", "bob/phone", "eve/phone"} {
		c := session(who)
		res, l := c.get()
		if res.StatusCode == http.StatusOK {
			await(t, l, ": open")
			lines = append(lines, l)
			continue
		}
		refused = append(refused, res)
	}
	if len(lines) != 3 || len(refused) != 3 {
		t.Fatalf("%d streams were opened and %d refused, want 3 and 3", len(lines), len(refused))
	}
	for i, want := range []struct {
		status int
		says   string
	}{
		{http.StatusTooManyRequests, "this user has 2 event streams open"},
		{http.StatusTooManyRequests, "this user has 2 event streams open"},
		{http.StatusServiceUnavailable, "the server has 3 event streams open"},
	} {
		body, _ := io.ReadAll(refused[i].Body)
		if got := refused[i]; got.StatusCode != want.status || got.Header.Get("Retry-After") == "" || !strings.Contains(string(body), want.says) {
			t.Errorf("refusal %d: got %d, Retry-After %q, %s", i, got.StatusCode, got.Header.Get("Retry-After"), body)
		}
	}
	modern := &client{t: t, srv: srv, era: eras[1], who: "joe/tv"}
	if res, body := modern.do("1", "subscriptions/listen", ""); res.StatusCode != http.StatusServiceUnavailable || !strings.Contains(body, `"error"`) {
		t.Errorf("got %d, %s, want 503 and a JSON-RPC error", res.StatusCode, body)
	}
	if got, want := s.Streams(), (mcp.StreamStats{Open: 3, RefusedUser: 2, RefusedAll: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if n := strings.Count(log.String(), "event stream refused"); n != 1 {
		t.Errorf("got %d lines within a minute, want one:\n%s", n, log.String())
	}
	now = now.Add(time.Minute)
	session("ann/car").get()
	if n := strings.Count(log.String(), "event stream refused"); n != 2 {
		t.Errorf("got %d lines after a minute, want two:\n%s", n, log.String())
	}
	s.Changed(mcp.ToolsChanged())
	for i, l := range lines { // those that were open still are
		if got := await(t, l, "data: {"); !strings.Contains(got, "tools/list_changed") {
			t.Errorf("stream %d: got %s, want the change", i, got)
		}
	}
}

// TestResumedCallsAreNoStreamsOfChanges: a user whose calls come back after their connections broke
// may have as many as the limits of calls allow.
func TestResumedCallsAreNoStreamsOfChanges(t *testing.T) {
	w, s := newWaiter(), changing()
	s.Tools, s.Limits = append(s.Tools, w.tool()), mcp.Limits{StreamsPerUser: 1}
	ann := (&client{t: t, srv: serve(t, s), era: eras[0], who: "ann"}).initialize()
	_, changes := ann.get()
	opened := strings.TrimSpace(strings.TrimPrefix(await(t, changes, "id: "), "id: "))
	primed, _ := broken(t, w, ann)
	resumed := ann.resume(primed)
	if resumed.StatusCode != http.StatusOK || s.Streams().Open != 1 {
		t.Errorf("got %d, and %+v, want the stream of the call, which does not count", resumed.StatusCode, s.Streams())
	}
	if res := ann.resume(opened); res.StatusCode != http.StatusTooManyRequests {
		t.Errorf("got %d for a second stream of changes, want 429", res.StatusCode)
	}
	close(w.release)
	if got := rest(t, resumed); len(got) == 0 || !strings.Contains(string(got[len(got)-1].Data), "waited") {
		t.Errorf("got %s, want the result", got)
	}
}
