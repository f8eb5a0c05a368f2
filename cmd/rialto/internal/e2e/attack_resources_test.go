package e2e

import (
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
	"rialto/bridge/documents"
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
	s.withstand(t, func(ctx context.Context) { s.grpcStreams(ctx, t, calls) })
}

// grpcStreams opens 60 streams a second without a token, each of a message of 3 MiB that does not end.
func (s *siege) grpcStreams(ctx context.Context, t *testing.T, address string) {
	protocols := &http.Protocols{}
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{Protocols: protocols}}
	t.Cleanup(client.CloseIdleConnections)
	s.flood(ctx, 60, func(ctx context.Context, _ int64) int {
		ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
		defer cancel()
		rest, end := io.Pipe()
		defer end.Close()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+"/lf.a2a.v1.A2AService/SendMessage",
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
	s.withstand(t, func(ctx context.Context) { s.largeCalls(ctx, mallory) })
}

// largeCalls sends messages of 3.9 MB, 64 at once, until ctx ends.
func (s *siege) largeCalls(ctx context.Context, token string) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task","arguments":{"message":"` +
		strings.Repeat("x", 3_900_000) + `"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`
	s.atOnce(ctx, 64, func() int {
		return s.send(ctx, "POST", "/mcp", body, "192.0.2.1", "Authorization", "Bearer "+token, "Content-Type", "application/json",
			"Accept", "application/json, text/event-stream", "MCP-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "send_task")
	})
}

// atOnce calls one on so many connections until ctx ends. one returns the status that an attacker got.
func (s *siege) atOnce(ctx context.Context, connections int, one func() int) {
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			for ctx.Err() == nil {
				status := one()
				s.mu.Lock()
				s.strange[status]++
				s.mu.Unlock()
			}
		})
	}
	all.Wait()
}

// TestMemoryComesBack has the program work for large calls, downloads and gRPC streams, each for as long
// as an attack lasts. Ten seconds after each it holds little more than before.
func TestMemoryComesBack(t *testing.T) {
	takesLong(t)
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc, which Linux has")
	}
	files := agentOf(t, &a2a.Card{Name: "Files", Description: "Has a file.", Version: "1"}, func(_ context.Context, turn *a2aexec.Turn) error {
		turn.Artifact(a2a.Artifact{Parts: []a2a.Part{{Content: a2a.Raw(make([]byte, 3<<20)), Filename: "zeros.bin", MediaType: "application/octet-stream"}}})
		turn.Complete("here it is")
		return nil
	})
	calls := freeAddress(t)
	s := newSiege(t, fmt.Sprintf("  - {name: files, url: %q}\ndefault_agent: weather\ngrpc: {listen: %q}", files, calls))
	mallory := s.stranger(t, "mallory")
	file := s.fileOf(t, mallory)
	s.honest(t)
	before := resident(t, s.p)
	for _, load := range []struct {
		name string
		run  func(context.Context)
	}{
		{"large calls", func(ctx context.Context) { s.largeCalls(ctx, mallory) }},
		{"downloads", func(ctx context.Context) {
			s.atOnce(ctx, 64, func() int { return s.send(ctx, "GET", file, "", "192.0.2.1") })
		}},
		{"gRPC streams", func(ctx context.Context) { s.grpcStreams(ctx, t, calls) }},
	} {
		ctx, stop := context.WithTimeout(t.Context(), attackTime(t))
		load.run(ctx)
		stop()
		during := resident(t, s.p)
		s.http.CloseIdleConnections()
		begun, kib := time.Now(), during
		for kib > before+maxLeft && time.Since(begun) < 10*time.Second {
			pause(250 * time.Millisecond)
			kib = resident(t, s.p)
		}
		t.Logf("%s: %d MiB before, %d MiB at the end, %d MiB after %v; %v", load.name, before>>10, during>>10, kib>>10, time.Since(begun).Round(time.Second/4), s.strange)
		if kib > before+maxLeft {
			t.Errorf("%s: the program holds %d KiB, want at most %d more than %d", load.name, kib, maxLeft, before)
		}
		s.strange = map[int]int{}
	}
}

// maxLeft is how many KiB more the program may hold after an attack.
const maxLeft = 48 << 10

// fileOf has an agent make a file, and returns the path at which it can be downloaded.
func (s *siege) fileOf(t *testing.T, token string) string {
	t.Helper()
	req, err := http.NewRequest("POST", s.p.URL+"/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_task",
		"arguments":{"agent":"files","message":"go"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"send_task"}}
	resp, err := s.http.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	path := regexp.MustCompile(documents.DownloadPath + "[A-Za-z0-9._~-]+").Find(b)
	if err != nil || path == nil {
		t.Fatalf("got %s, %v", b, err)
	}
	return string(path)
}

// TestHonestUsersBesideManyEvents has an agent send 30,000 events a second, as long as it is read.
func TestHonestUsersBesideManyEvents(t *testing.T) {
	takesLong(t)
	eager := &eagerAgent{Executor: &a2aexec.Executor{Run: done}}
	t.Cleanup(func() { eager.Close() })
	server := &a2aserver.Server{Agent: eager, Card: &a2a.Card{Name: "Eager", Description: "Says a lot.", Version: "1", Capabilities: a2a.Capabilities{Streaming: true}}}
	srv := httptest.NewUnstartedServer(server)
	server.URL = "http://" + srv.Listener.Addr().String()
	srv.Start()
	t.Cleanup(func() { srv.CloseClientConnections(); srv.Close() })
	s := newSiege(t, fmt.Sprintf("  - {name: eager, url: %q}\ndefault_agent: weather", srv.URL))
	mallory := s.stranger(t, "mallory")
	s.withstand(t, func(ctx context.Context) {
		begun := time.Now()
		if _, err := attempt(ctx, s.p.URL, mallory, "send_task", map[string]any{"agent": "eager", "message": "go", "wait": 0}); err != nil {
			t.Error(err)
		}
		<-ctx.Done()
		t.Logf("%d events a second", eager.sent.Load()*int64(time.Second)/int64(time.Since(begun)))
	})
}

// eagerAgent streams 300 events every 10 ms.
type eagerAgent struct {
	*a2aexec.Executor
	sent atomic.Int64
}

// Stream implements a2a.Agent.
func (e *eagerAgent) Stream(ctx context.Context, _ *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		working := a2a.Status{State: a2a.Working}
		more := yield(&a2a.Task{ID: "t", ContextID: "c", Status: working}, nil)
		for more && ctx.Err() == nil {
			for range 300 {
				text := a2a.TextPart(fmt.Sprint("line ", e.sent.Add(1)))
				working.Message = &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{text}}
				more = more && yield(&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: working}, nil)
			}
			<-tick.C
		}
	}
}
