package a2aclient_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// counted serves an agent and counts the connections to it.
type counted struct {
	*httptest.Server
	mu         sync.Mutex
	open, peak int
}

func count(t *testing.T, agent http.Handler) *counted {
	c := &counted{Server: httptest.NewUnstartedServer(agent)}
	c.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		c.mu.Lock()
		defer c.mu.Unlock()
		switch s {
		case http.StateNew:
			c.open++
		case http.StateClosed, http.StateHijacked:
			c.open--
		}
		c.peak = max(c.peak, c.open)
	}
	c.Start()
	t.Cleanup(func() { c.CloseClientConnections(); c.Close() })
	return c
}

func (c *counted) conns() (open, peak int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.open, c.peak
}

const workingV10 = `{"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t1","contextId":"c1","status":{"state":"TASK_STATE_WORKING"}}}}`

// TestASilentAgentHoldsOneConnectionATask has 200 tasks of an agent that says nothing after
// its first word, and is asked how they stand meanwhile.
func TestASilentAgentHoldsOneConnectionATask(t *testing.T) {
	const tasks, atOnce = 200, 16
	for name, look := range map[string]a2atest.Answer{
		"looks are answered":     {Body: `{"jsonrpc":"2.0","id":1,"result":{"id":"t1","status":{"state":"TASK_STATE_WORKING"}}}`},
		"looks are not answered": {Hold: true},
	} {
		t.Run(name, func(t *testing.T) {
			rogue := &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{
				"SendStreamingMessage": {{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: "data: " + workingV10 + "\n\n", Hold: true}},
				"GetTask":              {look},
			}}
			agent := count(t, rogue)
			client, err := (&a2aclient.Dialer{IdleTimeout: 20 * time.Millisecond}).Dial(t.Context(), agent.URL)
			if err != nil {
				t.Fatal(err)
			}
			ctx, leave := context.WithCancel(t.Context())
			var all sync.WaitGroup
			for range tasks {
				all.Go(func() {
					for range client.Stream(ctx, a2atest.Say("x")) {
					}
				})
			}
			enough, late := tasks*3, time.After(20*time.Second)
			if look.Hold {
				enough = 4
			}
			tick := time.NewTicker(5 * time.Millisecond)
			defer tick.Stop()
			for len(looks(rogue)) < enough {
				select {
				case <-tick.C:
				case <-late:
					t.Fatalf("only %d looks", len(looks(rogue)))
				}
			}
			if _, peak := agent.conns(); peak > tasks+2*atOnce { // the agent sees a connection end a moment later
				t.Errorf("%d tasks held up to %d connections", tasks, peak)
			}
			leave()
			all.Wait()
		})
	}
}

// looks returns the calls for a task.
func looks(r *a2atest.Rogue) (list []a2atest.Call) {
	for _, c := range r.Calls() {
		if c.Method == "GetTask" {
			list = append(list, c)
		}
	}
	return list
}

// TestConnectionsToAnAgentAreBounded: a message that finds all of them in use is not sent, and
// its agent does not count as broken.
func TestConnectionsToAnAgentAreBounded(t *testing.T) {
	const most = 3
	agent := count(t, &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{
		"SendStreamingMessage": {{Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: "data: " + workingV10 + "\n\n", Hold: true}},
	}})
	client, err := (&a2aclient.Dialer{MaxConns: most}).Dial(t.Context(), agent.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var all sync.WaitGroup
	begun := make(chan struct{})
	for range most {
		all.Go(func() {
			for range client.Stream(ctx, a2atest.Say("x")) {
				begun <- struct{}{}
			}
		})
		<-begun
	}
	for range 7 { // more than open the circuit breaker
		for _, err = range client.Stream(t.Context(), a2atest.Say("x")) {
		}
		e, ok := err.(*a2a.Error)
		if !ok || !e.NotSent || e.Code != a2a.Unavailable || !strings.Contains(e.Message, "all 3 connections to it are in use") {
			t.Fatalf("got %v, want that no connection is free", err)
		}
	}
	leave()
	go func() {
		for range begun {
		}
	}()
	all.Wait()
	close(begun)
	if _, peak := agent.conns(); peak > most {
		t.Errorf("got %d connections, want at most %d", peak, most)
	}
}
