package a2ajs

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2agrpc"
	"rialto/a2a/a2apush"
	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/interop"
	"rialto/cmd/rialto/internal/e2e"
)

// theirs is an agent that p serves, with our client of it.
type theirs struct {
	*a2aclient.Client
	url   string
	drops bool // the webhook that comes with a message
}

// serve runs p's server as a process of its own.
func (p peer) serve(t *testing.T) theirs {
	t.Helper()
	node, err := e2e.Node("../node")
	e2e.Need(t, err)
	cmd := exec.Command(node, "peers/server.mjs", p.version, string(p.binding), string(p.generation))
	cmd.Dir, cmd.Stderr = "../node", os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait() // it was killed
	})
	var at struct{ URL string }
	lines := bufio.NewScanner(out)
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &at) != nil {
		t.Fatalf("the server did not say where it is: %s, %v", lines.Text(), lines.Err())
	}
	over := &a2agrpc.Transport{}
	t.Cleanup(func() { over.Close() })
	c, err := (&a2aclient.Dialer{Pause: 10 * time.Millisecond, IdleTimeout: time.Second, GRPC: over}).Dial(t.Context(), at.URL)
	if err != nil {
		t.Fatal(err)
	}
	return theirs{Client: c, url: at.URL}
}

func deadline(t *testing.T) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(stop)
	return ctx
}

// TestTheirServers lets our client use everything of each of
// their servers.
func TestTheirServers(t *testing.T) {
	for _, p := range peers() {
		t.Run(p.String(), func(t *testing.T) {
			s, row := p.serve(t), p.row("client", "server")
			if s.drops = p.version == "0.3.7" && p.binding == a2a.HTTPJSON; s.drops {
				table.Without(row, "Its server drops the webhook that comes with a message (express/rest_handler, normalizeMessageSendParams), and takes one that is set later; that of 0.3.14 takes both.", interop.Push)
			}
			for _, c := range []struct {
				feature interop.Feature
				try     func(*testing.T, theirs)
			}{
				{interop.Send, trySend}, {interop.Stream, tryStream}, {interop.MultiTurn, tryTurns}, {interop.Get, tryGet},
				{interop.Cancel, tryCancel}, {interop.Resubscribe, tryResubscribe}, {interop.Push, tryPush}, {interop.Error, tryErrors},
			} {
				if c.feature == interop.Push && p.version == "0.2.5" {
					table.Without(row, "Its server sends no notifications: it keeps no configs and has no sender.", interop.Push)
					continue
				}
				t.Run(string(c.feature), func(t *testing.T) {
					table.Tries(t, row, c.feature)
					c.try(t, s)
				})
			}
			if got := s.Interface(); got.Version != p.generation || got.Binding != p.binding {
				t.Errorf("ended up speaking %s over %s", got.Version, got.Binding)
			}
		})
	}
}

func send(t *testing.T, s theirs, req *a2a.SendRequest) *a2a.Task {
	t.Helper()
	e, err := s.Send(deadline(t), req)
	task, ok := e.(*a2a.Task)
	if err != nil || !ok {
		t.Fatalf("got %T, %v, want a task", e, err)
	}
	return task
}

func trySend(t *testing.T, s theirs) {
	if task := send(t, s, a2atest.Say("echo hello")); task.Status.State != a2a.Completed || task.Artifacts[0].Text() != "hello" {
		t.Errorf("got %+v", task)
	}
	e, err := s.Send(deadline(t), a2atest.Say("say hello"))
	if m, ok := e.(*a2a.Message); err != nil || !ok || m.Text() != "hello" {
		t.Errorf("got %+v, %v, want a message", e, err)
	}
}

func tryStream(t *testing.T, s theirs) {
	var task *a2a.Task
	var working bool
	for e, err := range s.Stream(deadline(t), a2atest.Say("echo hello")) {
		if err != nil {
			t.Fatal(err)
		}
		if task == nil {
			task = e.(*a2a.Task).Clone()
		} else {
			task.Apply(e)
		}
		working = working || task.Status.State == a2a.Working
	}
	if !working || task.Status.State != a2a.Completed || task.Artifacts[0].Text() != "hello" {
		t.Errorf("got %+v", task)
	}
}

func tryTurns(t *testing.T, s theirs) {
	asked, reply := send(t, s, a2atest.Say("ask which?")), a2atest.Say("echo this")
	if asked.Status.State != a2a.InputRequired || asked.Status.Message.Text() != "which?" {
		t.Fatalf("got %+v", asked)
	}
	reply.Message.TaskID, reply.Message.ContextID = asked.ID, asked.ContextID
	if task := send(t, s, reply); task.ID != asked.ID || task.Status.State != a2a.Completed || task.Artifacts[0].Text() != "this" {
		t.Errorf("got %+v", task)
	}
}

