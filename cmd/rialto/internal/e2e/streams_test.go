package e2e

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestIdleStreamsBesideWaitingCalls holds streams of changes open while calls wait for an agent:
// none is cut, and afterwards the server has the descriptors and the memory of before.
// RIALTO_STREAM_SECONDS=180 holds 3,000 streams beside 1,000 calls for that time; the short form
// holds a thirtieth of them for two seconds.
func TestIdleStreamsBesideWaitingCalls(t *testing.T) {
	takesLong(t)
	users, seconds := 20, number("RIALTO_STREAM_SECONDS", 0)
	full := seconds > 0
	if !full {
		users, seconds = 1, 2
	}
	l := newStreamLoad(t, users, 150, 50)
	l.round(t, 5*time.Second) // what the first use makes is there before the measurement
	before := l.settled(t, nil)
	l.round(t, time.Duration(seconds)*time.Second)
	after := l.settled(t, &before)
	t.Logf("%d streams beside %d calls for %d s: %d descriptors and %d KiB before, %d and %d afterwards, %d and %d at most",
		users*l.streams, users*l.calls, seconds, before.descriptors, before.kib, after.descriptors, after.kib, l.most.descriptors, l.most.kib)
	if !after.near(before, full) {
		t.Errorf("got %+v afterwards, want within a tenth of %+v", after, before)
	}
}

// streamLoad is a server with users, each of whom holds streams and calls.
type streamLoad struct {
	p              *program
	agent          *slowAgent
	tokens         []string
	streams, calls int // of each user
	most           footprint
}

// footprint is what a process takes of the machine.
type footprint struct{ descriptors, kib int }

// connections are those to the database that a server keeps open after a load.
const connections = 8

// near tells whether f is at most a tenth above before, without connections. The memory of a small server
// changes by more than that by chance.
func (f footprint) near(before footprint, memory bool) bool {
	return f.descriptors*10 <= before.descriptors*11+10*connections && (!memory || f.kib*10 <= before.kib*11)
}

func newStreamLoad(t *testing.T, users, streams, calls int) *streamLoad {
	t.Helper()
	l := &streamLoad{agent: newSlowAgent(t), streams: streams, calls: calls}
	dir, addr := t.TempDir(), freeAddress(t)
	config := filepath.Join(dir, "rialto.yaml")
	err := os.WriteFile(config, fmt.Appendf(nil, "url: http://%s\ndatabase: %q\nlog: {level: warn}\nlimits: {streams_per_user: %d}\nagents:\n  - {name: slow, url: %q}\n",
		addr, filepath.Join(dir, "rialto.db"), streams, l.agent.url), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	for i := range users {
		user := fmt.Sprint("user", i)
		output(t, password+"\n", "user", "add", user, "--password-stdin", "--config", config)
		l.tokens = append(l.tokens, output(t, "", "token", "--user", user, "--ttl", "24h", "--config", config))
	}
	l.p = start(t, addr, "serve", "--config", config, "--listen", addr)
	return l
}

// round opens all streams and makes all calls, holds them, and then ends them.
func (l *streamLoad) round(t *testing.T, hold time.Duration) {
	t.Helper()
	ctx, hangUp := context.WithCancel(t.Context())
	conns := &http.Transport{}
	defer conns.CloseIdleConnections()
	client := &http.Client{Transport: conns}
	n := len(l.tokens) * (l.streams + l.calls)
	failed, opened := make(chan error, n), make(chan struct{}, n)
	l.agent.finish = make(chan struct{})
	var streams, calls sync.WaitGroup
	gate := make(chan struct{}, 50) // open no more at a time
	for _, token := range l.tokens {
		for range l.streams {
			streams.Go(func() {
				gate <- struct{}{}
				if err := l.listen(ctx, client, token, func() { <-gate; opened <- struct{}{} }); ctx.Err() == nil {
					failed <- fmt.Errorf("a stream was cut: %w", err)
				}
			})
		}
	}
	for range len(l.tokens) * l.streams {
		select {
		case <-opened:
		case err := <-failed:
			t.Fatal(err)
		}
	}
	for _, token := range l.tokens {
		for range l.calls {
			calls.Go(func() {
				got, err := attempt(t.Context(), l.p.URL, token, "send_task", map[string]any{"agent": "slow", "message": "a question", "wait": 240})
				if err != nil || got.State != "completed" {
					failed <- fmt.Errorf("a call ended with %+v, %w; the program said:\n%s", got, err, tail(l.p.log.String(), 2000))
				}
			})
		}
	}
	select {
	case <-time.After(hold):
		l.most = l.footprint(t)
	case err := <-failed:
		t.Error(err)
	}
	close(l.agent.finish)
	calls.Wait()
	hangUp()
	streams.Wait()
	select {
	case err := <-failed:
		t.Error(err)
	default:
	}
}

// listen opens a session and its stream, and reads until that ends.
func (l *streamLoad) listen(ctx context.Context, client *http.Client, token string, opened func()) error {
	send := func(method, session, body string) (*http.Response, error) {
		req, err := http.NewRequestWithContext(ctx, method, l.p.URL+"/mcp", strings.NewReader(body))
		if err != nil {
			return nil, err
		}
		req.Header = http.Header{"Authorization": {"Bearer " + token}, "Accept": {"application/json, text/event-stream"}, "Content-Type": {"application/json"}}
		if session != "" {
			req.Header.Set("Mcp-Session-Id", session)
		}
		return client.Do(req)
	}
	begun, err := send(http.MethodPost, "", `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}`)
	if err != nil {
		opened()
		return err
	}
	begun.Body.Close()
	res, err := send(http.MethodGet, begun.Header.Get("Mcp-Session-Id"), "")
	opened()
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	for lines := bufio.NewScanner(res.Body); ; {
		if !lines.Scan() {
			return errors.Join(lines.Err(), errors.New("the stream ended"))
		}
	}
}

// settled returns the footprint when the server is at rest: when its descriptors do not change any
// more and, in full, the garbage collector has run, which it does every two minutes; or when it is
// near what it was before.
func (l *streamLoad) settled(t *testing.T, before *footprint) footprint {
	t.Helper()
	ticks, full := 3, len(l.tokens) > 1
	if full {
		ticks = 125
	}
	deadline := time.After(5 * time.Minute)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	last := footprint{}
	for same := 0; ; same++ {
		f := l.footprint(t)
		if f.descriptors != last.descriptors {
			same, last = 0, f
		}
		if before != nil && f.near(*before, full) || before == nil && same >= ticks {
			return f
		}
		select {
		case <-tick.C:
		case <-deadline:
			return f
		}
	}
}

func (l *streamLoad) footprint(t *testing.T) (f footprint) {
	t.Helper()
	proc := fmt.Sprintf("/proc/%d", l.p.cmd.Process.Pid)
	open, err := os.ReadDir(proc + "/fd")
	if err != nil {
		t.Skip("descriptors and memory are read from /proc: ", err)
	}
	status, err := os.ReadFile(proc + "/status")
	if err != nil {
		t.Fatal(err)
	}
	f.descriptors = len(open)
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			f.kib, _ = strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return f
}
