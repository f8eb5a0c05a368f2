package documents

import (
	"cmp"
	"encoding/json"
	"fmt"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/mcp"
)

const (
	// MaxText limits the output of an agent in a result, in characters of JSON. A
	// result holds it twice, as content and as structured content, and stays below
	// 100,000 characters: Claude accepts 150,000, other clients less.
	MaxText = 42_000

	// forMessage is what artifacts leave to the last message, which may be a question.
	forMessage = 6_000

	perItem = 120 // cost of an artifact, a part or a turn beyond its text
)

// TaskInfo is a task in the results of tools.
type TaskInfo struct {
	TaskID    string    `json:"task_id"`
	Agent     string    `json:"agent"`
	ContextID string    `json:"context_id"`
	State     a2a.State `json:"state"`
	Message   string    `json:"message"`

	// MessageParts are the parts of the message that are not text.
	MessageParts []PartInfo `json:"message_parts,omitempty"`

	Artifacts []ArtifactInfo  `json:"artifacts"`
	History   []Turn          `json:"history,omitempty"`
	Statuses  []StatusInfo    `json:"statuses,omitempty"`           // with the history: the states that it has been in
	Versions  []VersionInfo   `json:"replaced_artifacts,omitempty"` // and what its agent has replaced, the latest first
	Dropped   int             `json:"replaced_not_kept,omitempty"`  // how many more there were
	Error     *ledger.Failure `json:"error,omitempty"`
	Next      string          `json:"next,omitempty"`       // the next call
	AnswerURL string          `json:"answer_url,omitempty"` // where the person can answer the agent
	Truncated bool            `json:"truncated,omitempty"`
	Cursor    string          `json:"next_cursor,omitempty"` // for get_task, when there is more
}

// ArtifactInfo is an artifact of a task.
type ArtifactInfo struct {
	ID          string     `json:"artifact_id"`
	Name        string     `json:"name,omitempty"`
	Description string     `json:"description,omitempty"`
	URI         string     `json:"uri,omitempty"` // of the resource that has it whole
	Parts       []PartInfo `json:"parts"`
}

