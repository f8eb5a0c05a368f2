package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/uuid"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
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
	p := &program{URL: "http://" + addr, cmd: exec.Command(kit, "--listen", addr), log: &logBuffer{}, done: make(chan error, 1)}
	p.launch(t)
	return p.URL
}

// TestTheKitAgentBehindTheBridge sends the message ids of the public A2A
// compatibility kit through the program to the agent that it expects: what
// becomes of them is what becomes of them without a bridge.
func TestTheKitAgentBehindTheBridge(t *testing.T) {
	kit, data, addr := kitAgent(t), t.TempDir(), freeAddress(t)
	start(t, addr, "demo", "--listen", addr, "--data", data, "--agent", "kit="+kit)
	token := output(t, "", "token", "--user", username, "--data", data, "--scope", "a2a:discover a2a:publish")
	header := http.Header{"Authorization": {"Bearer " + token}}
	for _, way := range []a2a.Interface{
		{Version: a2a.V10, Binding: a2a.JSONRPC}, {Version: a2a.V10, Binding: a2a.HTTPJSON},
		{Version: a2a.V03, Binding: a2a.JSONRPC}, {Version: a2a.V03, Binding: a2a.HTTPJSON}, {Version: a2a.V02, Binding: a2a.JSONRPC},
	} {
		t.Run(string(way.Version)+" "+string(way.Binding), func(t *testing.T) {
			t.Parallel()
			d := &a2aclient.Dialer{Protocol: way.Version, Binding: way.Binding, Header: header}
			c, err := d.Dial(t.Context(), "http://"+addr+"/a2a/kit")
			if err != nil {
				t.Fatal(err)
			}
			tryKit(t, c)
		})
	}
}

func tryKit(t *testing.T, c a2a.Agent) {
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
	later := kitMessage("test-resubscribe-message-id")
	later.ReturnImmediately = true
	if e, err = c.Send(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	var task *a2a.Task
	for e, err := range c.Subscribe(t.Context(), e.(*a2a.Task).ID) {
		if err != nil {
			t.Fatalf("coming back: %v", err)
		}
		if first, ok := e.(*a2a.Task); ok && task == nil {
			task = first.Clone()
		} else {
			task.Apply(e)
		}
	}
	if task == nil || task.Status.State != a2a.Completed {
		t.Errorf("coming back: got %+v, want the task's end", task)
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
