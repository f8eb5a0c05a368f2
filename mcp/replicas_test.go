package mcp_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"rialto/mcp"
	"rialto/mcp/internal/session"
	"rialto/mcp/mcptest"
)

// sharedNotes are the notes of servers that share sessions. It tells all of a change, unless the
// news is lost, and fails while the database is down.
type sharedNotes struct {
	session.Memory
	servers []*mcp.Server
	lost    atomic.Bool
	down    atomic.Bool
	full    atomic.Bool
}

var errDown = errors.New("the database is down")

func (n *sharedNotes) changed(name string, err error) error {
	if n.down.Load() {
		return errDown
	}
	for _, s := range n.servers {
		if !n.lost.Load() {
			s.SessionChanged(name)
		}
	}
	return err
}

func (n *sharedNotes) AddNote(ctx context.Context, owner, name, note string, until time.Time) (bool, error) {
	if n.full.Load() {
		return false, nil
	}
	ok, err := n.Memory.AddNote(ctx, owner, name, note, until)
	return ok, n.changed(name, err)
}

func (n *sharedNotes) FillNote(ctx context.Context, name, note string, value []byte) (bool, error) {
	if n.down.Load() {
		return false, errDown
	}
	ok, err := n.Memory.FillNote(ctx, name, note, value)
	return ok, n.changed(name, err)
}

func (n *sharedNotes) DropNotes(ctx context.Context, name, note string) error {
	return n.changed(name, n.Memory.DropNotes(ctx, name, note))
}

// twoReplicas returns a client with a session, and the same client as another replica meets it.
func twoReplicas(t *testing.T) (here, there *client, notes *sharedNotes) {
	t.Helper()
	notes = &sharedNotes{}
	for range 2 {
		s := changing()
		s.Notes, s.Tools = notes, mcptest.Tools()
		notes.servers = append(notes.servers, s)
	}
	here = (&client{t: t, srv: serve(t, notes.servers[0]), era: eras[0], who: "ann"}).initialize()
	return here, &client{t: t, srv: serve(t, notes.servers[1]), era: eras[0], who: "ann", session: here.session}, notes
}

// TestAnAnswerReachesTheProcessThatAsked sends a long answer to another process, as a proxy
// without session affinity does. It was taken with 202 and lost above 5,000 bytes.
func TestAnAnswerReachesTheProcessThatAsked(t *testing.T) {
	for name, lost := range map[string]bool{"at once": false, "though the news of it is lost": true} {
		t.Run(name, func(t *testing.T) {
			here, there, notes := twoReplicas(t)
			_, lines := open(context.Background(), here, "1", "tools/call", `"name":"test_streaming_elicitation"`)
			id, _, _ := question(t, lines)
			notes.lost.Store(lost)
			for _, thief := range []*client{
				{t: t, srv: there.srv, era: eras[0], who: "bob", session: here.session},
				{t: t, srv: there.srv, era: eras[0], who: "ann"},
			} {
				thief.respond(id, `"result":{"action":"accept","content":{"name":"Mallory"}}`)
			}
			long := strings.Repeat("x", 100_000)
			there.respond(id, `"result":{"action":"accept","content":{"name":"Ann `+long+`"}}`)
			if got := await(t, lines, "data: {"); !strings.Contains(got, "Ann "+long) {
				t.Errorf("got %.200s, want what Ann answered", got)
			}
		})
	}
}

// TestAnAnswerThatCannotBeKeptIsNotTaken holds that 202 means that the answer arrives.
func TestAnAnswerThatCannotBeKeptIsNotTaken(t *testing.T) {
	here, there, notes := twoReplicas(t)
	_, lines := open(context.Background(), here, "1", "tools/call", `"name":"test_streaming_elicitation"`)
	id, _, _ := question(t, lines)
	r := there.request(t.Context(), "", "x", "")
	body := `{"jsonrpc":"2.0","id":` + id + `,` + accepted + `}`
	send := func() *http.Response {
		again := r.Clone(t.Context())
		again.Body, again.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
		res, err := there.srv.Client().Do(again)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		return res
	}
	notes.down.Store(true)
	if res := send(); res.StatusCode != http.StatusServiceUnavailable || res.Header.Get("Retry-After") == "" {
		t.Errorf("got %d, Retry-After %q, want 503 and when to retry", res.StatusCode, res.Header.Get("Retry-After"))
	}
	notes.down.Store(false)
	if res := send(); res.StatusCode != http.StatusAccepted {
		t.Errorf("again: got %d, want 202", res.StatusCode)
	}
	if got := await(t, lines, "data: {"); !strings.Contains(got, "Ann") {
		t.Errorf("got %s, want what Ann answered", got)
	}
}

// TestTooManyQuestions refuses a call that asks one question too many, and says when to retry.
func TestTooManyQuestions(t *testing.T) {
	here, _, notes := twoReplicas(t)
	notes.full.Store(true)
	if res, body := here.do("1", "tools/call", `"name":"test_streaming_elicitation"`); res.StatusCode != http.StatusTooManyRequests || res.Header.Get("Retry-After") != "60" {
		t.Errorf("got %d, Retry-After %q, %s, want 429 and 60", res.StatusCode, res.Header.Get("Retry-After"), body)
	}
}

// TestASubscriptionWorksOnEveryReplica subscribes at one replica while the stream is at another,
// and opens the stream after that. Such subscriptions were lost.
func TestASubscriptionWorksOnEveryReplica(t *testing.T) {
	here, there, notes := twoReplicas(t)
	told := func(lines *bufio.Reader, uri string) {
		t.Helper()
		notes.servers[1].Changed(mcp.ResourceUpdated(uri))
		notes.servers[1].Changed(mcp.ToolsChanged())
		if got := await(t, lines, "data: {"); !strings.Contains(got, uri) {
			t.Errorf("got %s, want %s", got, uri)
		}
		await(t, lines, "data: {") // the tools
	}
	here.do("1", "resources/subscribe", `"uri":"`+watched+`"`)
	_, lines := there.get()
	await(t, lines, ": open")
	told(lines, watched)

	const other = "test://static-text"
	here.do("2", "resources/subscribe", `"uri":"`+other+`"`)
	await2(t, func() bool { // the news is on its way
		notes.servers[1].Changed(mcp.ResourceUpdated(other))
		notes.servers[1].Changed(mcp.ToolsChanged())
		return strings.Contains(await(t, lines, "data: {"), other)
	})
}

// TestALongURIIsNotKept subscribes to a resource that does not exist, whose address would fill the database.
func TestALongURIIsNotKept(t *testing.T) {
	here, _, _ := twoReplicas(t)
	for length, want := range map[int]string{2 << 10: `"result"`, 2<<10 + 1: "-32602"} {
		if _, body := here.do("1", "resources/subscribe", `"uri":"`+strings.Repeat("x", length)+`"`); !strings.Contains(body, want) {
			t.Errorf("%d bytes: got %.200s, want %s", length, body, want)
		}
	}
}

// await2 repeats f until it returns true, for a bounded number of times.
func await2(t *testing.T, f func() bool) {
	t.Helper()
	for range 10_000 {
		if f() {
			return
		}
	}
	t.Error("it did not happen")
}
