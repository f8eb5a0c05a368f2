package ledger

import (
	"reflect"
	"slices"
	"time"

	"rialto/a2a"
)

// Apply brings r up to date with an event of its agent, and keeps what the event
// replaces. answers is the message that the event is the first answer to; nil if
// there is none. Apply returns the event as it was applied, with what the agent left
// out, and reports whether it changed e and the revisions of e.
func (e *Record) Apply(
	event a2a.Event, answers *a2a.Message, now time.Time,
) (applied a2a.Event, changed, revised bool) {
	event = restoreOmitted(e.Task, restoreHistory(e.Task, answers, event))
	if answers == nil && e.shows(event) {
		return event, false, false
	}
	before := replaceable(e.Task, event)
	if !e.merge(event) {
		return event, false, false
	}
	return event, true, e.revise(before, now)
}

// shows reports whether event is the task at work, as it is known. A shorter history is no news:
// a2a-js shows one to a subscription and none to a poll.
func (e *Record) shows(event a2a.Event) bool {
	t, whole := event.(*a2a.Task)
	if !whole || e.Task == nil || t.Status.State.Idle() {
		return false
	}
	if len(t.History) > len(e.Task.History) {
		return false
	}
	was := *e.Task
	is := *t
	was.History = nil
	is.History = nil
	return reflect.DeepEqual(was, is)
}

// merge applies an event to the task. The first event creates the task. Some agents
// start with a status or an artifact (trpc-a2a-go 0.2 does). An agent that answers
// with a message completes a task that never had an id.
func (e *Record) merge(event a2a.Event) bool {
	switch event := event.(type) {
	case *a2a.Message:
		if e.Task == nil {
			e.Task = &a2a.Task{ContextID: event.ContextID}
		}
		return e.Task.Apply(&a2a.StatusUpdate{
			TaskID: e.Task.ID,
			Status: a2a.Status{State: a2a.Completed, Message: event},
		})
	case *a2a.Task:
		if e.Task == nil {
			e.Task = unshared(event)
			return true
		}
	case *a2a.StatusUpdate:
		if e.Task == nil {
			e.Task = &a2a.Task{ID: event.TaskID, ContextID: event.ContextID}
		}
	case *a2a.ArtifactUpdate:
		if e.Task == nil {
			e.Task = &a2a.Task{
				ID:        event.TaskID,
				ContextID: event.ContextID,
				Status:    a2a.Status{State: a2a.Working},
			}
		}
		if e.Task.Status.State.Interrupted() { // an agent that produces output works again
			e.Task.Apply(
				&a2a.StatusUpdate{TaskID: e.Task.ID, Status: a2a.Status{State: a2a.Working}},
			)
		}
	}
	changed := e.Task.Apply(event)
	if more := len(e.Task.History) - historyKept; changed && more > 0 {
		e.Task.History = latest(e.Task.History, more)
	}
	return changed
}

// restoreHistory adds the history that we know to a task from an agent that sends none. A2A 0.1
// sends a history only on request; many agents of later generations send none, or only their own
// messages. m is the message that the task is the first answer to; nil if there is none.
func restoreHistory(before *a2a.Task, m *a2a.Message, event a2a.Event) a2a.Event {
	t, ok := event.(*a2a.Task)
	known := before != nil || m != nil
	if !ok || !known || slices.ContainsFunc(t.History, ofUser) {
		return event
	}
	told := *t
	told.History = nil
	if before != nil {
		told.History = slices.Clone(before.History)
		if q := before.Status.Message; m != nil && q != nil && !hasMessage(told.History, q) {
			told.History = append(told.History, *q)
		}
	}
	if m != nil {
		told.History = append(told.History, *m)
	}
	if len(t.History) > 0 { // the agent's own messages replace the ones that we know
		last := len(told.History)
		for last > 0 && !ofUser(told.History[last-1]) {
			last--
		}
		told.History = told.History[:last]
	}
	there := map[string]bool{}
	for _, h := range told.History {
		there[h.ID] = true
	}
	for _, h := range t.History {
		if h.ID == "" || !there[h.ID] {
			told.History, there[h.ID] = append(told.History, h), true
		}
	}
	return &told
}

// restoreOmitted adds to a task what the agent sent before and leaves out now: the
// artifacts, if it sends none at all, the context id and the metadata. Some agents
// stream artifacts and do not store them, and A2A has no way to withdraw one.
func restoreOmitted(before *a2a.Task, event a2a.Event) a2a.Event {
	t, ok := event.(*a2a.Task)
	if !ok || before == nil || t.ID != before.ID {
		return event
	}
	told := *t
	if len(t.Artifacts) == 0 {
		told.Artifacts = before.Artifacts
	}
	if t.ContextID == "" {
		told.ContextID = before.ContextID
	}
	if t.Metadata == nil {
		told.Metadata = before.Metadata
	}
	return &told
}

// hasMessage reports whether all has a message with the ID of m.
func hasMessage(all []a2a.Message, m *a2a.Message) bool {
	return m.ID != "" &&
		slices.ContainsFunc(all, func(other a2a.Message) bool { return other.ID == m.ID })
}

// historyKept is the number of messages of a task that are kept: the request, and the latest.
const historyKept = 200

// latest removes the earliest messages except the request.
func latest(history []a2a.Message, more int) []a2a.Message {
	if i := slices.IndexFunc(history, ofUser); i >= 0 && i < more {
		return append([]a2a.Message{history[i]}, history[more+1:]...)
	}
	return slices.Clone(history[more:])
}

// SameText reports whether two messages may be the same: one is missing, or the texts are equal.
func SameText(was, is *a2a.Message) bool {
	return was == nil || is == nil || was.Text() == is.Text()
}
