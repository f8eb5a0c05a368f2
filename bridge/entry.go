package bridge

import (
	"errors"

	"rialto/a2a"
)

// merge applies an agent's event to e and reports whether it changed it. The
// first event creates the task: some agents start with a status or an artifact
// , as trpc-a2a-go 0.2 does, and an agent that answers with a message has completed
// a task that never had an id.
func merge(e *Entry, event a2a.Event) bool {
	switch event := event.(type) {
	case *a2a.Message:
		e.Task = &a2a.Task{
			ContextID: event.ContextID,
			Status:    a2a.Status{State: a2a.Completed, Message: event},
		}
		return true
	case *a2a.Task:
		if e.Task == nil {
			e.Task = event.Clone()
			return true
		}
	case *a2a.StatusUpdate:
		if e.Task == nil {
			e.Task = &a2a.Task{ID: event.TaskID, ContextID: event.ContextID}
		}
	case *a2a.ArtifactUpdate:
		if e.Task == nil {
			e.Task = &a2a.Task{ID: event.TaskID, ContextID: event.ContextID, Status: a2a.Status{State: a2a.Working}}
		}
	}
	return e.Task.Apply(event)
}

// progressLine returns what an event tells somebody who waits.
func progressLine(e a2a.Event) string {
	switch e := e.(type) {
	case *a2a.StatusUpdate:
		if e.Status.State == a2a.Working {
			return clip(clean(e.Status.Message.Text()), 500)
		}
	case *a2a.ArtifactUpdate:
		if name := clean(e.Artifact.Name); name != "" && !e.Append {
			return "Received " + clip(name, 200)
		}
	}
	return ""
}

// failure puts an error into words that outlive it. What is not in terms of
// the protocol tells of the inside of a network, and is for the log.
func failure(err error) *Failure {
	var e *a2a.Error
	if errors.As(err, &e) {
		return &Failure{Code: e.Code, Message: clean(e.Error()), Remote: e.Remote}
	}
	return &Failure{Code: a2a.Unavailable, Message: "The connection to the agent broke before it answered. Whether it received the message is not known."}
}

func (e *Entry) clone() *Entry {
	c := *e
	if e.Task != nil {
		c.Task = e.Task.Clone()
	}
	return &c
}
