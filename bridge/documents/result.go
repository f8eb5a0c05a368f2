package documents

import (
	"cmp"
	"encoding/json"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"rialto/bridge/view"
	"rialto/mcp"
)

const (
	// MaxText limits the output of an agent in a result, in characters of JSON. A
	// result holds it twice, as content and as structured content, and stays below
	// 100,000 characters: Claude accepts 150,000, other clients less.
	MaxText = 42_000

	// messageReserve is what artifacts leave to the last message, which may be a question.
	messageReserve = 6_000

	itemCost = 120 // cost of an artifact, a part or a turn beyond its text
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

	Artifacts []ArtifactInfo `json:"artifacts"`
	History   []Turn         `json:"history,omitempty"`

	// With the history: the states that the task has been in, and what its agent has replaced, the
	// latest first.
	Statuses []StatusInfo  `json:"statuses,omitempty"`
	Versions []VersionInfo `json:"replaced_artifacts,omitempty"`
	Dropped  int           `json:"replaced_not_kept,omitempty"` // how many more there were

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

// StatusInfo is a state that a task was in.
type StatusInfo struct {
	State a2a.State `json:"state"`
	Since time.Time `json:"since"`
}

// VersionInfo is a replaced artifact.
type VersionInfo struct {
	ID    string    `json:"artifact_id"`
	Name  string    `json:"name,omitempty"`
	Until time.Time `json:"until"`
	Text  string    `json:"text"`

	Files []VersionFile `json:"files,omitempty"` // in the order of the text's brackets
}

// VersionFile is a file of a replaced artifact.
type VersionFile struct {
	Filename  string `json:"filename,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	Size      int    `json:"size,omitempty"`     // bytes, if it came as bytes
	URL       string `json:"url,omitempty"`      // where it can be had
	Gone      bool   `json:"not_kept,omitempty"` // there was no room for it
}

// RenderOptions select the page of a task that a result shows, and its hints to the model.
type RenderOptions struct {
	From    Cursor
	History int       // how many earlier messages; on the last pages
	Expects a2a.State // a state that is no problem here; "" for none
	// Unanswered says that the client was asked the agent's question, and how it came back without
	// an answer: "decline", "cancel", or "none" if there was no response. It is "" otherwise.
	Unanswered string
	Events     bool // the client can subscribe to events
	link       DownloadURL
	answers    string // where a person can answer what the agent asks; "" if nowhere
}

// result renders a record: artifacts, the last message of the agent, and the next step.
// The rest is on the page of the cursor.
func result(e *ledger.Record, show RenderOptions) *mcp.Result {
	r := &renderer{left: MaxText, link: show.link, content: make([]mcp.Content, 0, 2)}
	r.info = &TaskInfo{
		TaskID:    e.Handle,
		Agent:     e.Agent,
		ContextID: sanitize.Label(e.ContextID()),
		State:     e.State(),
		Artifacts: []ArtifactInfo{},
		Error:     view.Problem(e, show.Expects),
		Next:      next(e, show),
	}
	if e.Idle && e.State().Interrupted() {
		r.info.AnswerURL = show.answers
		r.info.Next = unanswered[show.Unanswered] + r.info.Next
	}
	if r.info.Error != nil {
		r.left -= view.Cost(r.info.Error.Message)
	}
	if e.Task != nil {
		r.task(e.Task, show)
		if r.info.Cursor == "" && show.History > 0 {
			r.revisions(e)
		}
	}
	if e.Failure != nil { // whatever the agent said before
		r.info.Message = cmp.Or(r.info.Message, r.info.Error.Message)
		r.addText(r.info.Error.Message)
	}

	r.info.Truncated = r.cut || r.info.Cursor != ""
	return &mcp.Result{
		Content:    append(r.content, mcp.Text(r.summary(show.History))),
		Structured: r.info,
		IsError:    r.info.Error != nil,
	}
}

// name returns the name of a file, which MCP requires.
func (p *PartInfo) name() string { return cmp.Or(p.Filename, "file") }
