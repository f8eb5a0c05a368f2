package bridge

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/mcp"
)

const (
	// maxText bounds what a result takes from an agent, in characters of JSON.
	// It stands in the result twice, as content and as structured content, and
	// the whole stays below 100,000: Claude takes 150,000, other clients less.
	maxText = 42_000

	// forMessage is what artifacts leave to the message that closes them: the
	// question, if the agent asks one.
	forMessage = 6_000

	perItem = 120  // what an artifact, a part or a turn costs besides its text
	maxName = 200  // characters of a name
	maxLink = 2000 // characters of an address
)

// TaskInfo is what tools tell of a task.
type TaskInfo struct {
	TaskID    string         `json:"task_id"`
	Agent     string         `json:"agent"`
	ContextID string         `json:"context_id"`
	State     a2a.State      `json:"state"`
	Message   string         `json:"message"`
	Artifacts []ArtifactInfo `json:"artifacts"`
	History   []Turn         `json:"history,omitempty"`
	Error     *Failure       `json:"error,omitempty"`
	Next      string         `json:"next,omitempty"` // what to call next, and when
	Truncated bool           `json:"truncated,omitempty"`
}

// ArtifactInfo is one thing that a task produced.
type ArtifactInfo struct {
	ID          string     `json:"artifact_id"`
	Name        string     `json:"name,omitempty"`
	Description string     `json:"description,omitempty"`
	Parts       []PartInfo `json:"parts"`
}

// PartInfo is one piece of an artifact: text, data, or a file by its URL or,
// when it came as bytes, by its size.
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

// result renders an entry: artifacts first, then what the agent said last,
// then what to do next. history is how many earlier messages to show.
func result(e *Entry, history int) *mcp.Result {
	r := &renderer{left: maxText, info: &TaskInfo{
		TaskID: e.Handle, Agent: e.Agent, ContextID: shown(e.ContextID(), maxName), State: e.State(),
		Artifacts: []ArtifactInfo{}, Error: e.Failure, Next: next(e),
	}}
	if t := e.Task; t != nil {
		kept := min(cost(clean(t.Status.Message.Text())), forMessage)
		r.left -= kept
		for i := range t.Artifacts {
			r.artifact(&t.Artifacts[i])
		}
		r.left += kept
		r.closing(t)
		r.history(t.WithHistory(&history).History)
	}
	if e.Failure != nil && r.info.Message == "" {
		r.info.Message = e.Failure.Message
		r.say(e.Failure.Message)
	}
	r.info.Truncated = r.cut
	return &mcp.Result{
		Content:    append(r.content, mcp.Text(r.summary())),
		Structured: r.info,
		IsError:    e.State().Terminal() && e.State() != a2a.Completed,
	}
}

// next tells the model what to do with a task that is not finished.
func next(e *Entry) string {
	switch state := e.State(); {
	case state == a2a.InputRequired:
		return fmt.Sprintf("The agent asks for input. Get the answer from the user if you do not know it, then call send_task with task_id %q and the answer as message.", e.Handle)
	case state == a2a.AuthRequired:
		return fmt.Sprintf("The agent needs the user to sign in or grant access as its message says. When that is done, call send_task with task_id %q.", e.Handle)
	case !state.Terminal():
		return fmt.Sprintf("The agent is still working. Call get_task with task_id %q to wait for the result; nothing is lost if you do so later.", e.Handle)
	}
	return ""
}

// renderer collects a result within a budget.
type renderer struct {
	info    *TaskInfo
	content []mcp.Content
	left    int // characters of JSON
	cut     bool
}

// spend takes n from the budget if it is there.
func (r *renderer) spend(n int) bool {
	if n > r.left {
		r.cut = true
		return false
	}
	r.left -= n
	return true
}

// take returns as much of s as the budget allows.
func (r *renderer) take(s string) string {
	s = clean(s)
	for i, c := range s {
		if !r.spend(costOf(c)) {
			return s[:i]
		}
	}
	return s
}

// cost is how many characters a text has as JSON.
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

func (r *renderer) artifact(a *a2a.Artifact) {
	info := ArtifactInfo{ID: shown(a.ID, maxName), Name: shown(a.Name, maxName), Parts: []PartInfo{}}
	if !r.spend(perItem + cost(info.ID+info.Name)) {
		return
	}
	info.Description = r.take(clip(a.Description, 1000))
	for _, p := range a.Parts {
		if part, ok := r.part(p); ok {
			info.Parts = append(info.Parts, part)
		}
	}
	r.info.Artifacts = append(r.info.Artifacts, info)
}

