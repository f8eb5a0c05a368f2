package documents

import (
	"slices"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
)

const maxMessages = 60 // the latest, and the request

// Event is an entry of the timeline of a task: a message, a state or an artifact.
type Event struct {
	At       time.Time      // zero if it is not known
	State    a2a.State      // that the task came into; "" for another event
	For      time.Duration  // how long it stayed in State; 0 for the present one
	Message  []view.Piece   // what was said; nil for another event
	Agent    bool           // said it
	Replaced *view.Revision // artifact that was replaced at that moment; nil for another event
	Made     string         // name of an artifact that the task has now
}

// timeline returns what happened to a task, and how many of its messages are left out. Messages
// have no time of their own. An answer of the user ends a pause, so it is the first event after it.
func timeline(e *ledger.Record) (all []Event, left int) {
	states := statesOf(e)
	messages := view.Messages(e)
	if more := len(messages) - maxMessages; more > 0 { // the request stays
		left = more
		messages = slices.Delete(slices.Clone(messages), 1, 1+more)
	}

	say := func(at time.Time, agent bool) {
		for len(messages) > 0 && (messages[0].Role == a2a.RoleAgent) == agent {
			all = append(
				all, Event{At: at, Agent: agent, Message: view.Message(e.Task, messages[0])},
			)
			messages = messages[1:]
		}
	}
	at := e.Created
	for len(states)+len(messages) > 0 {
		n := slices.IndexFunc(states, func(s Event) bool { return s.State.Interrupted() }) + 1
		if n == 0 {
			n = len(states)
		}
		last := max(n-1, 0)
		if n > 0 && states[n-1].State == a2a.Working { // the messages are steps of it
			last = n
		}
		say(at, false)
		all = append(all, states[:last]...)
		say(time.Time{}, true)
		all = append(all, states[last:n]...)
		states = states[n:]
		at = time.Time{}
		if len(states) > 0 {
			at = states[0].At
		}
	}

	return withArtifacts(all, e), left
}

// statesOf returns the states of a task as events, the last of which is the present one.
func statesOf(e *ledger.Record) (all []Event) {
	if e.Revisions != nil {
		for _, s := range e.Revisions.States {
			all = append(all, Event{At: time.UnixMilli(s.Since), State: s.State})
		}
	}
	if n := len(all); n == 0 || all[n-1].State != e.State() {
		all = append(all, Event{At: time.UnixMilli(e.Updated.UnixMilli()), State: e.State()})
	}

	for i := range all[1:] {
		all[i].For = all[i+1].At.Sub(all[i].At)
	}

	return all
}

// withArtifacts adds the artifacts of a task: replaced ones at their time, others before the last state.
func withArtifacts(all []Event, e *ledger.Record) []Event {
	for _, v := range slices.Backward(view.Replaced(e)) {
		at := slices.IndexFunc(all, func(other Event) bool { return other.At.After(v.Until) })
		if at < 0 {
			at = max(0, len(all)-1)
		}
		all = slices.Insert(all, at, Event{At: v.Until, Replaced: &v})
	}

	if e.Task == nil || len(all) == 0 {
		return all
	}

	for _, a := range e.Task.Artifacts[:min(len(e.Task.Artifacts), maxMessages)] {
		all = slices.Insert(all, len(all)-1, Event{Made: sanitize.Label(a.Name), Agent: true})
	}

	return all
}
