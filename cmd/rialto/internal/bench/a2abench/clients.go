package a2abench

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"os"

	theirs "github.com/a2aproject/a2a-go/v2/a2a"
	theirclient "github.com/a2aproject/a2a-go/v2/a2aclient"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/cmd/rialto/internal/bench/harness"
)

// operation is what a client does.
type operation string

const (
	send   operation = "send"   // a message, and wait for the end of its task
	get    operation = "get"    // a task that has ended
	stream operation = "stream" // a message, and read four events
)

var operations = []operation{send, get, stream}

// binding is how it travels.
type binding = a2a.Binding

var bindings = []binding{a2a.JSONRPC, a2a.HTTPJSON, a2a.GRPC}

// client does the operations. Each says "hello" and checks that "hello" is what
// the task has to show for it, however it learns of it.
type client interface {
	send(ctx context.Context) (id string, err error)
	get(ctx context.Context, id string) error
	stream(ctx context.Context) error
}

// openers make clients of the server at a URL.
var openers = map[string]func(ctx context.Context, h *http.Client, b binding, url string) (client, error){
	"rialto": openRialto, "a2a-go": openTheirs, "by hand": openByHand,
}

// measureClient measures a client before the server that says the same to all.
func measureClient(name string, r *row, l harness.Load) (harness.Outcome, error) {
	if r.binding == a2a.GRPC {
		return measureGRPCClient(name, r, l)
	}
	web := httptest.NewServer(fixed(r.binding))
	defer web.Close()
	return measure(l, name, r, web.URL)
}

// measure lets the client of that name do the operation of r.
func measure(l harness.Load, name string, r *row, url string) (harness.Outcome, error) {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	transport := &http.Transport{MaxIdleConnsPerHost: l.Callers}
	defer transport.CloseIdleConnections()
	c, err := openers[name](ctx, &http.Client{Transport: transport}, r.binding, url)
	if err != nil {
		return harness.Outcome{}, err
	}
	id, err := c.send(ctx)
	if err != nil {
		return harness.Outcome{}, err
	}
	call := map[operation]func(context.Context) error{
		send:   func(ctx context.Context) error { _, err := c.send(ctx); return err },
		get:    func(ctx context.Context) error { return c.get(ctx, id) },
		stream: c.stream,
	}[r.operation]
	if err := harness.Warm(10*l.Callers, func() error { return call(ctx) }); err != nil {
		return harness.Outcome{}, err
	}
	return l.Run(os.Getpid(), func(int) error { return call(ctx) })
}

// wrong is the error for an answer without "hello".
func wrong(got any) error { return fmt.Errorf("got %+v", got) }

// rialto is our client.
type rialto struct{ *a2aclient.Client }

func openRialto(ctx context.Context, h *http.Client, b binding, url string) (client, error) {
	if b == a2a.GRPC {
		return openRialtoGRPC(ctx, h, url)
	}
	c, err := (&a2aclient.Dialer{HTTP: h}).Dial(ctx, url)
	return rialto{c}, err
}

func hello() *a2a.SendRequest {
	return &a2a.SendRequest{Message: &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hello")}}}
}

func (c rialto) send(ctx context.Context) (string, error) {
	e, err := c.Send(ctx, hello())
	if err != nil {
		return "", err
	}
	t, ok := e.(*a2a.Task)
	if !ok || len(t.Artifacts) != 1 || t.Artifacts[0].Text() != "hello" {
		return "", wrong(e)
	}
	return string(t.ID), nil
}

func (c rialto) get(ctx context.Context, id string) error {
	t, err := c.Task(ctx, a2a.TaskQuery{ID: a2a.TaskID(id)})
	if err == nil && (len(t.Artifacts) != 1 || t.Artifacts[0].Text() != "hello") {
		err = wrong(t)
	}
	return err
}

func (c rialto) stream(ctx context.Context) error {
	said, ended := "", false
	for e, err := range c.Stream(ctx, hello()) {
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case *a2a.ArtifactUpdate:
			said = e.Artifact.Text()
		case *a2a.StatusUpdate:
			ended = e.Status.State == a2a.Completed
		}
	}
	if said != "hello" || !ended {
		return wrong(said)
	}
	return nil
}

// their is a2a-go's client.
type their struct{ *theirclient.Client }

func openTheirs(ctx context.Context, h *http.Client, b binding, url string) (client, error) {
	if b == a2a.GRPC {
		return openTheirsGRPC(ctx, h, url)
	}
	c, err := theirclient.NewFromEndpoints(ctx, []*theirs.AgentInterface{theirs.NewAgentInterface(url, theirs.TransportProtocol(b))},
		theirclient.WithJSONRPCTransport(h), theirclient.WithRESTTransport(h))
	return their{c}, err
}

func theirHello() *theirs.SendMessageRequest {
	return &theirs.SendMessageRequest{Message: theirs.NewMessage(theirs.MessageRoleUser, theirs.NewTextPart("hello"))}
}

func (c their) send(ctx context.Context) (string, error) {
	r, err := c.SendMessage(ctx, theirHello())
	if err != nil {
		return "", err
	}
	t, ok := r.(*theirs.Task)
	if !ok || len(t.Artifacts) != 1 || t.Artifacts[0].Parts[0].Text() != "hello" {
		return "", wrong(r)
	}
	return string(t.ID), nil
}

func (c their) get(ctx context.Context, id string) error {
	t, err := c.GetTask(ctx, &theirs.GetTaskRequest{ID: theirs.TaskID(id)})
	if err == nil && (len(t.Artifacts) != 1 || t.Artifacts[0].Parts[0].Text() != "hello") {
		err = wrong(t)
	}
	return err
}

func (c their) stream(ctx context.Context) error {
	return theirEnd(c.SendStreamingMessage(ctx, theirHello()))
}

func theirEnd(events iter.Seq2[theirs.Event, error]) error {
	said, ended := "", false
	for e, err := range events {
		if err != nil {
			return err
		}
		switch e := e.(type) {
		case *theirs.TaskArtifactUpdateEvent:
			said = e.Artifact.Parts[0].Text()
		case *theirs.TaskStatusUpdateEvent:
			ended = e.Status.State == theirs.TaskStateCompleted
		}
	}
	if said != "hello" || !ended {
		return wrong(said)
	}
	return nil
}