// PartInfo is a part of an artifact: text, data, or a file by URL or by size.
type PartInfo struct {
	Kind      string          `json:"kind"` // text, data or file
	Text      string          `json:"text,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Filename  string          `json:"filename,omitempty"`
	MediaType string          `json:"media_type,omitempty"`
	URL       string          `json:"url,omitempty"`
	Size      int             `json:"size,omitempty"` // bytes; the content is an item of the result
}

// Turn is one message of a task's history.
type Turn struct {
	Role a2a.Role `json:"role"`
	Text string   `json:"text"`
}

// RenderOptions selects the part of a task that a result shows.
type RenderOptions struct {
	From    Cursor
	History int       // how many earlier messages; on the last pages
	Expects a2a.State // a state that is no problem here; "" for none
	// Unanswered says that the client was asked the agent's question, and how it came back without
	// an answer: "decline", "cancel", or "none" if there was no response. It is "" otherwise.
	Unanswered string
	Events     bool   // the client can subscribe to events
	link       linker // nil if there are no downloads
	answers    string // where a person can answer what the agent asks; "" if nowhere
}

// result renders a record: artifacts, the last message of the agent, and the next step.
// The rest is on the page of the cursor. The last message is on the first page in any
// case, because it may be a question.
func result(e *ledger.Record, show RenderOptions) *mcp.Result {
	r := &renderer{left: MaxText, link: show.link, content: make([]mcp.Content, 0, 2), info: &TaskInfo{
		TaskID: e.Handle, Agent: e.Agent, ContextID: sanitize.Label(e.ContextID()), State: e.State(),
		Artifacts: []ArtifactInfo{}, Error: Problem(e, show.Expects), Next: next(e, show),
	}}
	if e.Idle && e.State().Interrupted() {
		r.info.AnswerURL = show.answers
		r.info.Next = unanswered[show.Unanswered] + r.info.Next
	}
	if r.info.Error != nil {
		r.left -= cost(r.info.Error.Message)
	}
	if t := e.Task; t != nil {
		kept := 0
		if show.From == (Cursor{}) {
			kept = min(cost(sanitize.Text(t.Status.Message.Text())), forMessage)
		}
		r.left -= kept
		ps, with := pieces(t), withoutText(t.Status.Message)
		end := r.artifacts(ps, show.From)
		r.left += kept
		if m := t.Status.Message; m != nil && (end || show.From == (Cursor{})) {
			r.closing(m, with, show.From, len(ps), end)
		}
		if r.info.Cursor == "" {
			r.history(t.WithHistory(&show.History).History, show.From, len(ps)+1+len(with))
		}
		if r.info.Cursor == "" && show.History > 0 {
			r.past(e.Revisions)
		}
	}
	if e.Failure != nil { // whatever the agent said before
		r.info.Message = cmp.Or(r.info.Message, r.info.Error.Message)
		r.say(r.info.Error.Message)
	}
	r.info.Truncated = r.cut || r.info.Cursor != ""
	return &mcp.Result{
		Content:    append(r.content, mcp.Text(r.summary(show.History))),
		Structured: r.info,
		IsError:    r.info.Error != nil,
	}
}

// Problem returns why a task did not do what it should; nil if it did, or still may. A task in an
// unknown state is a problem, although it is still followed. Problem returns nil for a task in the expected state.
func Problem(e *ledger.Record, expected a2a.State) *ledger.Failure {
	state := e.State()
	switch code := ledger.EndCodes[state]; {
	case e.Failure != nil:
		return &ledger.Failure{Code: e.Failure.Code, Message: sanitize.Truncate(e.Failure.Message, ledger.MaxReason), Remote: e.Failure.Remote}
	case code == "" || state == expected:
		return nil
	default:
		reason := sanitize.Short(e.Task.Status.Message.Text(), ledger.MaxReason)
		return &ledger.Failure{Code: code, Message: cmp.Or(reason, "The agent gave no reason."), Remote: true}
	}
}

// unanswered tells the model how a question came back from the client: see RenderOptions.
var unanswered = map[string]string{
	"decline": "The client declined the agent's question and may not have shown it to the user; if the user declined it, cancel_task ends the task. ",
	"cancel":  "The client canceled the agent's question and may not have shown it to the user. ",
	"none":    "The client did not respond to the agent's question. ",
}

// next tells the model the next step for an unfinished task.
func next(e *ledger.Record, show RenderOptions) string {
	answers := show.answers
	switch state := e.State(); {
	case e.Unconfirmed():
		return fmt.Sprintf("Whether the agent received the last message is not known, and it shows no sign of it. Call get_task with task_id %q in a while; send the message again only if the user wants that.", e.Handle)
	case state == a2a.InputRequired && answers != "":
		return fmt.Sprintf("The agent asks for input. Get the answer from the user if you do not know it, then call send_task with task_id %q and the answer as message. The user can also answer at %s; then call get_task with the task_id to get the result.", e.Handle, answers)
	case state == a2a.InputRequired:
		return fmt.Sprintf("The agent asks for input. Get the answer from the user if you do not know it, then call send_task with task_id %q and the answer as message.", e.Handle)
	case state == a2a.AuthRequired && answers != "":
		return fmt.Sprintf("The agent waits until the user has signed in or granted access. Give the user this link: %s. When that is done the task goes on; call get_task with task_id %q to get the result.", answers, e.Handle)
	case state == a2a.AuthRequired:
		return fmt.Sprintf("The agent needs the user to sign in or grant access as its message says. When that is done, call send_task with task_id %q.", e.Handle)
	case state == a2a.Unknown:
		return fmt.Sprintf("The agent does not tell how the task stands. Call get_task with task_id %q to look again; nothing is lost if you do so later.", e.Handle)
	case !state.Terminal() && show.Events:
		return fmt.Sprintf("The agent is still working. If this takes long, subscribe to the events task.completed, task.failed, task.input_required and task.auth_required with the argument task_id %q instead of asking again, and tell the user that the answer follows. Call get_task with task_id %q to wait for the result here; nothing is lost if you do so later.", e.Handle, e.Handle)
	case !state.Terminal():
		return fmt.Sprintf("The agent is still working. Call get_task with task_id %q to wait for the result; nothing is lost if you do so later.", e.Handle)
	}
	return ""
}

// endings say how a task ended that did not complete.
var endings = map[a2a.State]string{
	a2a.Canceled: "The task was canceled", a2a.Failed: "The task failed", a2a.Rejected: "The agent rejected the task",
}

// ending tells the model how a task ended, "" if it completed or has not ended. The reason is part of
// the output, if there is one.
func ending(e *ledger.Record) string {
	how := endings[e.State()]
	switch {
	case how == "":
		return ""
	case e.Failure == nil && sanitize.Text(e.Task.Status.Message.Text()) == "":
		return how + ", and the agent gave no reason."
	}
	return how + "."
}

// renderer collects a result within a budget.
type renderer struct {
	info    *TaskInfo
	content []mcp.Content
	left    int  // characters of JSON
	cut     bool // something is left out for good
	link    linker
	uri     string // resource of the present part, if the result links to it
}

// spend takes n from the budget, or reports false.
func (r *renderer) spend(n int) bool {
	if n > r.left {
		return false
	}
	r.left -= n
	return true
}

// take returns as much of s as the budget allows.
func (r *renderer) take(s string) string {
	s = sanitize.Text(s)
	for i, c := range s {
		if !r.spend(costOf(c)) {
			return s[:i]
		}
	}
	return s
}

// cost returns the length of a text as JSON.
func cost(s string) (n int) {
	for _, c := range s {
		n += costOf(c)
	}
	return n
}

func costOf(c rune) int {
	switch c {
	case '<', '>', '&', '\u2028', '\u2029':
		return len(`\u003c`)
	case '"', '\\', '\n', '\t':
		return 2
	}
	return 1
}

func (r *renderer) say(s string) {
	if s != "" {
		r.content = append(r.content, mcp.Text(s))
	}
}

// name returns the name of a file, which MCP requires.
func (p *PartInfo) name() string {
	if p.Filename == "" {
		return "file"
	}
	return p.Filename
}

// summary is the last item of the result, for clients that show only the text to the
// model. history is the number of requested messages; the next page needs it again.
func (r *renderer) summary(history int) string {
	i := r.info
	s := "[task_id " + i.TaskID + ", agent " + i.Agent + ", state " + string(i.State)
	if i.ContextID != "" {
		s += ", context_id " + i.ContextID
	}
	s += "]"
	if i.Next != "" {
		s += " " + i.Next
	}
	if i.Error != nil {
		s += fmt.Sprintf(" (code %s)", i.Error.Code)
	}
	switch {
	case i.Cursor != "" && history > 0:
		s += fmt.Sprintf(" There is more: call get_task with this task_id, history_length %d and cursor %q for the next part.", history, i.Cursor)
	case i.Cursor != "":
		s += fmt.Sprintf(" There is more: call get_task with this task_id and cursor %q for the next part.", i.Cursor)
	case r.cut:
		s += fmt.Sprintf(" Some of it is longer than the %d characters that a result can have, and was left out; ask the agent for less, or in parts.", MaxText)
	}
	return s
}
