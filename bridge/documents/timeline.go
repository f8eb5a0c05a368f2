package documents

import (
	"slices"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

const (
	maxTimeline = 200_000 // characters
	maxSaid     = 20_000  // of one message
	maxMessages = 60      // the latest, and the request
)

// Event is an entry of the timeline of a task: a message, a state or a replaced artifact.
type Event struct {
	At      time.Time     // zero if it is not known
	State   a2a.State     // that the task came into; "" for another event
	For     time.Duration // how long it stayed in State; 0 for the present one
	Message []Block       // what was said; nil for another event
	Agent   bool          // said it
	Name    string        // of an artifact that was replaced at that moment
	Text    string
	Files   []VersionFile
	Made    string // name of an artifact that the task has now
}

// timeline returns what happened to a task, and how many of its messages are left out. Messages
// have no time of their own. An answer of the user ends a pause, so it is the first event after it.
func timeline(e *ledger.Record, link linker) (all []Event, left int) {
	states, messages := statesOf(e), messagesOf(e)
	if more := len(messages) - maxMessages; more > 0 { // the request stays
		left = more
		messages = slices.Delete(slices.Clone(messages), 1, 1+more)
	}
	w := &viewWriter{DocumentView: &DocumentView{task: e}, left: maxTimeline, blocks: maxBlocks, link: link}
	for turn := 0; len(states)+len(messages) > 0; turn++ {
		n := slices.IndexFunc(states, func(s ledger.StateRevision) bool { return s.State.Interrupted() }) + 1
		if n == 0 {
			n = len(states)
		}
		during := states[:n]
		states = states[n:]
		at := e.Created
		if turn > 0 {
			at = time.Time{}
			if len(during) > 0 {
				at = time.UnixMilli(during[0].Since)
			}
		}
		for len(messages) > 0 && ofUser(messages[0]) {
			all = append(all, Event{At: at, Message: w.said(messages[0])})
			messages = messages[1:]
		}
		if n > 0 {
			all = appendStates(all, during[:n-1], during[n-1].Since)
		}
		for len(messages) > 0 && !ofUser(messages[0]) {
			all = append(all, Event{Agent: true, Message: w.said(messages[0])})
			messages = messages[1:]
		}
		if n > 0 {
			end := int64(0)
			if len(states) > 0 {
				end = states[0].Since
			}
			all = appendStates(all, during[n-1:], end)
		}
	}
	return withArtifacts(all, e, link), left
}

// appendStates appends states, the last of which ended at a moment, 0 if it has not.
func appendStates(all []Event, states []ledger.StateRevision, end int64) []Event {
	for i, s := range states {
		until := end
		if i+1 < len(states) {
			until = states[i+1].Since
		}
		event := Event{At: time.UnixMilli(s.Since), State: s.State}
		if until > 0 {
			event.For = time.Duration(until-s.Since) * time.Millisecond
		}
		all = append(all, event)
	}
	return all
}

// statesOf returns the states of a task, the last of which is the present one.
func statesOf(e *ledger.Record) (states []ledger.StateRevision) {
	if e.Revisions != nil {
		states = slices.Clone(e.Revisions.States)
	}
	if n := len(states); n == 0 || states[n-1].State != e.State() {
		states = append(states, ledger.StateRevision{State: e.State(), Since: e.Updated.UnixMilli()})
	}
	return states
}

// messagesOf returns the messages of a task in their order. The first is the request, as far as it
// is known.
func messagesOf(e *ledger.Record) (all []*a2a.Message) {
	if e.Request() == nil && e.Asked != "" {
		all = append(all, &a2a.Message{Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart(e.Asked)}})
	}
	if e.Task == nil {
		return all
	}
	for i := range e.Task.History {
		all = append(all, &e.Task.History[i])
	}
	last := e.Task.Status.Message
	if last != nil && (last.ID == "" || !slices.ContainsFunc(all, func(m *a2a.Message) bool { return m.ID == last.ID })) {
		all = append(all, last)
	}
	return all
}

func ofUser(m *a2a.Message) bool { return m.Role != a2a.RoleAgent }

// withArtifacts adds the artifacts of a task: replaced ones at their time, others before the last state.
func withArtifacts(all []Event, e *ledger.Record, link linker) []Event {
	if p := e.Revisions; p != nil {
		for i, v := range p.Artifacts {
			until := time.UnixMilli(v.Until)
			r := &renderer{left: MaxText, link: link, info: &TaskInfo{}}
			event := Event{At: until, Name: sanitize.Label(v.Artifact.Name), Text: r.take(v.Text()), Files: r.pastFiles(&v, p.Dropped+i+1)}
			at := slices.IndexFunc(all, func(other Event) bool { return other.At.After(until) })
			if at < 0 {
				at = max(0, len(all)-1)
			}
			all = slices.Insert(all, at, event)
		}
	}
	if e.Task == nil || len(all) == 0 {
		return all
	}
	for _, a := range e.Task.Artifacts[:min(len(e.Task.Artifacts), maxMessages)] {
		all = slices.Insert(all, len(all)-1, Event{Made: sanitize.Label(a.Name), Agent: true})
	}
	return all
}

// said returns the parts of a message.
func (w *viewWriter) said(m *a2a.Message) []Block {
	from, left := len(w.Blocks), w.left
	w.left = min(left, maxSaid)
	before := w.left
	for i, p := range m.Parts {
		w.part(-1, "", placeIn(m, i), p)
	}
	w.left += left - before
	return append([]Block{}, w.Blocks[from:]...)
}
