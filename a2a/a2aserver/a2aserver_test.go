package a2aserver_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
)

func post(t *testing.T, ctx context.Context, url, body string) *http.Response {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

const streamHang = `{"jsonrpc":"2.0","id":1,"method":"SendStreamingMessage","params":{"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"hang"}]}}}`

func TestAQuietStreamIsKeptAlive(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	web := httptest.NewServer(&a2aserver.Server{Agent: agent, Card: agent.Card(), KeepAlive: time.Millisecond})
	defer web.Close()
	ctx, hangUp := context.WithTimeout(t.Context(), time.Minute)
	defer hangUp()
	comments := 0
	for lines := bufio.NewScanner(post(t, ctx, web.URL, streamHang).Body); comments < 3; {
		if !lines.Scan() {
			t.Fatal("the stream ended: ", lines.Err())
		}
		if lines.Text() == ": keep-alive" {
			comments++
		}
	}
}

func TestAClientThatHangsUpEndsItsCallAndNotTheTask(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	ended := make(chan struct{}, 1)
	s := &a2aserver.Server{Agent: agent, Card: agent.Card()}
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.ServeHTTP(w, r)
		ended <- struct{}{}
	}))
	defer web.Close()
	ctx, hangUp := context.WithCancel(t.Context())
	body := bufio.NewReader(post(t, ctx, web.URL, streamHang).Body)
	event, err := body.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	hangUp()
	<-ended
	_, rest, _ := strings.Cut(event, `"task":{"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	task, err := agent.Task(t.Context(), a2a.TaskQuery{ID: a2a.TaskID(id)})
	if err != nil || task.Status.State.Terminal() {
		t.Errorf("got %+v, %v, want the task at work", task, err)
	}
}

// broken is an agent that breaks what a2a.Agent promises.
type broken struct {
	a2a.Agent
	events []a2a.Event
	err    error
}

func (b broken) Stream(context.Context, *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	return func(yield func(a2a.Event, error) bool) {
		for _, e := range b.events {
			if !yield(e, nil) {
				return
			}
		}
		if b.err != nil {
			yield(nil, b.err)
		}
	}
}

func streamOf(t *testing.T, agent a2a.Agent, log io.Writer) string {
	t.Helper()
	card := &a2a.Card{Capabilities: a2a.Capabilities{Streaming: true}}
	s := &a2aserver.Server{Agent: agent, Card: card, Log: slog.New(slog.NewTextHandler(log, nil))}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/", strings.NewReader(streamHang)))
	return rec.Body.String()
}

func TestAStreamEndsWhenTheTaskSettlesWhateverTheAgentDoes(t *testing.T) {
	task := &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}}
	got := streamOf(t, broken{events: []a2a.Event{task, task, task}}, io.Discard)
	if n := strings.Count(got, "data:"); n != 1 {
		t.Errorf("got %d events: %s", n, got)
	}
}

func TestWhatAnAgentDidNotMeanToSayIsLoggedAndNotShown(t *testing.T) {
	var log strings.Builder
	for name, agent := range map[string]broken{
		"an error":                        {err: errors.New("password is hunter2")},
		"an event that cannot be written": {events: []a2a.Event{&a2a.Message{Metadata: a2a.Metadata{"hunter2": make(chan int)}}}},
	} {
		log.Reset()
		got := streamOf(t, agent, &log)
		if strings.Contains(got, "hunter2") || !strings.Contains(got, "-32603") || strings.Count(log.String(), "level=ERROR") != 1 {
			t.Errorf("%s: got %s, logged %s", name, got, log.String())
		}
	}
}

func TestACardWithInterfacesOfItsOwnIsServedAsItIs(t *testing.T) {
	card := &a2a.Card{Name: "x", Interfaces: []a2a.Interface{{URL: "https://x.example/only", Binding: a2a.JSONRPC, Version: a2a.V10}}}
	s := &a2aserver.Server{Agent: broken{}, Card: card, URL: "https://x.example/other"}
	rec := httptest.NewRecorder()
	s.ServeHTTP(rec, httptest.NewRequest(http.MethodGet, "/agents/x/.well-known/agent-card.json", nil))
	if got := rec.Body.String(); !strings.Contains(got, "/only") || strings.Contains(got, "/other") || strings.Contains(got, "preferredTransport") {
		t.Errorf("got %s", got)
	}
}

func FuzzCall(f *testing.F) {
	f.Add("1.0", streamHang)
	f.Add("", `{"jsonrpc":"2.0","id":"x","method":"message/send","params":{"message":{"messageId":"m","parts":[{"kind":"text","text":"say x"}]}}}`)
	f.Add("0.3", `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x"}}`)
	f.Fuzz(func(t *testing.T, version, body string) {
		agent := a2atest.NewAgent()
		defer agent.Close()
		s := &a2aserver.Server{Agent: agent, Card: agent.Card(), MaxBody: 1 << 16}
		ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer stop()
		req := httptest.NewRequestWithContext(ctx, http.MethodPost, "/", strings.NewReader(body))
		req.Header["A2a-Version"] = []string{version}
		rec := httptest.NewRecorder()
		s.ServeHTTP(rec, req)
		if ctx.Err() == nil && !strings.Contains(rec.Body.String(), `"jsonrpc":"2.0"`) {
			t.Fatalf("%q was answered %d %q", body, rec.Code, rec.Body)
		}
	})
}
