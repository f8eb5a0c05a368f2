package e2e

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
)

// kitAgent runs the agent that the compatibility kit expects, as a process of
// its own, and returns its address.
func kitAgent(t *testing.T) string {
	t.Helper()
	kit := filepath.Join(t.TempDir(), "kitagent")
	build := exec.Command("go", "build", "-o", kit, "rialto/a2a/a2atest/kitagent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("building the kit agent: %v\n%s", err, out)
	}
	addr := freeAddress(t)
	p := &program{URL: "http://" + addr, cmd: exec.Command(kit, "--listen", addr, "--grpc", freeAddress(t)), log: &logBuffer{}, done: make(chan error, 1)}
	p.launch(t)
	return p.URL
}

// kitWays are the generations and bindings in which the kit's messages, which are
// told apart by their ids, can be said.
var kitWays = []a2a.Interface{
	{Version: a2a.V10, Binding: a2a.JSONRPC}, {Version: a2a.V10, Binding: a2a.HTTPJSON}, {Version: a2a.V10, Binding: a2a.GRPC},
	{Version: a2a.V03, Binding: a2a.JSONRPC}, {Version: a2a.V03, Binding: a2a.HTTPJSON}, {Version: a2a.V03, Binding: a2a.GRPC},
	{Version: a2a.V02, Binding: a2a.JSONRPC},
}

