package a2abench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"

	theirs "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/a2a/a2aserver"
	"rialto/cmd/rialto/internal/bench/harness"
)

// measureServer measures a server by the client that is written by hand.
func measureServer(name string, r *row, l harness.Load) (harness.Outcome, error) {
	if r.binding == a2a.GRPC {
		return measureGRPCServer(name, r, l)
	}
	handler, stop := map[string]func(binding) (http.Handler, func() error){"rialto": ourServer, "a2a-go": theirServer}[name](r.binding)
	defer stop()
	web := httptest.NewServer(handler)
	defer web.Close()
	return measure(l, "by hand", r, web.URL)
}

// ourServer runs an agent that works, returns the message, and completes.
func ourServer(binding) (http.Handler, func() error) {
	exec := &a2aexec.Executor{
		MaxTasks: 1 << 20, // as many as the other, which forgets none
		Log:      slog.New(slog.DiscardHandler),
		Run: func(_ context.Context, t *a2aexec.Turn) error {
			t.Working("working")
			t.Artifact(a2a.Artifact{ID: "echo", Parts: t.Message.Parts})
			t.Complete("")
			return nil
		},
	}
	card := &a2a.Card{Name: "bench", Capabilities: a2a.Capabilities{Streaming: true}}
	return &a2aserver.Server{Agent: exec, Card: card, URL: "http://127.0.0.1/"}, exec.Close
}

// theirServer is the same agent in the manner of a2a-go.
func theirServer(b binding) (http.Handler, func() error) {
	handler := theirHandler()
	none := func() error { return nil }
	if b == a2a.HTTPJSON {
		return a2asrv.NewRESTHandler(handler), none
	}
	return a2asrv.NewJSONRPCHandler(handler), none
}

func theirHandler() a2asrv.RequestHandler {
	return a2asrv.NewHandler(executor{}, a2asrv.WithLogger(slog.New(slog.DiscardHandler)))
}

type executor struct{}

func (executor) Execute(_ context.Context, x *a2asrv.ExecutorContext) iter.Seq2[theirs.Event, error] {
	return func(yield func(theirs.Event, error) bool) {
		working := theirs.NewMessageForTask(theirs.MessageRoleAgent, x, theirs.NewTextPart("working"))
		_ = yield(theirs.NewSubmittedTask(x, x.Message), nil) &&
			yield(theirs.NewStatusUpdateEvent(x, theirs.TaskStateWorking, working), nil) &&
			yield(theirs.NewArtifactEvent(x, x.Message.Parts...), nil) &&
			yield(theirs.NewStatusUpdateEvent(x, theirs.TaskStateCompleted, nil), nil)
	}
}

func (executor) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[theirs.Event, error] {
	return func(func(theirs.Event, error) bool) {}
}

// The answers of fixed, in the JSON of A2A 1.0.
const (
	fixedTask = `{"id":"7d9e1c1e-8f0a-4c63-9d35-2b1f0f6a7c11","contextId":"0c3a4a52-93f6-4f0e-8ab1-6c6d0a3f8f02",` +
		`"status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-02T03:04:05.678Z"},` +
		`"artifacts":[{"artifactId":"echo","name":"echo.txt","parts":[{"text":"hello","mediaType":"text/plain"}]}],` +
		`"history":[{"messageId":"m-1","contextId":"0c3a4a52-93f6-4f0e-8ab1-6c6d0a3f8f02","taskId":"7d9e1c1e-8f0a-4c63-9d35-2b1f0f6a7c11",` +
		`"role":"ROLE_USER","parts":[{"text":"hello"}]}]}`
	fixedIDs = `"taskId":"7d9e1c1e-8f0a-4c63-9d35-2b1f0f6a7c11","contextId":"0c3a4a52-93f6-4f0e-8ab1-6c6d0a3f8f02"`
)

var fixedEvents = []string{
	`{"task":{"id":"7d9e1c1e-8f0a-4c63-9d35-2b1f0f6a7c11","contextId":"0c3a4a52-93f6-4f0e-8ab1-6c6d0a3f8f02",` +
		`"status":{"state":"TASK_STATE_SUBMITTED","timestamp":"2026-01-02T03:04:05.678Z"}}}`,
	`{"statusUpdate":{` + fixedIDs + `,"status":{"state":"TASK_STATE_WORKING","timestamp":"2026-01-02T03:04:05.678Z",` +
		`"message":{"messageId":"m-2","role":"ROLE_AGENT","parts":[{"text":"working"}]}}}}`,
	`{"artifactUpdate":{` + fixedIDs + `,"artifact":{"artifactId":"echo","name":"echo.txt","parts":[{"text":"hello"}]},"lastChunk":true}}`,
	`{"statusUpdate":{` + fixedIDs + `,"status":{"state":"TASK_STATE_COMPLETED","timestamp":"2026-01-02T03:04:05.678Z"}}}`,
}

// fixed is a server that has only these answers. Over JSON-RPC it reads of a
// call what it is and how to answer it.
func fixed(b binding) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/.well-known/") {
			fmt.Fprintf(w, `{"name":"bench","description":"","version":"1","capabilities":{"streaming":true},"defaultInputModes":[],`+
				`"defaultOutputModes":[],"skills":[],"supportedInterfaces":[{"url":"http://%s","protocolBinding":%q,"protocolVersion":"1.0"}]}`, r.Host, b)
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // the client has gone
		}
		open, end, what := "", "", r.URL.Path
		if b == a2a.JSONRPC {
			var call struct {
				ID     json.RawMessage
				Method string
			}
			if err := json.Unmarshal(body, &call); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
			open, end, what = `{"jsonrpc":"2.0","id":`+string(call.ID)+`,"result":`, "}", call.Method
		}
		say(w, open, end, what)
	})
}

func say(w http.ResponseWriter, open, end, what string) {
	w.Header().Set("Content-Type", "application/json")
	switch what {
	case "SendMessage", "/message:send":
		io.WriteString(w, open+`{"task":`+fixedTask+`}`+end)
	case "SendStreamingMessage", "/message:stream":
		w.Header().Set("Content-Type", "text/event-stream")
		for _, e := range fixedEvents {
			io.WriteString(w, "data: "+open+e+end+"\n\n")
			w.(http.Flusher).Flush()
		}
	default:
		io.WriteString(w, open+fixedTask+end)
	}
}
