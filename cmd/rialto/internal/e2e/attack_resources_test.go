package e2e

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"rialto/a2a/a2atest"
)

// TestHonestUsersBesideAnEndlessAgent has one user make 48 calls at once to an agent that streams
// without end. Each task once took memory and disk until it held 16 MiB, and then began anew.
func TestHonestUsersBesideAnEndlessAgent(t *testing.T) {
	takesLong(t)
	s := newSiege(t, fmt.Sprintf("  - {name: flood, url: %q}\ndefault_agent: weather", a2atest.Rogues()["endless artifact"].Serve(t)))
	mallory := s.stranger(t, "mallory")
	var mu sync.Mutex
	answers := map[string]int{}
	s.withstand(t, func(ctx context.Context) {
		var all sync.WaitGroup
		for range 48 {
			all.Go(func() {
				for ctx.Err() == nil {
					got, err := attempt(ctx, s.p.URL, mallory, "send_task", map[string]any{"agent": "flood", "message": "go", "wait": 30})
					answer := got.State + " " + got.Failure.Message
					if err != nil {
						answer = err.Error()[:min(100, len(err.Error()))]
					}
					mu.Lock()
					answers[answer]++
					mu.Unlock()
				}
			})
		}
		all.Wait()
	})
	for answer, n := range answers {
		t.Logf("%d times %s", n, answer)
	}
}

// TestHonestUsersBesideGRPCWithoutAToken has 60 streams without a token announce a message of 3 MiB
// each over gRPC and send what the server takes.
func TestHonestUsersBesideGRPCWithoutAToken(t *testing.T) {
	takesLong(t)
	calls := freeAddress(t)
	s := newSiege(t, fmt.Sprintf("grpc: {listen: %q}", calls))
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	t.Cleanup(client.CloseIdleConnections)
	s.withstand(t, func(ctx context.Context) {
		s.flood(ctx, 60, func(ctx context.Context, _ int64) int {
			ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
			defer cancel()
			rest, end := io.Pipe()
			defer end.Close()
			req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+calls+"/lf.a2a.v1.A2AService/SendMessage",
				io.MultiReader(strings.NewReader("\x00\x00\x30\x00\x00"+strings.Repeat("x", 1<<20)), rest))
			if err != nil {
				return 0
			}
			req.Header.Set("Content-Type", "application/grpc")
			resp, err := client.Do(req)
			if err != nil {
				return 0
			}
			defer resp.Body.Close()
			status, _ := strconv.Atoi(resp.Header.Get("Grpc-Status") + resp.Trailer.Get("Grpc-Status"))
			return status
		})
	})
}

// TestHonestUsersBesideSlowPeers has 200 connections whose peers ask for pages and never read an
// answer, and 200 that announce bodies and never send them.
func TestHonestUsersBesideSlowPeers(t *testing.T) {
	takesLong(t)
	s := newSiege(t, "")
	host := strings.TrimPrefix(s.p.URL, "http://")
	pages := strings.Repeat("GET /openapi.json HTTP/1.1\r\nHost: "+host+"\r\n\r\n", 200)
	late := "POST /mcp/tools/list HTTP/1.1\r\nHost: " + host + "\r\nContent-Type: application/json\r\nContent-Length: 4000000\r\n\r\n{"
	refused := strings.Replace(late, "/mcp/tools/list", "/mcp", 1)
	s.withstand(t, func(ctx context.Context) {
		var all sync.WaitGroup
		for i := range 400 {
			text := []string{pages, late, pages, refused}[i%4]
			all.Go(func() {
				for ctx.Err() == nil {
					hold(ctx, host, text)
				}
			})
		}
		all.Wait()
	})
}

// hold sends text and keeps the connection until the server closes it. It reads nothing.
func hold(ctx context.Context, host, text string) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
	if err != nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	for err == nil { // until the server has closed the connection, or takes no more
		if _, err = io.WriteString(conn, text); err == nil {
			select {
			case <-ctx.Done():
				return
			case <-time.After(time.Second):
			}
		}
	}
}

// stranger adds another account and returns a token for it.
func (s *siege) stranger(t *testing.T, name string) string {
	t.Helper()
	output(t, password+"\n", "user", "add", name, "--password-stdin", "--config", s.config)
	return strings.TrimSpace(output(t, "", "token", "--user", name, "--ttl", "24h", "--config", s.config))
}

// TestHonestUsersBesideLargeCalls has one user send 64 messages of 3.9 MB at once, again and again. The
// program took up to 662 MiB, and others waited for three seconds.
func TestHonestUsersBesideLargeCalls(t *testing.T) {
	takesLong(t)
	s := newSiege(t, "")
	mallory := s.stranger(t, "mallory")
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"message":"` +
		strings.Repeat("x", 3_900_000) + `"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	s.withstand(t, func(ctx context.Context) {
		var all sync.WaitGroup
		for range 64 {
			all.Go(func() {
				for ctx.Err() == nil {
					status := s.send(ctx, "POST", "/mcp", body, "192.0.2.1", "Authorization", "Bearer "+mallory, "Content-Type", "application/json",
						"Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "send_task")
					s.mu.Lock()
					s.strange[status]++
					s.mu.Unlock()
				}
			})
		}
		all.Wait()
	})
}
