// Package call is an MCP client for a person at a terminal: it logs in, calls a tool of any MCP
// server, shows progress, asks what the server asks, and prints the result. The protocol is
// spoken by the SDK, in both eras. The command line is in cmd/rialto/internal/cli.
package call

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"rialto/bridge/sanitize"
	"rialto/cmd/rialto/internal/login"
	"rialto/cmd/rialto/internal/term"
	"rialto/internal/neterr"
)

// Client is the client of one server. All fields are required.
type Client struct {
	URL     string
	Version string
	Login   *login.Login
	Dialog  *term.Dialog // asks what the server asks
	Err     io.Writer    // shows progress
}

// ErrUnreachable is returned if the server does not answer.
var ErrUnreachable = errors.New("couldn't reach the server")

// Session is a connection to the server. Close it.
type Session struct {
	*mcp.ClientSession
	c        *Client
	asking   chan struct{} // holds a token while a person answers a question: one at a time
	progress *term.Progress
	question atomic.Pointer[context.CancelFunc] // ends the question that a person answers now

	// Task is the task of the latest call, if the server says that one is running.
	Task string
}

// maxTools bounds the list of tools.
const maxTools = 5000

// Connect connects, in the revision of 2026-07-28 or else with a handshake.
func (c *Client) Connect(ctx context.Context) (*Session, error) {
	s := &Session{c: c, asking: make(chan struct{}, 1), progress: &term.Progress{}}
	client := mcp.NewClient(
		&mcp.Implementation{Name: "rialto", Title: "Rialto command line", Version: c.Version},
		&mcp.ClientOptions{
			Capabilities: &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{
				Form: &mcp.FormElicitationCapabilities{}, URL: &mcp.URLElicitationCapabilities{},
			}},
			ElicitationHandler: s.elicit,
			ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
				s.progress.Say(progressText(r.Params))
			},
			Logger: slog.New(slog.DiscardHandler),
		},
	)
	c.Login.Base = &bounded{}
	var err error
	s.ClientSession, err = client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint:             c.URL,
		DisableStandaloneSSE: true,
		HTTPClient:           c.Login.Client(),
	}, nil)
	if err != nil {
		return nil, c.explain(err)
	}
	return s, nil
}

// The bounds of what a server answers, in bytes: one response, and all of a session.
const (
	maxAnswer  = 32 << 20
	maxAnswers = 128 << 20
)

// bounded is a transport whose responses fail once they exceed the bounds.
type bounded struct{ read atomic.Int64 }

// RoundTrip implements http.RoundTripper.
func (b *bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		resp.Body = &boundedBody{ReadCloser: resp.Body, all: &b.read}
	}
	return resp, err
}

type boundedBody struct {
	io.ReadCloser
	all  *atomic.Int64
	read int64
}

// Read implements io.Reader.
func (b *boundedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.read += int64(n)
	if b.read > maxAnswer || b.all.Add(int64(n)) > maxAnswers {
		return 0, fmt.Errorf(
			"the server answers too much: more than %d MiB at once, or %d in all",
			maxAnswer>>20, maxAnswers>>20,
		)
	}
	return n, err
}

// explain says what an error of a connection means.
func (c *Client) explain(err error) error {
	var refused *url.Error
	if !errors.Is(err, context.Canceled) && !errors.Is(err, login.ErrRequired) && errors.As(err, &refused) {
		return fmt.Errorf("%w at %s: %w", ErrUnreachable, c.URL, neterr.Explain(refused.Err))
	}
	return fmt.Errorf("%s: %w", c.URL, err)
}

func progressText(p *mcp.ProgressNotificationParams) string {
	text := sanitize.Label(p.Message)
	if p.Total > 0 {
		text = fmt.Sprintf("%.0f%% %s", 100*p.Progress/p.Total, text)
	}
	return text
}

// List returns the tools of the server.
func (s *Session) List(ctx context.Context) (tools []*mcp.Tool, err error) {
	for tool, err := range s.Tools(ctx, nil) {
		if err != nil {
			return nil, err
		}
		tools = append(tools, tool)
		if len(tools) == maxTools {
			break
		}
	}
	return tools, nil
}

// Waits of a tool that can wait for a task: the first is short, so that the ID of the task is
// known when the user interrupts the command.
const (
	firstWait = 3
	nextWait  = 60
)

// Call calls a tool. If the result is a task that is still running, it waits for the end of the
// task, unless the arguments say how long to wait. If ctx ends while a question is open, Call
// declines to answer and returns the result, which names the task that waits.
func (s *Session) Call(
	ctx context.Context, tool *mcp.Tool, args map[string]any,
) (*mcp.CallToolResult, error) {
	name := tool.Name
	given := args["wait"] != nil
	if properties := schemaOf(
		tool.InputSchema,
	).Properties; properties["wait"] != nil && properties["wait"].Type == "number" &&
		!given {
		args["wait"] = firstWait
	}

	s.progress = term.Start(s.c.Err, "Calling "+name)
	defer func() { s.progress.Stop() }()
	calling, cancel := s.outliveQuestion(ctx)
	defer cancel()
	for {
		begun := time.Now()
		r, err := s.once(calling, name, args)
		if err != nil {
			return nil, err
		}
		task, state := taskOf(r)
		s.Task = ""
		if state != "submitted" && state != "working" {
			return r, nil
		}
		s.Task = task
		if given || ctx.Err() != nil {
			return r, nil
		}
		if err := pause(ctx, begun); err != nil {
			return nil, err
		}
		name = "get_task"
		args = map[string]any{"task_id": task, "wait": nextWait}
	}
}

// returnTime is how long the server has for a result after a question came back without an answer.
const returnTime = 5 * time.Second

// outliveQuestion returns a context that ends with ctx. If a question is open then, it ends the
// question first, and the context returnTime later.
func (s *Session) outliveQuestion(ctx context.Context) (context.Context, context.CancelFunc) {
	calling, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if end := s.question.Load(); end != nil {
			(*end)()
			select {
			case <-time.After(returnTime):
			case <-calling.Done():
			}
		}
		cancel()
	})
	return calling, func() {
		stop()
		cancel()
	}
}

// pause waits until a second has passed since a time: a server may answer at once that a task runs.
func pause(ctx context.Context, since time.Time) error {
	select {
	case <-time.After(time.Until(since.Add(time.Second))):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *Session) once(
	ctx context.Context, name string, args map[string]any,
) (*mcp.CallToolResult, error) {
	p := &mcp.CallToolParams{Name: name, Arguments: args}
	p.SetProgressToken(fmt.Sprint("rialto-", time.Now().UnixNano()))
	return s.CallTool(ctx, p)
}

func taskOf(r *mcp.CallToolResult) (id, state string) {
	about, _ := r.StructuredContent.(map[string]any)
	id, _ = about["task_id"].(string)
	state, _ = about["state"].(string)
	return id, state
}

// TaskOf returns the ID of the task that a result is about, or "".
func TaskOf(r *mcp.CallToolResult) string {
	id, _ := taskOf(r)
	return id
}

// AnswerURL returns the page where the user can answer the question of a task, or "".
func AnswerURL(r *mcp.CallToolResult) string {
	about, _ := r.StructuredContent.(map[string]any)
	return sanitize.WebPage(cell(about["answer_url"], 1000))
}

// Waits tells whether a result is a task that waits for the user.
func Waits(r *mcp.CallToolResult) bool {
	_, state := taskOf(r)
	return state == "input-required" || state == "auth-required"
}
