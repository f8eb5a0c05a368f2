package peers

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	old "github.com/a2aproject/a2a-go/a2a"
	oldpush "github.com/a2aproject/a2a-go/a2asrv/push"
	theirs "github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2asrv/push"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2apush"
	"rialto/a2a/a2atest"
	"rialto/a2a/a2atest/interop"
	"rialto/a2a/a2atest/tour"
	"rialto/internal/safehttp"
)

// inbox serves webhooks of ours, and returns one with what is woken.
func inbox(t *testing.T) (*a2a.PushConfig, <-chan string) {
	woken := make(chan string, 16)
	in := &a2apush.Inbox{Key: []byte("key"), Followers: followers(woken), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	srv := httptest.NewServer(in)
	t.Cleanup(srv.Close)
	in.URL = srv.URL
	return in.Config("agent", "task"), woken
}

// senders returns the servers whose notifications are of the sender of each
// name. That of 2.4.0 writes 1.0, whatever the call that asked for them spoke.
func senders() map[string][]interop.Row {
	of := map[string][]interop.Row{"a2a-go 0.3.15": {oldServerRow, oldServerRowGRPC}}
	for _, w := range ways {
		of["a2a-go 2.4.0"] = append(of["a2a-go 2.4.0"], w.theirServer())
	}
	return of
}

// TestOurWebhookTakesWhatTheirSendersSend has the push senders of a2a-go tell a
// webhook of ours, with its token and with a wrong one.
func TestOurWebhookTakesWhatTheirSendersSend(t *testing.T) {
	now := push.NewHTTPPushSender(&push.HTTPSenderConfig{FailOnError: true, AllowPrivateNetworks: true})
	before := oldpush.NewHTTPPushSender(&oldpush.HTTPSenderConfig{FailOnError: true})
	for name, send := range map[string]func(url, token string) error{
		"a2a-go 2.4.0": func(url, token string) error {
			return now.SendPush(t.Context(), &theirs.PushConfig{URL: url, Token: token}, &theirs.Task{ID: "t", Status: theirs.TaskStatus{State: theirs.TaskStateCompleted}})
		},
		"a2a-go 0.3.15": func(url, token string) error {
			return before.SendPush(t.Context(), &old.PushConfig{URL: url, Token: token}, &old.Task{ID: "t", Status: old.TaskStatus{State: old.TaskStateCompleted}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, row := range senders()[name] {
				table.Tries(t, row, interop.Push)
			}
			c, woken := inbox(t)
			if err := send(c.URL, "wrong"); err == nil {
				t.Error("a wrong token is taken")
			}
			if err := send(c.URL, c.Token); err != nil {
				t.Fatal(err)
			}
			if handle := <-woken; handle != "task" {
				t.Errorf("woken %q", handle)
			}
		})
	}
}

// TestWeSetAndDropWebhooksOfTheirServers has a webhook set on a task of each of
// their servers, asked for, listed and dropped.
func TestWeSetAndDropWebhooksOfTheirServers(t *testing.T) {
	try := func(t *testing.T, c *a2aclient.Client) {
		config, woken := inbox(t)
		asked, answer, ctx := sendTask(t, c, a2atest.Say("ask which?")), a2atest.Say("echo this"), deadline(t)
		config.TaskID = asked.ID
		kept, err := c.SetPush(ctx, config)
		if err != nil || kept.ID != config.ID || kept.URL != config.URL || kept.Token != config.Token {
			t.Fatalf("set: got %+v, %v", kept, err)
		}
		if kept, err = c.Push(ctx, asked.ID, config.ID); err != nil || kept.URL != config.URL {
			t.Errorf("get: got %+v, %v", kept, err)
		}
		if all, err := c.Pushes(ctx, asked.ID); err != nil || len(all) != 1 || all[0].URL != config.URL {
			t.Errorf("list: got %+v, %v", all, err)
		}
		answer.Message.TaskID, answer.Message.ContextID = asked.ID, asked.ContextID
		sendTask(t, c, answer)
		select {
		case <-woken:
		case <-ctx.Done():
			t.Error("no notification came that was believed")
		}
		if err := c.DropPush(ctx, asked.ID, config.ID); err != nil {
			t.Errorf("drop: %v", err)
		}
		if all, err := c.Pushes(ctx, asked.ID); err != nil || len(all) != 0 {
			t.Errorf("list after drop: got %+v, %v", all, err)
		}
	}
	eachServer(t, try, interop.Push)
	for row, dial := range map[interop.Row]func(*testing.T) *a2aclient.Client{oldServerRow: oldServer, oldServerRowGRPC: oldGRPCServer} {
		t.Run(row.Theirs+" in "+row.Spoken, func(t *testing.T) {
			table.Tries(t, row, interop.Push)
			try(t, dial(t))
		})
	}
}

// TestTheyReadWhatWeSend decodes our notifications with the types of a2a-go.
func TestTheyReadWhatWeSend(t *testing.T) {
	for _, w := range ways {
		table.Tries(t, w.theirClient(), interop.Push)
	}
	table.Tries(t, oldClientRow, interop.Push)
	table.Tries(t, oldClientRowGRPC, interop.Push)
	told := make(chan []byte, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		told <- b
	}))
	t.Cleanup(srv.Close)
	sender := &a2apush.Sender{HTTP: &safehttp.Client{Loopback: true}, Now: time.Now}
	task := &a2a.Task{
		ID: "handle", ContextID: "c", Status: a2a.Status{State: a2a.Completed, Timestamp: time.Now()},
		Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{a2a.TextPart("result")}}},
	}
	for g, read := range map[a2a.Generation]func([]byte) (id, state string, artifacts int, err error){
		a2a.V10: func(b []byte) (string, string, int, error) {
			var r theirs.StreamResponse
			err := json.Unmarshal(b, &r)
			task, _ := r.Event.(*theirs.Task)
			if task == nil {
				return "", "", 0, err
			}
			return string(task.ID), string(task.Status.State), len(task.Artifacts), err
		},
		a2a.V03: func(b []byte) (string, string, int, error) {
			var task old.Task
			err := json.Unmarshal(b, &task)
			return string(task.ID), string(task.Status.State), len(task.Artifacts), err
		},
	} {
		if err := sender.Deliver(t.Context(), &a2a.PushConfig{URL: srv.URL, Generation: g}, task, "n"); err != nil {
			t.Fatal(err)
		}
		id, state, artifacts, err := read(<-told)
		want := map[a2a.Generation]string{a2a.V10: string(theirs.TaskStateCompleted), a2a.V03: string(old.TaskStateCompleted)}[g]
		if err != nil || id != "handle" || state != want || artifacts != 1 {
			t.Errorf("%s: got %q %q with %d artifacts, %v", g, id, state, artifacts, err)
		}
	}
}

