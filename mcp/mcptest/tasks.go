package mcptest

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"rialto/mcp"
)

// Tasks runs tasks and keeps all of them in memory. The zero value is ready.
type Tasks struct {
	mu   sync.Mutex
	jobs map[string]*Job
}

// Job is a running task.
type Job struct {
	tasks     *Tasks
	principal string
	stop      context.CancelFunc
	task      mcp.Task
	answers   map[string]mcp.Answer
	changed   chan struct{} // closed, and replaced, when the task changes
}

// Begin stores a task and runs work. An *mcp.Error of work makes the task fail; any other
// error becomes its result.
func (ts *Tasks) Begin(principal string, work func(context.Context, *Job) (*mcp.Result, error)) *mcp.Task {
	ctx, stop := context.WithCancel(context.Background())
	now := time.Now()
	j := &Job{
		tasks: ts, principal: principal, stop: stop,
		answers: map[string]mcp.Answer{}, changed: make(chan struct{}),
		task: mcp.Task{
			ID: rand.Text(), Status: mcp.Working, Created: now, Updated: now,
			TTL: time.Hour, Poll: 100 * time.Millisecond,
		},
	}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.jobs == nil {
		ts.jobs = map[string]*Job{}
	}
	ts.jobs[j.task.ID] = j
	begun := j.task
	go func() {
		defer stop()
		j.end(work(ctx, j))
	}()
	return &begun
}

// end ends the task, unless it has been cancelled meanwhile.
func (j *Job) end(result *mcp.Result, err error) {
	j.change(func(t *mcp.Task) {
		refusal := (*mcp.Error)(nil)
		switch {
		case t.Status.Final():
		case errors.As(err, &refusal):
			t.Status, t.Message, t.Err = mcp.Failed, refusal.Message, refusal
		case err != nil:
			t.Status, t.Result = mcp.Completed, mcp.ErrorResult(err.Error())
		default:
			t.Status, t.Result = mcp.Completed, result
		}
	})
}

func (j *Job) change(how func(*mcp.Task)) {
	j.tasks.mu.Lock()
	defer j.tasks.mu.Unlock()
	j.changeLocked(how)
}

func (j *Job) changeLocked(how func(*mcp.Task)) {
	how(&j.task)
	now := time.Now()
	if !now.After(j.task.Updated) {
		now = j.task.Updated.Add(1)
	}
	j.task.Updated = now
	close(j.changed)
	j.changed = make(chan struct{})
}

// Ask makes the task wait until all questions are answered.
func (j *Job) Ask(ctx context.Context, questions ...mcp.Question) ([]mcp.Answer, error) {
	j.change(func(t *mcp.Task) {
		t.Status, t.Questions, t.FallbackResult = mcp.InputRequired, questions, mcp.ErrorResult("This needs an answer, and you cannot be asked.")
	})
	for {
		j.tasks.mu.Lock()
		open, changed := len(j.task.Questions), j.changed
		j.tasks.mu.Unlock()
		if open == 0 {
			break
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	answers := make([]mcp.Answer, len(questions))
	for i, q := range questions {
		answers[i] = j.answers[q.Key()]
	}
	return answers, nil
}

// job returns the principal's job. The lock is held.
func (ts *Tasks) job(principal, id string) (*Job, error) {
	if j := ts.jobs[id]; j != nil && j.principal == principal {
		return j, nil
	}
	return nil, mcp.ErrNoTask
}

// Task implements mcp.Tasks.
func (ts *Tasks) Task(_ context.Context, principal, id string) (*mcp.Task, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	j, err := ts.job(principal, id)
	if err != nil {
		return nil, err
	}
	t := j.task
	return &t, nil
}

// Next implements mcp.Tasks.
func (ts *Tasks) Next(ctx context.Context, principal, id string, seen time.Time) (*mcp.Task, error) {
	for {
		ts.mu.Lock()
		j, err := ts.job(principal, id)
		if err != nil {
			ts.mu.Unlock()
			return nil, err
		}
		t, changed := j.task, j.changed
		ts.mu.Unlock()
		if !t.Updated.Equal(seen) {
			return &t, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// AnswerTask implements mcp.Tasks.
func (ts *Tasks) AnswerTask(_ context.Context, principal, id string, answers map[string]json.RawMessage) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	j, err := ts.job(principal, id)
	if err != nil || j.task.Status != mcp.InputRequired {
		return err
	}
	open := slices.DeleteFunc(slices.Clone(j.task.Questions), func(q mcp.Question) bool {
		answer, ok := q.Answer(answers[q.Key()])
		if ok {
			j.answers[q.Key()] = answer
		}
		return ok
	})
	if len(open) == len(j.task.Questions) {
		return nil
	}
	j.changeLocked(func(t *mcp.Task) {
		if t.Questions = open; len(open) == 0 {
			t.Status = mcp.Working
		}
	})
	return nil
}

// CancelTask implements mcp.Tasks.
func (ts *Tasks) CancelTask(_ context.Context, principal, id string) error {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	j, err := ts.job(principal, id)
	if err != nil || j.task.Status.Final() {
		return err
	}
	j.changeLocked(func(t *mcp.Task) { t.Status, t.Questions = mcp.Cancelled, nil })
	j.stop()
	return nil
}