func tryGet(t *testing.T, s theirs) {
	task := send(t, s, a2atest.Say("echo hello"))
	if kept, err := s.Task(deadline(t), a2a.TaskQuery{ID: task.ID}); err != nil || kept.ID != task.ID || kept.Status.State != a2a.Completed || kept.Artifacts[0].Text() != "hello" {
		t.Errorf("got %+v, %v", kept, err)
	}
}

// begin starts a task that stays at work, on a stream that goes on without us.
func begin(t *testing.T, s theirs, text string) a2a.TaskID {
	t.Helper()
	begun := make(chan a2a.TaskID, 1)
	go func() {
		for e, err := range s.Stream(t.Context(), a2atest.Say(text)) {
			if u, ok := e.(*a2a.StatusUpdate); ok && err == nil && u.Status.State == a2a.Working {
				begun <- u.TaskID
			}
		}
	}()
	select {
	case id := <-begun:
		return id
	case <-deadline(t).Done():
		t.Fatal("the task does not begin")
		return ""
	}
}

func tryCancel(t *testing.T, s theirs) {
	id := begin(t, s, "hang")
	got, err := s.Cancel(deadline(t), id)
	for err == nil && got.Status.State == a2a.Working { // 0.2.5 answers before its agent has stopped
		got, err = s.Task(deadline(t), a2a.TaskQuery{ID: id})
	}
	if err != nil || got.Status.State != a2a.Canceled {
		t.Errorf("got %+v, %v", got, err)
	}
}

func tryResubscribe(t *testing.T, s theirs) {
	var last a2a.State
	id := begin(t, s, "wait over")
	for e, err := range s.Subscribe(deadline(t), id) {
		if errors.Is(err, a2a.ErrStreamEnded) { // the task has ended meanwhile
			e, err = s.Task(deadline(t), a2a.TaskQuery{ID: id})
		}
		if err != nil {
			t.Fatal(err)
		}
		switch e := e.(type) {
		case *a2a.Task:
			last = e.Status.State
		case *a2a.StatusUpdate:
			last = e.Status.State
		}
		resp, err := http.Post(s.url+"/release", "", nil)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	if last != a2a.Completed {
		t.Errorf("got %s last", last)
	}
}

// tryPush has a task's webhook come with its message, where the server honors
// that, and another set later, asked for, listed and dropped.
func tryPush(t *testing.T, s theirs) {
	woken := make(chan string, 16)
	in := &a2apush.Inbox{Key: []byte("key"), Followers: followers(woken), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	web := httptest.NewServer(in)
	t.Cleanup(web.Close)
	in.URL = web.URL
	if !s.drops {
		req := a2atest.Say("echo hello")
		req.Push = in.Config("agent", "with")
		send(t, s, req)
		wantPoke(t, woken, "with")
	}
	asked, reply, ctx := send(t, s, a2atest.Say("ask which?")), a2atest.Say("echo this"), deadline(t)
	config := in.Config("agent", "later")
	config.TaskID = asked.ID
	kept, err := s.SetPush(ctx, config)
	if err != nil || kept.ID != config.ID || kept.URL != config.URL || kept.Token != config.Token {
		t.Fatalf("set: got %+v, %v", kept, err)
	}
	if kept, err = s.Client.Push(ctx, asked.ID, config.ID); err != nil || kept.URL != config.URL {
		t.Errorf("get: got %+v, %v", kept, err)
	}
	if all, err := s.Pushes(ctx, asked.ID); err != nil || len(all) != 1 || all[0].URL != config.URL {
		t.Errorf("list: got %+v, %v", all, err)
	}
	reply.Message.TaskID, reply.Message.ContextID = asked.ID, asked.ContextID
	send(t, s, reply)
	wantPoke(t, woken, "later")
	if err := s.DropPush(ctx, asked.ID, config.ID); err != nil {
		t.Errorf("drop: %v", err)
	}
	if all, err := s.Pushes(ctx, asked.ID); err != nil || len(all) != 0 {
		t.Errorf("list after drop: got %+v, %v", all, err)
	}
}

// wantPoke waits for a notification of a task.
func wantPoke(t *testing.T, woken <-chan string, want string) {
	t.Helper()
	for end := deadline(t).Done(); ; {
		select {
		case got := <-woken:
			if got == want {
				return
			}
		case <-end:
			t.Fatalf("no notification of %q came that was believed", want)
		}
	}
}

func tryErrors(t *testing.T, s theirs) {
	ended := send(t, s, a2atest.Say("echo hello"))
	if _, err := s.Cancel(deadline(t), ended.ID); !a2a.Is(err, a2a.TaskNotCancelable) {
		t.Errorf("got %v, want that it cannot be canceled", err)
	}
	if _, err := s.Task(deadline(t), a2a.TaskQuery{ID: "there-is-none"}); !a2a.Is(err, a2a.TaskNotFound) {
		t.Errorf("got %v, want that it is not found", err)
	}
}

// followers gets the handles of the tasks that are to be polled.
type followers chan string

func (f followers) Wake(handle string) { f <- handle }
