package server

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"rialto/internal/config"
	"rialto/oauth"
)

// TestBodiesOfAUserAreBounded has a user who announces bodies of 4 MiB through all doors and does not
// send them. 300 bodies that were sent to all but their end took 1.5 GB.
func TestBodiesOfAUserAreBounded(t *testing.T) {
	agents, _ := agentsOf(t)
	r := newRigWith(t, func(c *config.Config) { c.Agents, c.MCP.PublicListing = agents, true })
	greedy := r.token("alice", oauth.ScopeTools, oauth.ScopeDiscover, oauth.ScopePublish)
	// announce returns the answer: 100 if the server wants the body.
	announce := func(path, token, length string) *http.Response {
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(r.cfg.Load().URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n%s\r\n\r\n", path, conn.RemoteAddr(), token, length)
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	const large = "Content-Length: 4194304"
	doors := []string{"/mcp", "/mcp/tools/call", config.AgentPath + agents[0].Name, config.AgentPath + agents[0].Name + "/message:send"}
	for i := range 8 {
		if resp := announce(doors[i%len(doors)], greedy, large); resp.StatusCode != http.StatusContinue {
			t.Fatalf("body %d, at %s: got status %d, want 100", i+1, doors[i%len(doors)], resp.StatusCode)
		}
	}
	for _, door := range append(doors, "/api/v1/agents/"+agents[0].Name+"/tasks") {
		for _, length := range []string{large, "Content-Length: 64", "Transfer-Encoding: chunked"} {
			if resp := announce(door, greedy, length); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" {
				t.Errorf("%s with %s: got status %d, want 429", door, length, resp.StatusCode)
			}
		}
	}
	if resp := announce("/mcp", r.token("bob", oauth.ScopeTools), large); resp.StatusCode != http.StatusContinue {
		t.Errorf("another user: got status %d, want 100", resp.StatusCode)
	}
}

// TestMessagesOfAUserAreReceivedInTurn has a user whose gRPC messages take all places until they have
// arrived.
func TestMessagesOfAUserAreReceivedInTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &bodyBudget{size: maxBodiesUser / 2, address: func(*http.Request) string { return "192.0.2.1" }}
		arrive, end := make(chan error), make(chan struct{})
		var began, refused atomic.Int64
		call := func() {
			r, w := httptest.NewRequest("POST", "/", nil), httptest.NewRecorder()
			b.receive(w, r, func() error {
				r.ContentLength = 10
				return <-arrive
			}, func() { began.Add(1); <-end })
			if w.Code == http.StatusTooManyRequests {
				refused.Add(1)
			}
		}
		for range 5 {
			go call()
		}
		synctest.Wait()
		if got := b.all; got != maxBodiesUser {
			t.Errorf("got %d bytes, want that two messages take the places of all", got)
		}
		arrive <- nil
		arrive <- errors.New("it does not arrive")
		synctest.Wait()
		if got, want := b.all, int64(10+maxBodiesUser/2); got != want || began.Load() != 1 {
			t.Errorf("got %d bytes and %d calls, want %d and 1: one that arrived, and one that is received", got, began.Load(), want)
		}
		close(arrive) // the others arrive at once
		synctest.Wait()
		if began.Load() != 4 || b.all != 40 {
			t.Errorf("got %d calls and %d bytes, want 4 and 40", began.Load(), b.all)
		}
		close(end)
		synctest.Wait()
		if b.all != 0 || len(b.users) != 0 || refused.Load() != 0 {
			t.Errorf("got %d bytes and %d refusals, want none", b.all, refused.Load())
		}
	})
}

// TestTheSizeOfARESTRequestIsASetting: limits.request_size bounds what REST takes, too.
func TestTheSizeOfARESTRequestIsASetting(t *testing.T) {
	agents, _ := agentsOf(t)
	for size, want := range map[config.Size]int{10 << 10: http.StatusRequestEntityTooLarge, 8 << 20: http.StatusCreated} {
		r := newRigWith(t, func(c *config.Config) { c.Agents, c.Limits.RequestSize = agents, size })
		body := `{"message":"echo hello"` + strings.Repeat(" ", int(size)*3/5+8<<10) + `}`
		if got := r.do("POST", "/api/v1/agents/"+agents[0].Name+"/tasks", r.full("alice"), body); got.status != want {
			t.Errorf("request_size %s, %d bytes: got %d %.200s, want %d", size, len(body), got.status, got.body, want)
		}
	}
}