func (r *renderer) part(p a2a.Part) (info PartInfo, ok bool) {
	info = PartInfo{Filename: shown(p.Filename, maxName), MediaType: shown(p.MediaType, maxName)}
	if !r.spend(perItem + cost(info.Filename+info.MediaType)) {
		return info, false
	}
	switch c := p.Content.(type) {
	case a2a.Text:
		info.Kind, info.Text = "text", r.take(string(c))
		r.say(info.Text)
	case a2a.Data:
		info.Kind = "data"
		if r.spend(cost(string(c))) {
			info.Data = json.RawMessage(c)
			r.say(clean(string(c)))
		}
	case a2a.URL:
		info.Kind = "file"
		if link := clean(string(c)); len(link) <= maxLink && r.spend(len(link)) {
			info.URL = link
			r.content = append(r.content, mcp.Link(link, info.name(), info.MediaType))
		}
	case a2a.Raw:
		info.Kind, info.Size = "file", len(c)
		r.file(info, c)
	}
	return info, true
}

// file puts bytes into the result as the content type that fits them. They
// count as the base64 that they become.
func (r *renderer) file(info PartInfo, b []byte) {
	if !r.spend((len(b) + 2) / 3 * 4) {
		return
	}
	switch {
	case strings.HasPrefix(info.MediaType, "image/"):
		r.content = append(r.content, mcp.Image(b, info.MediaType))
	case strings.HasPrefix(info.MediaType, "audio/"):
		r.content = append(r.content, mcp.Audio(b, info.MediaType))
	default:
		r.content = append(r.content, mcp.Blob("attachment:"+url.PathEscape(info.name()), info.MediaType, b))
	}
}

// name is what a file is called; MCP wants a name where A2A does not.
func (p *PartInfo) name() string {
	if p.Filename == "" {
		return "file"
	}
	return p.Filename
}

// closing shows what the agent said last, files and data included.
func (r *renderer) closing(t *a2a.Task) {
	m := t.Status.Message
	if m == nil {
		return
	}
	r.info.Message = r.take(m.Text())
	r.say(r.info.Message)
	for _, p := range m.Parts {
		if _, isText := p.Content.(a2a.Text); !isText {
			r.part(p)
		}
	}
}

func (r *renderer) history(turns []a2a.Message) {
	for _, m := range turns {
		if !r.spend(perItem) {
			return
		}
		r.info.History = append(r.info.History, Turn{Role: m.Role, Text: r.take(m.Text())})
	}
}

// summary is the last item of the result: what a model needs to go on, in
// words, since some clients show it the text only.
func (r *renderer) summary() string {
	i := r.info
	s := fmt.Sprintf("[task_id %s, agent %s, state %s]", i.TaskID, i.Agent, i.State)
	if i.Next != "" {
		s += " " + i.Next
	}
	if i.Error != nil {
		s += fmt.Sprintf(" (code %s)", i.Error.Code)
	}
	if r.cut {
		s += fmt.Sprintf(" The result was longer than %d characters and was cut; ask the agent for less, or in parts.", maxText)
	}
	return s
}

// inputError is a mistake of the caller, in words the caller can act on.
type inputError struct{ msg string }

func (e inputError) Error() string { return e.msg }

// refuse is the one place where an error becomes a tool's answer. What the
// model can act on is said; anything else is for the log.
func (b *Bridge) refuse(err error) (*mcp.Result, error) {
	var input inputError
	var down Unreachable
	var agent *a2a.Error
	switch {
	case errors.As(err, &input):
		return mcp.ErrorResult(input.msg), nil
	case errors.As(err, &down):
		return mcp.ErrorResult(down.Error() + " Try again later, or choose another agent with list_agents."), nil
	case errors.Is(err, ErrNoTask):
		return mcp.ErrorResult("There is no such task. Use the task_id of a send_task result of this same user; tasks of others cannot be seen."), nil
	case errors.Is(err, ErrTooManyTasks):
		return mcp.ErrorResult("You have too many tasks running. Wait for some of them to finish, or cancel them: list_tasks shows them."), nil
	case errors.Is(err, ErrTaskBusy):
		return mcp.ErrorResult("The task is still working and takes no message now. Call get_task with its task_id until it asks for input or ends."), nil
	case errors.As(err, &agent):
		return mcp.ErrorResult(fmt.Sprintf("%s (code %s)", clean(err.Error()), agent.Code)), nil
	}
	return nil, err
}
