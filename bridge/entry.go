package bridge

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
)

// Entry is one task in the ledger.
type Entry struct {
	Handle    string // the task_id that clients see
	Owner     string // the user it belongs to
	Client    string // through which it was sent
	Agent     string // the name of the agent that runs it
	MessageID string // of the latest message sent to it
	Asked     string // the beginning of the message that began it

	// Name and ContextName are what an A2A caller calls the task (only A2A 0.1
	// does) and the conversation; "" where the agent's word is shown.
	Name        string
	ContextName string

	// Digest tells the message that AddTask or ContinueTask is about from others;
	// "" if its caller gave it no name. It is not read back.
	Digest string

	// Task is the task as last heard of, under the agent's own id. It is nil
	// until the agent has answered. An agent that answers with a message
	// instead of a task leaves a completed task without an id here.
	Task *a2a.Task

	// Failure says why there is no task, or no more of one.
	Failure *Failure

	// Past is what has been of the task and is no more; nil if nothing was noted.
	Past *Past

	// Settled is set when nothing more will come until the owner acts.
	Settled bool

	// Updated is another moment after each change. Both are whole milliseconds.
	Created, Updated time.Time

	released bool // the message that is on its way was held until now
}

// Failure is a refusal or a breakdown that ended a task.
type Failure struct {
	Code    a2a.Code `json:"code"`
	Message string   `json:"message"`
	Remote  bool     `json:"remote,omitempty"` // the agent said so
}

// State tells where the task stands. A task that no agent has confirmed is
// submitted, and one whose pause was answered is working.
func (e *Entry) State() a2a.State {
	switch {
	case e.Failure != nil:
		return a2a.Failed
	case e.Task == nil:
		return a2a.Submitted
	case e.Task.Status.State.Interrupted() && !e.Settled:
		return a2a.Working
	default:
		return e.Task.Status.State
	}
}

// ContextID returns the conversation the task belongs to, as the agent named
// it; "" while it is not known.
func (e *Entry) ContextID() string {
	if e.Task == nil {
		return ""
	}
	return e.Task.ContextID
}

// askedOf returns what a list says of the message that begins a task. The rest of a
// long one is not looked at.
func askedOf(m *a2a.Message) string {
	text := m.Text()
	text = strings.ToValidUTF8(text[:min(len(text), 2000)], "")
	return shown(strings.Join(strings.Fields(text), " "), 200)
}

// asked returns the text of the message that began the task, as far as it is kept.
func (e *Entry) asked() string {
	if e.Task == nil {
		return e.Asked
	}
	i := slices.IndexFunc(e.Task.History, ofUser)
	if i < 0 {
		return e.Asked
	}
	return e.Task.History[i].Text()
}

// merge applies an agent's event to e and reports whether it changed it. The
// first event creates the task: some agents start with a status or an artifact
//
//	(trpc-a2a-go 0.2 does), and an agent that answers with a message has completed
//
// a task that never had an id.
func merge(e *Entry, event a2a.Event) bool {
	switch event := event.(type) {
	case *a2a.Message:
		if e.Task == nil {
			e.Task = &a2a.Task{ContextID: event.ContextID}
		}
		return e.Task.Apply(&a2a.StatusUpdate{TaskID: e.Task.ID, Status: a2a.Status{State: a2a.Completed, Message: event}})
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
			e.Task = &a2a.Task{ID: event.TaskID, ContextID: event.ContextID, Status: a2a.Status{State: a2a.Working}}
		}
		if e.Task.Status.State.Interrupted() { // who produces works again, though nobody said so
			e.Task.Apply(&a2a.StatusUpdate{TaskID: e.Task.ID, Status: a2a.Status{State: a2a.Working}})
		}
	}
	changed := e.Task.Apply(event)
	if more := len(e.Task.History) - historyKept; changed && more > 0 {
		e.Task.History = slices.Clone(e.Task.History[more:])
	}
	return changed
}

