package a2atest

import (
	"testing"

	"rialto/a2a"
)

// CheckPusher checks that what dial makes of a Webhooks keeps configs as
// a2a.Pusher promises. In first the way leads through A2A 0.1, which has one
// config for each task, without a name, and can neither list nor drop it.
func CheckPusher(t *testing.T, first bool, dial func(t *testing.T, agent *Webhooks) a2a.Agent) {
	agent := &Webhooks{Agent: NewAgent()}
	t.Cleanup(func() { agent.Close() })
	a := dial(t, agent)
	p, ok := a.(a2a.Pusher)
	if !ok {
		t.Fatalf("%T keeps no configs", a)
	}
	ctx := testContext(t)
	task := sendTask(t, a, Say("ask which?"))
	set := &a2a.PushConfig{TaskID: task.ID, ID: "mine", URL: "https://hooks.example/a?b=c", Token: "secret",
		Authentication: &a2a.PushAuthentication{Schemes: []string{"Bearer"}, Credentials: "x"}}
	kept, err := p.SetPush(ctx, set)
	wantPush(t, "set", kept, err, set, first)
	got, err := p.Push(ctx, task.ID, "mine")
	wantPush(t, "get", got, err, set, first)
	got, err = p.Push(ctx, task.ID, "")
	wantPush(t, "get the first", got, err, set, first)
	_, err = p.SetPush(ctx, &a2a.PushConfig{TaskID: "none", ID: "x", URL: "https://hooks.example/"})
	wantCode(t, err, a2a.TaskNotFound)
	if first {
		_, err = p.Pushes(ctx, task.ID)
		wantCode(t, err, a2a.UnsupportedOperation)
		wantCode(t, p.DropPush(ctx, task.ID, "mine"), a2a.UnsupportedOperation)
		return
	}
	other := &a2a.PushConfig{TaskID: task.ID, ID: "other", URL: "https://hooks.example/other"}
	kept, err = p.SetPush(ctx, other)
	wantPush(t, "set another", kept, err, other, false)
	if all, err := p.Pushes(ctx, task.ID); err != nil || len(all) != 2 || all[0].ID != "mine" || all[1].URL != other.URL {
		t.Errorf("list: got %s, %v", asJSON(t, all), err)
	}
	if err := p.DropPush(ctx, task.ID, "mine"); err != nil {
		t.Errorf("drop: %v", err)
	}
	if all, err := p.Pushes(ctx, task.ID); err != nil || len(all) != 1 || all[0].ID != "other" {
		t.Errorf("list: got %s, %v", asJSON(t, all), err)
	}
	_, err = p.Push(ctx, task.ID, "mine")
	wantCode(t, err, a2a.TaskNotFound)
}

func wantPush(t *testing.T, what string, got *a2a.PushConfig, err error, want *a2a.PushConfig, nameless bool) {
	t.Helper()
	if err != nil || got.TaskID != want.TaskID || got.ID != want.ID && !nameless || got.URL != want.URL || got.Token != want.Token ||
		asJSON(t, got.Authentication) != asJSON(t, want.Authentication) {
		t.Errorf("%s: got %s, %v, want %s", what, asJSON(t, got), err, asJSON(t, want))
	}
}
