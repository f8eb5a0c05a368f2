package web

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/form"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/templates"
)

// State returns the word for the state of a task, and its colour.
func State(s a2a.State) (templates.Tone, string) {
	w, ok := stateWords[s]
	if !ok {
		w = stateWords[a2a.Unknown]
	}
	return w.tone, w.word
}

var stateWords = map[a2a.State]struct {
	tone templates.Tone
	word string
}{
	a2a.Submitted:     {templates.Live, "Sent"},
	a2a.Working:       {templates.Live, "Working"},
	a2a.InputRequired: {templates.Note, "Needs an answer"},
	a2a.AuthRequired:  {templates.Note, "Sign-in needed"},
	a2a.Completed:     {templates.Good, "Done"},
	a2a.Failed:        {templates.Bad, "Failed"},
	a2a.Canceled:      {templates.Plain, "Canceled"},
	a2a.Rejected:      {templates.Bad, "Refused"},
	a2a.Unknown:       {templates.Bad, "Unknown"},
}

// TaskPage makes the page of a task for every reader: what v does not hold, the reader has no right
// to. links are those of a shared task, and nil otherwise.
func TaskPage(v *documents.TaskView, now time.Time, links Links) templates.Task {
	e := v.Record
	if links == nil {
		links = ownLinks{v.DocumentView}
	}

	m := newPartBuilder(links)
	p := templates.Task{
		Title:      v.Title,
		Agent:      e.Agent,
		AgentTitle: v.AgentTitle,
		Progress:   templates.TaskProgress{Lives: !e.Idle},
		Alert:      alert(v),
	}
	p.Tone, p.State = State(e.State())
	p.Lead = lead(e, now)
	output := v.Pieces
	closing := []view.Piece(nil)
	if i := slices.IndexFunc(
		v.Pieces, func(p view.Piece) bool { return p.Artifact == nil },
	); i >= 0 {
		output = v.Pieces[:i]
		closing = v.Pieces[i:]
	}

	switch state := e.State(); {
	case v.Pause != "":
		p.Says = m.parts(question(v, closing), false)
	case state == a2a.Completed && len(closing) > 0:
		last := templates.TaskResult{Name: v.AgentTitle, Says: true, Parts: m.parts(closing, true)}
		p.Results = append(p.Results, last)
	case !e.Idle:
		p.Progress.Busy = sanitize.Short(v.Message, 300)
		p.Progress.Elapsed = templates.Elapsed(e.Created, now)
	}

	p.Results = append(p.Results, m.results(output)...)
	p.Cut = m.cut
	m.text = maxTimeline
	m.count = maxParts
	p.History.Events = m.events(v, shownEvents(v, e.Idle))
	if v.Left > 0 {
		p.History.Left = strconv.Itoa(v.Left)
	}
	if r := e.Revisions; r != nil && r.Dropped > 0 && v.Rights > documents.ByLink {
		p.History.Dropped = strconv.Itoa(r.Dropped)
	}

	return p
}

// question leaves out what the form shows.
func question(v *documents.TaskView, closing []view.Piece) (kept []view.Piece) {
	for _, p := range closing {
		if v.Form == nil || v.Open || !isData(&p) {
			kept = append(kept, p)
		}
	}
	return kept
}

// lead says when a task began, and how long it took without the waits for its user.
func lead(e *ledger.Record, now time.Time) []templates.Text {
	started := templates.Row(templates.Textf("Started"), templates.When(e.Created, now))
	all := []templates.Text{started}
	if e.State().Terminal() {
		took := ended(e).Sub(e.Created) - waited(e)
		return append(all, templates.Row(templates.Textf("Took"), templates.Took(max(took, 0))))
	}
	return append(all, templates.Row(templates.Textf("Changed"), templates.When(e.Updated, now)))
}

// ended returns when a task came into its last state.
func ended(e *ledger.Record) time.Time {
	if e.Revisions != nil && len(e.Revisions.States) > 0 && e.Failure == nil {
		last := e.Revisions.States[len(e.Revisions.States)-1]
		return time.UnixMilli(last.Since)
	}
	return e.Updated
}

// waited returns how long a task has waited for its user.
func waited(e *ledger.Record) (sum time.Duration) {
	if e.Revisions == nil {
		return 0
	}
	states := e.Revisions.States
	for i, s := range states[:max(len(states)-1, 0)] {
		if s.State.Interrupted() {
			sum += time.Duration(states[i+1].Since-s.Since) * time.Millisecond
		}
	}
	return sum
}

// alert says why a task did not do what it should, and what to do.
func alert(v *documents.TaskView) *templates.TaskAlert {
	e := v.Record
	a := &templates.TaskAlert{Tone: "danger"}
	if v.Message != "" {
		a.Reason = templates.Verbatim(v.Message)
	}
	if m := e.Sentence(); m != nil {
		a.Reason = templates.Message(m, sanitize.Text)
	}

	switch f, state := e.Failure, e.State(); {
	case f != nil && f.Presumed:
		a.Title = "We lost track of this task"
		a.Remedy = "The agent may have received the request. Check there before you send it again."
	case f != nil && f.Code == a2a.Unavailable:
		a.Title = "The agent couldn't be reached"
		a.Remedy = "Retry in a few minutes. If it fails again, tell the operator of this server."
	case f != nil:
		a.Title = "The agent didn't take the request"
		a.Remedy = "Retry, or change the request in the chat and send it again."
	case state == a2a.Failed:
		a.Title = "The agent reported a failure"
		a.Remedy = "Retry, or change the request in the chat and send it again."
	case state == a2a.Rejected:
		a.Title = "The agent refused the request"
		a.Remedy = "Change the request in the chat and send it again, or choose another agent."
	case state == a2a.Canceled:
		a.Title = "The task was canceled"
		a.Tone = templates.Plain
		return a
	case state == a2a.Unknown:
		a.Title = "The agent doesn't say how the task stands"
		a.Remedy = "We keep asking. You can cancel the task."
	default:
		return nil
	}

	if a.Reason == nil && e.Failure == nil && e.State() != a2a.Unknown {
		a.Reason = templates.Textf("The agent gave no reason.")
	}
	if v.Rights < documents.ByOwner { // who alone can do that
		a.Remedy = ""
	}

	return a
}

