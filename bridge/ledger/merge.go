package ledger

import (
	"reflect"
	"slices"
	"time"

	"rialto/a2a"
)

// Apply applies an event of the agent to e and keeps what the event replaces. answers is the
// message that the event is the first answer to; nil if there is none. Apply returns the event
// with what the agent left out, and reports whether it changed e and the revisions of e.
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

// shows reports whether event repeats the working task that e has already. A shorter history is
// no change: a2a-js sends a history to subscriptions and none to polls.
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

// restoreHistory adds to the history of a task what its agent leaves out of it: the record of a
// conversation is ours. A2A 0.1 sends a history only on request; many agents of later generations send
// none, only their own messages, or only the latest. m is the message that the task is the first
// answer to; nil if there is none.
func restoreHistory(before *a2a.Task, m *a2a.Message, event a2a.Event) a2a.Event {
	t, ok := event.(*a2a.Task)
	known := before != nil || m != nil
	if !ok || !known {
		return event
	}

	var said []a2a.Message
	if before != nil {
		said = slices.Clone(before.History)
		q := before.Status.Message
		if q != nil && leavesPause(before, m, t) && !hasMessage(said, q.ID) {
			said = append(said, *q)
		}
	}
	if m != nil {
		said = append(said, *m)
	}

	told := *t
	told.History = mergeHistory(said, t.History)
	return &told
}

// leavesPause reports whether before waits for a question, and t or the answer m has left it.
func leavesPause(before *a2a.Task, m *a2a.Message, t *a2a.Task) bool {
	if !before.Status.State.Interrupted() {
		return false
	}
	return m != nil || t.Status.State != before.Status.State ||
		!SameText(before.Status.Message, t.Status.Message)
}

// mergeHistory returns the messages of both lists, each once and in its order. Where both have a
// message, the agent's version of its own counts, and ours of the user's. Messages that only the
// agent has stand before the next message that both have, or at the end.
func mergeHistory(ours, agents []a2a.Message) []a2a.Message {
	at := samePlaces(ours, agents)
	all := make([]a2a.Message, 0, len(ours)+len(agents))
	taken := 0 // of ours
	var news []a2a.Message
	for i, h := range agents {
		switch n := at[i]; {
		case n < 0:
			news = append(news, h)
		case n >= taken:
			all = append(all, ours[taken:n]...)
			all = append(all, news...)
			news = nil
			if ofUser(h) {
				h = ours[n]
			}
			all = append(all, h)
			taken = n + 1
		}
	}

	all = append(all, ours[taken:]...)
	return append(all, news...)
}

// samePlaces returns the index in ours of each of the agent's messages, -1 for none. Messages are
// the same if their ids are. If an agent sends no ids, or new ones each time, the texts decide.
func samePlaces(ours, agents []a2a.Message) []int {
	byID := map[string]int{}
	for i, m := range slices.Backward(ours) {
		byID[m.ID] = i
	}

	delete(byID, "")

	at := make([]int, len(agents))
	found := make([]bool, len(ours))
	for i, m := range agents {
		at[i] = -1
		if n, known := byID[m.ID]; known {
			at[i] = n
			found[n] = true
		}
	}

	if slices.Contains(at, -1) {
		matchTexts(ours, agents, at, found)
	}

	return at
}

// matchTexts completes at: it pairs each of the agent's messages that has no place yet with the
// first of ours that is not found yet and says the same.
func matchTexts(ours, agents []a2a.Message, at []int, found []bool) {
	texts := make([]string, len(ours))
	for i := range ours {
		texts[i] = ours[i].Text()
	}

	for i, m := range agents {
		if at[i] >= 0 {
			continue
		}
		text := m.Text()
		for n, our := range ours {
			same := !found[n] && our.Role == m.Role && texts[n] == text
			if same && (text != "" || reflect.DeepEqual(our.Parts, m.Parts)) {
				at[i] = n
				found[n] = true
				break
			}
		}
	}
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

// hasMessage reports whether one of the messages has an id; none has "".
func hasMessage(all []a2a.Message, id string) bool {
	return id != "" && slices.ContainsFunc(all, func(m a2a.Message) bool { return m.ID == id })
}

// historyKept is the number of messages of a task that are kept: the user's, and the latest.
const historyKept = 200

// latest removes the earliest messages: of the agent, then of the user, but not the request.
func latest(history []a2a.Message, more int) []a2a.Message {
	kept := make([]a2a.Message, 0, len(history))
	for _, m := range history {
		if more > 0 && !ofUser(m) {
			more--
			continue
		}
		kept = append(kept, m)
	}
	return slices.Delete(kept, 1, 1+more)
}

// SameText reports whether two messages may be the same: one is missing, or the texts are equal.
func SameText(was, is *a2a.Message) bool {
	return was == nil || is == nil || was.Text() == is.Text()
}
