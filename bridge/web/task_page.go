package web

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"
	"time"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/form"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/templates"
)

// State returns the word for the state of a task, and its colour.
func State(s a2a.State) (templates.Tone, string) {
	w, ok := stateWords[s]
	if !ok {
		return templates.Plain, string(s)
	}
	return w.tone, w.word
}

var stateWords = map[a2a.State]struct {
	tone templates.Tone
	word string
}{
	a2a.Submitted:     {templates.Live, "Sent"},
	a2a.Working:       {templates.Live, "Working"},
	a2a.InputRequired: {templates.Note, "Waits for an answer"},
	a2a.AuthRequired:  {templates.Note, "Waits for a sign-in"},
	a2a.Completed:     {templates.Good, "Done"},
	a2a.Failed:        {templates.Bad, "Failed"},
	a2a.Canceled:      {templates.Plain, "Canceled"},
	a2a.Rejected:      {templates.Bad, "Refused"},
	a2a.Unknown:       {templates.Bad, "Unknown"},
}

// TaskPage makes the page of a task for every reader: what v does not hold, the reader has no right
// to. where returns the address of the file of a block of a shared task, and is nil otherwise.
func TaskPage(v *documents.TaskView, now time.Time, where func(documents.Block) string) templates.Task {
	e := v.Record
	if where == nil {
		where = ownFile
	}
	m := newMaker(where)
	p := templates.Task{Title: v.Title, Agent: e.Agent, Cut: v.Cut, Lives: !e.Idle, Alert: alert(v)}
	p.Tone, p.State = State(e.State())
	p.Lead = lead(e, now)
	var closing []documents.Block
	blocks := v.Blocks
	for i, b := range blocks {
		if b.Closing {
			blocks, closing = blocks[:i], blocks[i:]
			break
		}
	}
	switch state := e.State(); {
	case v.Pause != "":
		p.Says = m.parts(question(v, closing), false)
	case state == a2a.Completed && len(closing) > 0:
		p.Results = append(p.Results, templates.TaskResult{Name: e.Agent, Says: true, Parts: m.parts(closing, true)})
	case !e.Idle:
		p.Busy = sanitize.Short(v.Message, 300)
	}
	p.Results = append(p.Results, m.results(blocks)...)
	p.Past = m.events(v, shownEvents(v, p.Alert != nil || p.Busy == v.Message))
	if v.Left > 0 {
		p.Left = strconv.Itoa(v.Left)
	}
	if r := e.Revisions; r != nil && r.Dropped > 0 && v.Rights > documents.ByLink {
		p.Dropped = strconv.Itoa(r.Dropped)
	}
	return p
}

// question leaves out what the form shows.
func question(v *documents.TaskView, closing []documents.Block) (kept []documents.Block) {
	for _, b := range closing {
		if v.Form == nil || v.Open || b.MediaType != "application/json" {
			kept = append(kept, b)
		}
	}
	return kept
}

// lead says who does the task, when it began, and how long it took.
func lead(e *ledger.Record, now time.Time) []templates.Text {
	all := []templates.Text{templates.Data(e.Agent), templates.Row(templates.Say("Started"), templates.When(e.Created, now))}
	if e.State().Terminal() {
		return append(all, templates.Row(templates.Say("Took"), templates.Took(ended(e).Sub(e.Created))))
	}
	return append(all, templates.Row(templates.Say("Changed"), templates.When(e.Updated, now)))
}

// ended returns when a task came into its last state.
func ended(e *ledger.Record) time.Time {
	if e.Revisions != nil && len(e.Revisions.States) > 0 && e.Failure == nil {
		last := e.Revisions.States[len(e.Revisions.States)-1]
		return time.UnixMilli(last.Since)
	}
	return e.Updated
}

// alert says why a task did not do what it should, and what to do.
func alert(v *documents.TaskView) *templates.TaskAlert {
	e, a := v.Record, &templates.TaskAlert{}
	if v.Message != "" {
		a.Reason = templates.Known(v.Message)
	}
	if m := e.Sentence(); m != nil {
		a.Reason = templates.Sentence(m, sanitize.Text)
	}
	switch f, state := e.Failure, e.State(); {
	case f != nil && f.Presumed:
		a.Title, a.Remedy = "We lost track of this task", "The agent may have received the request. Check there before you send it again."
	case f != nil && f.Code == a2a.Unavailable:
		a.Title, a.Remedy = "The agent could not be reached", "Retry in a few minutes. If it fails again, tell the operator of this server."
	case f != nil:
		a.Title, a.Remedy = "The agent did not take the request", "Retry, or change the request in the chat and send it again."
	case state == a2a.Failed:
		a.Title, a.Remedy = "The agent reported a failure", "Retry, or change the request in the chat and send it again."
	case state == a2a.Rejected:
		a.Title, a.Remedy = "The agent refused the request", "Change the request in the chat and send it again, or choose another agent."
	case state == a2a.Canceled && a.Reason != nil:
		a.Title = "The task was canceled"
	case state == a2a.Unknown:
		a.Title, a.Remedy = "The agent does not say how the task stands", "We keep asking. You can cancel the task."
	default:
		return nil
	}
	if a.Reason == nil && e.Failure == nil && e.State() != a2a.Unknown {
		a.Reason = templates.Say("The agent gave no reason.")
	}
	if v.Rights < documents.ByOwner { // who alone can do that
		a.Remedy = ""
	}
	return a
}