// longText is how much of a message the timeline shows unfolded, in bytes.
const longText = 600

// maxUnfolded is how many messages in a row the timeline shows.
const maxUnfolded = 3

// maxStep is how long a message of an agent may be to stand as a step of the timeline, in bytes.
const maxStep = 160

// step returns a message of an agent that is one short line without Markdown; "" for another.
func step(e documents.Event) string {
	if !e.Agent || len(e.Message) != 1 || isData(&e.Message[0]) {
		return ""
	}
	text := e.Message[0].Text()
	if len(text) > maxStep || strings.ContainsAny(text, "\n*_`[|#<") {
		return ""
	}
	return text
}

// shownEvents leaves out the last message of the agent, if the page shows its words above the timeline.
func shownEvents(v *documents.TaskView, above bool) []documents.Event {
	if !above || v.Message == "" {
		return v.Events
	}

	for i, e := range slices.Backward(v.Events) {
		if !e.Agent || e.Message == nil {
			continue
		}
		rest := e.Message[1:] // the form of a question
		if !slices.ContainsFunc(rest, func(p view.Piece) bool { return !isData(&p) }) &&
			sanitize.Truncate(e.Message[0].Text(), documents.MaxMessage) == v.Message {
			return slices.Delete(slices.Clone(v.Events), i, i+1)
		}
		break
	}

	return v.Events
}

// events returns the timeline. Of many messages that the agent sent in a row, the last is shown.
func (m *partBuilder) events(
	v *documents.TaskView, rest []documents.Event,
) (all []templates.TaskEvent) {
	for len(rest) > 0 {
		n := 0
		for n < len(rest) && rest[n].Agent && rest[n].Message != nil {
			n++
		}
		if n > maxUnfolded {
			fold := templates.TaskEvent{
				ID:    m.id(),
				Title: templates.Textf("{} earlier messages", strconv.Itoa(n-1)),
			}
			for _, e := range rest[:n-1] {
				fold.Fold = append(fold.Fold, m.event(v, e))
			}
			all = append(all, fold)
			rest = rest[n-1:]
		}
		all = append(all, m.event(v, rest[0]))
		rest = rest[1:]
	}
	return all
}

func (m *partBuilder) event(v *documents.TaskView, e documents.Event) (out templates.TaskEvent) {
	if !e.At.IsZero() {
		out.At = templates.Clock(e.At)
	}
	if e.For > 0 {
		out.For = templates.Took(e.For)
	}

	switch {
	case e.State != "":
		var word string
		out.Tone, word = State(e.State)
		out.Title = templates.Textf(word)
	case step(e) != "":
		out.Tone = templates.Plain
		out.Step = step(e)
	case e.Message != nil:
		out.Title = templates.Verbatim(v.AgentTitle)
		if !e.Agent && v.Rights == documents.ByOwner {
			out.Title = templates.Textf("You")
		} else if !e.Agent {
			out.Title = templates.Textf("User")
		}
		out.Parts, out.Long = m.messageParts(e), longBeginning(e.Message)
	case e.Replaced != nil:
		out.Title = templates.Textf("Replaced result: {}", e.Replaced.Name)
		out.Parts = m.replacedParts(e.Replaced)
		out.Long = sanitize.Short(cmp.Or(out.Parts[0].Text, e.Replaced.Name, "…"), 120)
	case e.Made == "", e.Made == "result":
		out.Title = templates.Textf("Result")
	default:
		out.Title = templates.Textf("Result: {}", e.Made)
	}

	if out.Long != "" {
		out.ID = m.id()
	}

	return out
}

// messageParts returns the parts of a message. A form that it asked to have filled in is no part of it.
func (m *partBuilder) messageParts(e documents.Event) (all []templates.TaskPart) {
	left := m.text
	m.text = min(left, documents.MaxMessage)
	before := m.text
	for i := range e.Message {
		p := &e.Message[i]
		if e.Agent && isData(p) {
			if _, ok := form.Read([]byte(p.Text())); ok {
				continue
			}
		}
		part := m.part(p)
		if part == nil {
			continue
		}
		part.ID = ""
		part.Fold = part.Data != nil && slices.ContainsFunc(e.Message, isText)
		if !part.File {
			part.Href = ""
		}
		all = append(all, *part)
	}

	m.text += left - before
	return all
}

// longBeginning returns the first words of a long message; "" for another.
func longBeginning(pieces []view.Piece) string {
	n := 0
	for _, p := range pieces {
		n += len(p.Text())
	}
	if n <= longText {
		return ""
	}
	return sanitize.Short(sanitize.Label(pieces[0].Text()), 120)
}

// replacedParts returns a replaced artifact: its words, and its files without pictures.
func (m *partBuilder) replacedParts(v *view.Revision) []templates.TaskPart {
	all := []templates.TaskPart{{Text: sanitize.Truncate(v.Text(), documents.MaxText)}}
	for i := range v.Pieces {
		p := &v.Pieces[i]
		if p.Kind != view.File && p.Kind != view.Link {
			continue
		}
		if part := m.part(p); part != nil {
			part.Image = false
			part.ID = ""
			all = append(all, *part)
		}
	}

	return all
}