// recall gives a task that an agent tells the history that the agent does not: A2A 0.1
// gives none that was not asked for, and many agents of later generations none at all,
// or what they said themselves. Then what is known from before counts, and m, the
// message that the task is the first answer to; nil if it is to none.
func recall(before *a2a.Task, m *a2a.Message, event a2a.Event) a2a.Event {
	t, ok := event.(*a2a.Task)
	if !ok || slices.ContainsFunc(t.History, ofUser) || before == nil && m == nil {
		return event
	}
	told := *t
	told.History = nil
	if before != nil {
		told.History = slices.Clone(before.History)
		if q := before.Status.Message; m != nil && q != nil && !known(told.History, q) {
			told.History = append(told.History, *q)
		}
	}
	if m != nil {
		told.History = append(told.History, *m)
	}
	if len(t.History) > 0 { // what it said since is what it says now
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
	for _, h := range t.History { // a history may be long
		if h.ID == "" || !there[h.ID] {
			told.History, there[h.ID] = append(told.History, h), true
		}
	}
	return &told
}

// leftOut gives a task that an agent tells what the agent leaves out and has told before:
// the results, where it shows none at all, the conversation, and the metadata. There are
// agents that send results and do not hold them, and nothing in A2A takes one back.
func leftOut(before *a2a.Task, event a2a.Event) a2a.Event {
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

func ofUser(m a2a.Message) bool { return m.Role != a2a.RoleAgent }

// known tells whether a message is among others, by its ID.
func known(all []a2a.Message, m *a2a.Message) bool {
	return m.ID != "" && slices.ContainsFunc(all, func(other a2a.Message) bool { return other.ID == m.ID })
}

// unshared returns t as a task that may be written to without anybody else seeing it.
// A task that has ended is t itself: no event changes it, so nobody writes to it.
func unshared(t *a2a.Task) *a2a.Task {
	if t == nil || t.Status.State.Terminal() {
		return t
	}
	return t.Clone()
}

// historyKept is how many messages of a task are kept, the latest.
const historyKept = 200

// size returns about how many bytes an event brings to who reads it.
func size(event a2a.Event) (n int) {
	said, before := messages(event)
	if said != nil {
		n += sizeOf(said.Parts)
	}
	for i := range before {
		n += sizeOf(before[i].Parts)
	}
	for _, a := range artifacts(event) {
		n += sizeOf(a.Parts)
	}
	return n
}

// messages returns those that an event brings: what is said with it, nil if nothing
// is, and what was said before.
func messages(event a2a.Event) (said *a2a.Message, before []a2a.Message) {
	switch e := event.(type) {
	case *a2a.Message:
		return e, nil
	case *a2a.StatusUpdate:
		return e.Status.Message, nil
	case *a2a.Task:
		return e.Status.Message, e.History
	}
	return nil, nil
}

func artifacts(event a2a.Event) []a2a.Artifact {
	switch e := event.(type) {
	case *a2a.ArtifactUpdate:
		return []a2a.Artifact{e.Artifact}
	case *a2a.Task:
		return e.Artifacts
	}
	return nil
}

func sizeOf(parts []a2a.Part) (n int) {
	for _, p := range parts {
		n += 64
		switch c := p.Content.(type) {
		case a2a.Text:
			n += len(c)
		case a2a.Raw:
			n += len(c)
		case a2a.URL:
			n += len(c)
		case a2a.Data:
			n += len(c)
		}
	}
	return n
}

// failure puts an error into words that outlive it. What is not in terms of
// the protocol tells of the inside of a network, and is for the log.
func failure(err error) *Failure {
	var e *a2a.Error
	if errors.As(err, &e) {
		why := shown(outside(e, e.Error()), maxReason)
		if e.Unclear {
			why += ". Whether the agent received the message is not known."
		}
		return &Failure{Code: e.Code, Message: why, Remote: e.Remote}
	}
	return &Failure{Code: a2a.Unavailable, Message: "The connection to the agent broke before it answered. Whether it received the message is not known."}
}

var (
	agentAt = regexp.MustCompile(`the agent at \S+?(: | has )`)
	onWire  = regexp.MustCompile(`\b((dial|read|write) (tcp|udp)[46]?:? |lookup |(tls: failed to verify certificate: )?x509: ).*`)
)

// outside returns what may be told to users of words about e: where an agent is, and
// what is on the way there, tells of the inside of a network. The log has it all.
func outside(e *a2a.Error, words string) string {
	if e.Remote {
		return words
	}
	words = agentAt.ReplaceAllString(words, "the agent$1")
	return onWire.ReplaceAllStringFunc(words, func(fault string) string {
		switch fault[:4] {
		case "dial", "look":
			return "it cannot be reached"
		case "tls:", "x509":
			return "its certificate is not accepted"
		}
		return "the connection broke"
	})
}

// touch makes Updated another moment than before: now, if the clock allows.
func (e *Entry) touch(now time.Time) {
	now = now.Truncate(time.Millisecond)
	if !now.After(e.Updated) {
		now = e.Updated.Add(time.Millisecond)
	}
	e.Updated = now
}

func (e *Entry) clone() *Entry {
	c := *e
	c.Task = unshared(e.Task)
	return &c
}
