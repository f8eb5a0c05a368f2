package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"rialto/mcp"
)

// mcp-go lost the last notification of nearly every call, and with several
// calls in one session put them on each other's streams.
//
// RIALTO_ROUNDS says how often it is tried.
func TestProgressOfParallelCallsArrivesWholeInOrderAndOnItsOwnStream(t *testing.T) {
	const calls, steps = 400, 5
	rounds, _ := strconv.Atoi(os.Getenv("RIALTO_ROUNDS")) // not set: once
	srv := serve(t, &mcp.Server{Limits: mcp.Limits{MaxCalls: calls}, Tools: []mcp.Tool{tool("work", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		for i := range steps {
			c.Progress(fmt.Sprint("step ", i+1))
		}
		return text("done"), nil
	})}})
	srv.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = calls // or rounds run out of ports
	for _, era := range eras {
		t.Run(era.name, func(t *testing.T) {
			c := &client{t: t, srv: srv, era: era}
			if !era.modern {
				c.initialize()
			}
			for range max(rounds, 1) {
				var arrived atomic.Int64
				var wg sync.WaitGroup
				for n := range calls {
					wg.Go(func() {
						_, body := c.do(fmt.Sprint(n), "tools/call", fmt.Sprintf(`"name":"work","_meta":{"progressToken":"token-%d"}`, n))
						arrived.Add(progressed(t, n, events(t, body)))
					})
				}
				wg.Wait()
				if got := arrived.Load(); got != calls*steps {
					t.Fatalf("got %d notifications, want %d", got, calls*steps)
				}
			}
		})
	}
}

// progressed checks the stream of call n and returns how many notifications were right.
func progressed(t *testing.T, n int, stream []string) (good int64) {
	var last int64
	for i, e := range stream {
		var m struct {
			ID     *int
			Params struct {
				ProgressToken string
				Progress      int64
				Message       string
			}
		}
		if err := json.Unmarshal([]byte(e), &m); err != nil {
			t.Errorf("%v in %q", err, e)
		}
		if i == len(stream)-1 {
			if m.ID == nil || *m.ID != n {
				t.Errorf("the stream of call %d ends with %s", n, e)
			}
			return good
		}
		p := m.Params
		if p.ProgressToken != fmt.Sprint("token-", n) || p.Progress <= last || p.Message != fmt.Sprint("step ", i+1) {
			t.Errorf("event %d of call %d is %s", i, n, e)
			continue
		}
		last = p.Progress
		good++
	}
	return good
}

func TestProgressFromManyGoroutinesIncreases(t *testing.T) {
	const steps = 200
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{tool("work", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		var wg sync.WaitGroup
		for range steps {
			wg.Go(func() { c.Progress("") })
		}
		wg.Wait()
		return text("done"), nil
	})}})
	c := &client{t: t, srv: srv, era: eras[1]}
	_, body := c.do("1", "tools/call", `"name":"work","_meta":{"progressToken":1}`)
	stream := events(t, body)
	if len(stream) != steps+1 {
		t.Fatalf("got %d events, want %d", len(stream), steps+1)
	}
	for i, e := range stream[:steps] {
		if !strings.Contains(e, fmt.Sprintf(`"progress":%d}`, i+1)) {
			t.Errorf("event %d is %s", i+1, e)
		}
	}
}

func TestProgressAfterTheCallIsSilent(t *testing.T) {
	late := make(chan func(string), 1)
	srv := serve(t, &mcp.Server{Tools: []mcp.Tool{tool("work", func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		late <- c.Progress
		return text("done"), nil
	})}})
	c := &client{t: t, srv: srv, era: eras[1]}
	res, _ := c.do("1", "tools/call", `"name":"work","_meta":{"progressToken":1}`)
	(<-late)("too late") // would panic or race if it touched the finished response
	if got := res.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("got %s, want JSON: nothing was notified", got)
	}
}
