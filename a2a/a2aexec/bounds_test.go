package a2aexec_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
)

func TestATurnThatTakesTooLongFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := executor(hang)
		e.TurnTimeout = 3 * time.Second
		task := send(t, e, say("go"))
		if got, want := task.Status.Message.Text(), "The work took longer than 3s and was stopped."; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

func TestATurnThatSaysTooMuchFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := executor(func(ctx context.Context, turn *a2aexec.Turn) error {
			for ctx.Err() == nil {
				turn.Working("more")
			}
			return context.Cause(ctx)
		})
		e.MaxEvents, e.MaxHistory = 50, 10
		task := send(t, e, say("go"))
		if task.Status.State != a2a.Failed || len(task.History) > 10 {
			t.Errorf("got %s with %d messages, want failed with at most 10", task.Status.State, len(task.History))
		}
		if task.History[0].Text() != "go" {
			t.Errorf("got %q first, want what the caller said to be kept", task.History[0].Text())
		}
	})
}

func TestASlowFollowerGetsTheTaskAndTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := executor(func(_ context.Context, turn *a2aexec.Turn) error {
			for i := range 100 {
				turn.Working(fmt.Sprint(i))
			}
			time.Sleep(time.Minute)
			turn.Complete("end")
			return nil
		})
		e.MaxBacklog = 3
		var got []string
		for ev, err := range e.Stream(t.Context(), say("go")) {
			got = append(got, word(ev, err))
			synctest.Wait() // until the function has said all it will for now
		}
		equal(t, got, []string{"task submitted", "task working", "completed: end"})
	})
}

func TestFollowersDoNotDisturbEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := executor(func(ctx context.Context, turn *a2aexec.Turn) error { time.Sleep(time.Second); return echo(ctx, turn) })
		req := say("hello")
		req.ReturnImmediately = true
		task := send(t, e, req)
		results := make(chan []string)
		for range 20 {
			go func() { results <- words(e.Subscribe(t.Context(), task.ID)) }()
		}
		for range 5 {
			go func() {
				for range e.Subscribe(t.Context(), task.ID) {
					break
				}
			}()
		}
		for range 20 {
			equal(t, <-results, []string{"task submitted", "working: thinking", "artifact a 'you said'", "artifact a + 'hello'", "completed: done"})
		}
	})
}

func TestOldTasksAreForgottenButNeverARunningOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := executor(func(ctx context.Context, turn *a2aexec.Turn) error {
			if turn.Message.Text() == "hang" {
				return hang(ctx, turn)
			}
			return guess(ctx, turn)
		})
		e.MaxTasks = 3
		hanging := say("hang")
		hanging.ReturnImmediately = true
		running, asked, ended := send(t, e, hanging), send(t, e, say("?")), send(t, e, say("seven"))
		known := func() (ids []string) {
			for name, task := range map[string]*a2a.Task{"running": running, "asked": asked, "ended": ended} {
				if _, err := e.Task(t.Context(), a2a.TaskQuery{ID: task.ID}); err == nil {
					ids = append(ids, name)
				}
			}
			slices.Sort(ids)
			return ids
		}
		send(t, e, hanging)
		equal(t, known(), []string{"asked", "running"})
		send(t, e, hanging)
		equal(t, known(), []string{"running"})
		_, err := e.Send(t.Context(), hanging)
		wantCode(t, err, a2a.Unavailable)
		equal(t, known(), []string{"running"})
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestAForgottenMessageMayBeSentAgain(t *testing.T) {
	e := executor(echo)
	e.MaxTasks = 1
	req := say("hello")
	req.Message.ID = "m1"
	first := send(t, e, req)
	send(t, e, say("other"))
	if again := send(t, e, req); again.ID == first.ID {
		t.Error("got the forgotten task")
	}
}

func TestCloseFailsWhatRunsAndRefusesMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := executor(hang)
		req := say("go")
		req.ReturnImmediately = true
		task := send(t, e, req)
		if err := e.Close(); err != nil {
			t.Error(err)
		}
		got, err := e.Task(t.Context(), a2a.TaskQuery{ID: task.ID})
		if err != nil || got.Status.State != a2a.Failed {
			t.Errorf("got %+v, %v, want a failed task", got, err)
		}
		_, err = e.Send(t.Context(), say("more"))
		wantCode(t, err, a2a.Unavailable)
		if err := e.Close(); err != nil {
			t.Errorf("a second Close: %v", err)
		}
	})
}

func TestHistoryLengthIsHonoured(t *testing.T) {
	e := executor(guess)
	asked := send(t, e, say("start"))
	none, one := 0, 1
	req := reply("seven", asked)
	req.HistoryLength = &one
	if got := send(t, e, req); len(got.History) != 1 || got.History[0].Text() != "seven" {
		t.Errorf("got history %+v, want the last message", got.History)
	}
	got, err := e.Task(t.Context(), a2a.TaskQuery{ID: asked.ID, HistoryLength: &none})
	if err != nil || len(got.History) != 0 {
		t.Errorf("got %+v, %v, want no history", got, err)
	}
	_, err = e.Task(t.Context(), a2a.TaskQuery{ID: "nope"})
	wantCode(t, err, a2a.TaskNotFound)
}

func TestTimestampsComeFromTheClock(t *testing.T) {
	e := executor(echo)
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	e.Now = func() time.Time { return at }
	if got := send(t, e, say("hello")).Status.Timestamp; !got.Equal(at) {
		t.Errorf("got %v, want %v", got, at)
	}
}