// longText is how much of a message the timeline shows unfolded, in bytes.
const longText = 600

// unfolded is how many messages in a row the timeline shows.
const unfolded = 3

// shownEvents leaves out the last message of the agent, if the page shows its words above the timeline.
func shownEvents(v *documents.TaskView, above bool) []documents.Event {
	i := len(v.Events) - 1
	for i >= 0 && (!v.Events[i].Agent || v.Events[i].Message == nil) {
		i--
	}
	if !above || v.Message == "" || i < 0 || len(v.Events[i].Message) != 1 || v.Events[i].Message[0].Text != v.Message {
		return v.Events
	}
	return slices.Delete(slices.Clone(v.Events), i, i+1)
}

// events returns the timeline. Of many messages that the agent sent in a row, the last is shown.
func (m *maker) events(v *documents.TaskView, rest []documents.Event) (all []templates.TaskEvent) {
	for len(rest) > 0 {
		n := 0
		for n < len(rest) && rest[n].Agent && rest[n].Message != nil {
			n++
		}
		if n > unfolded {
			fold := templates.TaskEvent{ID: m.id(), Title: templates.Say("{} earlier messages", strconv.Itoa(n-1))}
			for _, e := range rest[:n-1] {
				fold.Fold = append(fold.Fold, m.event(v, e))
			}
			all, rest = append(all, fold), rest[n-1:]
		}
		all, rest = append(all, m.event(v, rest[0])), rest[1:]
	}
	return all
}

func (m *maker) event(v *documents.TaskView, e documents.Event) (out templates.TaskEvent) {
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
		out.Title = templates.Say(word)
	case e.Message != nil:
		out.Title = templates.Data(v.Agent)
		if !e.Agent && v.Rights == documents.ByOwner {
			out.Title = templates.Say("You")
		} else if !e.Agent {
			out.Title = templates.Say("The user")
		}
		out.Parts, out.Long = m.said(e), beginning(e.Message)
	case e.Text != "" || len(e.Files) > 0 || e.Name != "":
		out.Title, out.Parts = templates.Say("Replaced result: {}", e.Name), replaced(e)
		out.Long = sanitize.Short(cmp.Or(e.Text, e.Name, "…"), 120)
	case e.Made == "", e.Made == "result":
		out.Title = templates.Say("Result")
	default:
		out.Title = templates.Say("Result: {}", e.Made)
	}
	if out.Long != "" {
		out.ID = m.id()
	}
	return out
}

// said returns the parts of a message. A form that it asked to have filled in is no part of it.
func (m *maker) said(e documents.Event) (all []templates.TaskPart) {
	for _, b := range e.Message {
		if e.Agent && b.MediaType == "application/json" {
			if _, ok := form.Read([]byte(b.Text), sanitize.Short); ok {
				continue
			}
		}
		p := m.part(b)
		if p.ID = ""; !p.File {
			p.Href = ""
		}
		all = append(all, p)
	}
	return all
}

// beginning returns the first words of a long message; "" for another.
func beginning(blocks []documents.Block) string {
	n := 0
	for _, b := range blocks {
		n += len(b.Text)
	}
	if n <= longText {
		return ""
	}
	return sanitize.Short(sanitize.Label(blocks[0].Text), 120)
}

func replaced(e documents.Event) []templates.TaskPart {
	all := []templates.TaskPart{{Text: e.Text}}
	for _, f := range e.Files {
		part := templates.TaskPart{File: true, Name: f.Filename, Kind: f.MediaType, Size: size(f.Size)}
		if u, err := url.Parse(f.URL); err == nil && f.Size > 0 {
			part.Href = u.EscapedPath()
		} else if f.URL != "" {
			part.File, part.Leaves = false, f.URL
		}
		all = append(all, part)
	}
	return all
}
