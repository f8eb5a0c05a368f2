package web_test

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
)

// picky is an agent that takes no answer.
type picky struct{ scripted }

func (p picky) Stream(ctx context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	if r.Message.TaskID == "" {
		return p.scripted.Stream(ctx, r)
	}
	return func(yield func(a2a.Event, error) bool) {
		yield(nil, &a2a.Error{Code: a2a.InvalidParams, Message: "A zip code has <b>five</b> digits.", Remote: true})
	}
}

func TestWhyAnAgentTakesNoAnswerIsOnThePage(t *testing.T) {
	r := newTasksOf(t, func(a *a2atest.Agent) directory.Conn { return picky{scripted{a}} })
	task := r.send("ask Which zip code?")
	w := r.post(task, r.open(task, map[string]string{"field:answer": "12"}))
	if page := w.Body.String(); w.Code != http.StatusBadGateway || !strings.Contains(page, "A zip code has &lt;b&gt;five&lt;/b&gt; digits.") || !strings.Contains(page, "12</textarea>") {
		t.Errorf("got %d %s, want why, and the form as it was", w.Code, page)
	}
}

// unheard is an agent whose gateway gives up before the answer is worked off.
type unheard struct{ scripted }

func (u unheard) Stream(ctx context.Context, r *a2a.SendRequest) iter.Seq2[a2a.Event, error] {
	if r.Message.TaskID == "" {
		return u.scripted.Stream(ctx, r)
	}
	return func(yield func(a2a.Event, error) bool) {
		yield(nil, &a2a.Error{Code: a2a.Unavailable, Message: "HTTP 504", Remote: true, Unclear: true})
	}
}

func TestAnAnswerThatMayHaveBeenLostIsSaidToBeSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newTasksOf(t, func(a *a2atest.Agent) directory.Conn { return unheard{scripted{a}} })
		task := r.send("ask Which zip code?")
		if w := r.post(task, r.open(task, map[string]string{"field:answer": "12345"})); w.Code != http.StatusSeeOther {
			t.Fatalf("got %d %s", w.Code, w.Body)
		}
		time.Sleep(time.Minute)
		if page := r.browse("alice", "GET", documents.TaskPath+task.TaskID, "", "").Body.String(); !strings.Contains(page, "if the agent received the last answer.") {
			t.Errorf("got %s", page)
		}
	})
}