// TestTheirClientsKeepWebhooks lets each of their clients set a webhook on our
// task, get it, list it and delete it.
func TestTheirClientsKeepWebhooks(t *testing.T) {
	try := func(t *testing.T, w way, dial func(url string) tour.Client) {
		agent := &a2atest.Webhooks{Agent: scripted(t)}
		card := agent.Card()
		card.Capabilities.PushNotifications = true
		c, ctx := dial(serveOver(t, agent, card, w)), deadline(t)
		asked, err := c.Send(ctx, tour.Message{Text: "ask which?"})
		if err != nil {
			t.Fatal(err)
		}
		if err := tour.Keep(ctx, c, asked.ID); err != nil {
			t.Error(err)
		}
	}
	for _, w := range ways {
		t.Run(w.String(), func(t *testing.T) {
			table.Tries(t, w.theirClient(), interop.Push)
			try(t, w, func(url string) tour.Client { return caller10{theirClient(t, url)} })
		})
	}
	for row, binding := range map[interop.Row]a2a.Binding{oldClientRow: a2a.JSONRPC, oldClientRowGRPC: a2a.GRPC} {
		t.Run(row.Theirs+" in "+row.Spoken, func(t *testing.T) {
			table.Tries(t, row, interop.Push)
			try(t, way{binding, a2a.V03}, func(url string) tour.Client { return caller03{oldClient(t, url)} })
		})
	}
}

// followers gets the handles of the tasks that are to be polled.
type followers chan string

func (f followers) Wake(handle string) { f <- handle }