// kitClient returns a client of the agent at url in the way given.
func kitClient(t *testing.T, url, token string, way a2a.Interface) *a2aclient.Client {
	t.Helper()
	over := &a2agrpc.Transport{}
	t.Cleanup(func() { over.Close() })
	d := &a2aclient.Dialer{Protocol: way.Version, Binding: way.Binding, GRPC: over}
	if token != "" {
		d.Header = http.Header{"Authorization": {"Bearer " + token}}
	}
	c, err := d.Dial(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestTheKitAgentAlone sends the message ids of the public A2A compatibility kit
// to the agent that it expects.
func TestTheKitAgentAlone(t *testing.T) {
	t.Parallel()
	kit := kitAgent(t)
	var later sync.WaitGroup
	defer later.Wait()
	for _, way := range kitWays {
		tryKit(t, &later, string(way.Version)+" "+string(way.Binding), kitClient(t, kit, "", way))
	}
}

// TestTheKitAgentBehindTheBridge sends the same through the program, which
// reaches the agent over each binding: the results are the same as without a
// bridge.
func TestTheKitAgentBehindTheBridge(t *testing.T) {
	t.Parallel()
	kit, dir, addr := kitAgent(t), t.TempDir(), freeAddress(t)
	var config bytes.Buffer
	fmt.Fprintf(&config, "url: http://%s\ndatabase: %q\nsecret_file: %s\ngrpc: {listen: %q}\ndefault_agent: over-jsonrpc\nagents:\n",
		addr, filepath.Join(dir, "rialto.db"), filepath.Join(dir, "secret"), freeAddress(t))
	agents := map[string]a2a.Binding{"over-jsonrpc": a2a.JSONRPC, "over-rest": a2a.HTTPJSON, "over-grpc": a2a.GRPC}
	for name, binding := range agents {
		fmt.Fprintf(&config, "  - {name: %s, url: %q, binding: %s}\n", name, kit, binding)
	}
	path := filepath.Join(dir, "rialto.yaml")
	if err := os.WriteFile(path, config.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	tokens := map[a2a.Interface]string{} // of a user for each: what one may do in a second is bounded
	for i, way := range kitWays {
		name := fmt.Sprint("user", i)
		output(t, password+"\n", "user", "add", name, "--password-stdin", "--config", path)
		tokens[way] = output(t, "", "token", "--user", name, "--scope", "a2a:discover a2a:publish", "--config", path)
	}
	p := start(t, addr, "serve", "--config", path, "--listen", addr)
	var later sync.WaitGroup
	defer later.Wait()
	for name := range agents {
		for _, way := range kitWays {
			if way.Version == a2a.V03 && way.Binding == a2a.GRPC && name != "over-jsonrpc" {
				continue // which names no agent, so that it reaches the default one
			}
			tryKit(t, &later, name+" in "+string(way.Version)+" "+string(way.Binding), kitClient(t, p.URL+"/a2a/"+name, tokens[way], way))
		}
	}
}

// tryKit sends all that the kit sends. Coming back to a task takes its time, so
// that goes on beside, for all.
func tryKit(t *testing.T, later *sync.WaitGroup, name string, c a2a.Agent) {
	later.Go(func() {
		if err := comeBack(t.Context(), c); err != nil {
			t.Errorf("%s: coming back: %v", name, err)
		}
	})
	t.Run(name, func(t *testing.T) { tryKitMessages(t, c) })
}

// comeBack follows a task with a second call, to its end. It takes four seconds,
// by which a busy machine may not have made the call.
func comeBack(ctx context.Context, c a2a.Agent) error {
	req := kitMessage("test-resubscribe-message-id")
	req.ReturnImmediately = true
	e, err := c.Send(ctx, req)
	if err != nil {
		return err
	}
	begun, ok := e.(*a2a.Task)
	if !ok {
		return fmt.Errorf("got %T, want a task", e)
	}
	for e, err := range c.Subscribe(ctx, begun.ID) {
		if a2a.Is(err, a2a.UnsupportedOperation) || errors.Is(err, a2a.ErrStreamEnded) { // the task has ended meanwhile
			e, err = c.Task(ctx, a2a.TaskQuery{ID: begun.ID})
		}
		if err != nil {
			return err
		}
		if first, ok := e.(*a2a.Task); ok {
			begun = first.Clone()
		} else {
			begun.Apply(e)
		}
	}
	if begun.Status.State != a2a.Completed {
		return fmt.Errorf("got %+v, want the task's end", begun)
	}
	return nil
}

func tryKitMessages(t *testing.T, c a2a.Agent) {
	for id, want := range map[string]struct {
		state     a2a.State
		artifacts int
	}{
		"tck-complete-task":           {a2a.Completed, 0},
		"tck-artifact-text":           {a2a.Completed, 1},
		"tck-artifact-file":           {a2a.Completed, 1},
		"tck-artifact-file-url":       {a2a.Completed, 1},
		"tck-artifact-data":           {a2a.Completed, 1},
		"tck-input-required":          {a2a.InputRequired, 0},
		"tck-reject-task":             {a2a.Rejected, 0},
		"tck-stream-001":              {a2a.Completed, 1},
		"tck-stream-002":              {a2a.Completed, 1},
		"tck-stream-003":              {a2a.Completed, 1},
		"tck-stream-ordering-001":     {a2a.Completed, 3},
		"tck-stream-artifact-text":    {a2a.Completed, 1},
		"tck-stream-artifact-file":    {a2a.Completed, 1},
		"tck-stream-artifact-chunked": {a2a.Completed, 1},
	} {
		e, err := c.Send(t.Context(), kitMessage(id+"-sent"))
		if task, ok := e.(*a2a.Task); err != nil || !ok || task.Status.State != want.state || len(task.Artifacts) != want.artifacts {
			t.Errorf("%s: got %+v, %v, want %s with %d artifacts", id, e, err, want.state, want.artifacts)
		}
		if task := play(t, c, kitMessage(id+"-streamed")); task == nil || task.Status.State != want.state || len(task.Artifacts) != want.artifacts {
			t.Errorf("%s in a stream: got %+v, want %s with %d artifacts", id, task, want.state, want.artifacts)
		}
	}
	e, err := c.Send(t.Context(), kitMessage("tck-message-response"))
	if m, ok := e.(*a2a.Message); err != nil || !ok || m.Text() == "" {
		t.Errorf("got %+v, %v, want a message without a task", e, err)
	}
}

// kitMessage returns a message whose id begins as the kit has it. The rest is
// new each time: the same again would be the same message.
func kitMessage(id string) *a2a.SendRequest {
	return &a2a.SendRequest{Message: &a2a.Message{ID: id + "-" + uuid.NewString(), Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("hello")}}}
}

// play returns the task that a stream tells of.
func play(t *testing.T, c a2a.Agent, req *a2a.SendRequest) (task *a2a.Task) {
	for e, err := range c.Stream(t.Context(), req) {
		if err != nil {
			t.Errorf("%s: %v", req.Message.ID, err)
			return task
		}
		if first, ok := e.(*a2a.Task); ok && task == nil {
			task = first.Clone()
		} else if task != nil {
			task.Apply(e)
		}
	}
	return task
}
