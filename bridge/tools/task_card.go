package tools

import (
	"context"
	"crypto/sha256"
	_ "embed" // for task_card.html
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/form"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
	"rialto/bridge/uploads"
	"rialto/mcp"
)

// The task card is the app that shows a task in a chat (MCP Apps). It draws itself from what
// task_view returns, and answers questions by answer_task. Both are for the card, not for models:
// unlike get_task, task_view never asks the user by the client's own forms.

//go:embed task_card.html
var taskCardSource string

// taskCardHTML is the task card without its indentation and the lines that are comments, which are an
// eighth of it.
var taskCardHTML = regexp.MustCompile(`(?m)^ *(?:/\*.*\*/|//.*)\n|^ +`).ReplaceAllString(taskCardSource, "")

// taskCardBase begins the URI of every version of the task card, and is that of the first.
const taskCardBase = "ui://rialto/task"

// TaskCardURI is the URI of the task card. It has a hash of the content: chat apps keep what they have
// read.
var TaskCardURI = fmt.Sprintf("%s-%.4x", taskCardBase, sha256.Sum256([]byte(taskCardHTML)))

// taskCardMeta says that the card sends files to an origin and needs nothing else from the network, and
// draws its own border. The later members are ChatGPT's earlier names. A domain is left out: Claude
// refuses foreign ones.
const taskCardMeta = `{"ui":{"csp":{"connectDomains":[%[1]q],"resourceDomains":[]},"prefersBorder":false},` +
	`"openai/widgetCSP":{"connect_domains":[%[1]q],"resource_domains":[]},"openai/widgetPrefersBorder":false,` +
	`"openai/widgetDescription":"Shows the task live, with its question and its results. ` +
	`Do not repeat what it shows."}`

// TaskCard returns the task card as a resource. It is read under the URIs of earlier versions as well,
// which chat apps keep with the list of tools. The card sends files to the origin.
func TaskCard(origin string) mcp.Resource {
	meta := json.RawMessage(fmt.Sprintf(taskCardMeta, origin))
	return mcp.Resource{
		URI:         TaskCardURI,
		Name:        "task-card",
		Title:       "Task card",
		MIMEType:    mcp.AppMIMEType,
		Size:        int64(len(taskCardHTML)),
		Description: "Shows a task of an agent while it runs, asks its questions and shows its results.",
		Earlier:     taskCardBase,
		Read: func(_ context.Context, r *mcp.Read) ([]mcp.Contents, error) {
			return []mcp.Contents{
				{
					URI:      r.URI,
					MIMEType: mcp.AppMIMEType,
					Text:     taskCardHTML,
					Meta:     meta,
				},
			}, nil
		},
	}
}

// withCard adds to tools what chat apps need for the task card.
func (t *Tools) withCard(tools []mcp.Tool) []mcp.Tool {
	if !t.Card {
		return tools
	}

	skills := t.skillTools()
	for i := range tools {
		switch name := tools[i].Name; {
		case name == "send_task" || name == "get_task" || skills.of[name].skill.ID != "":
			tools[i].View = &mcp.View{
				App:     TaskCardURI,
				Calling: "Working with the agent",
				Called:  "The agent's task",
			}
		case name == "cancel_task" || name == "list_tasks":
			tools[i].View = &mcp.View{}
		}
	}

	return append(tools, t.taskView(), t.answerTask())
}

// longestView is how long task_view waits for a change.
const longestView = 20 * time.Second

var taskViewInput = json.RawMessage(
	`{"type": "object", "required": ["task_id"], "additionalProperties": false, "properties": {
	"task_id": {"type": "string", "minLength": 1},
	"cursor": {"type": "string", "description": "next_cursor of the result before, for its next part."},
	"seen": {"type": "string", "description": "The member updated of the result before: wait for a change since then."},
	"wait": {
		"type": "number", "minimum": 0, "maximum": 20, "default": 0,
		"description": "Seconds to wait for a change."
	}}}`,
)

// taskViewArgs are the arguments of task_view.
type taskViewArgs struct {
	TaskID string    `json:"task_id"`
	Cursor string    `json:"cursor"`
	Seen   time.Time `json:"seen"`
	Wait   float64   `json:"wait"`
}

// taskView returns a task at once, with all that the card shows.
func (t *Tools) taskView() mcp.Tool {
	return mcp.Tool{
		Name:        "task_view",
		Title:       "Look at a task",
		Description: "For the task card: where a task stands, with the form of its question. Models use get_task.",
		InputSchema: taskViewInput,
		ReadOnly:    true,
		Idempotent:  true,
		OpenWorld:   true,
		View:        &mcp.View{Hidden: true},
		Call: handler(t, func(ctx context.Context, _ *mcp.Call, args *taskViewArgs) (*mcp.Result, error) {
			from, err := documents.ParseCursor(args.Cursor)
			if err != nil {
				return nil, err
			}
			e, err := t.taskSince(
				ctx,
				args.TaskID,
				args.Seen,
				min(time.Duration(args.Wait*float64(time.Second)), longestView),
			)
			if err != nil {
				return nil, err
			}
			return t.viewOf(ctx, e, from)
		}),
	}
}

// taskSince returns a task of the caller, after waiting for a change since it was seen.
func (t *Tools) taskSince(
	ctx context.Context,
	handle string,
	seen time.Time,
	wait time.Duration,
) (*ledger.Record, error) {
	access := t.Directory.Access(ctx)
	e, err := t.Runner.Polled(ctx, access, handle, 0, nil)
	if err != nil || wait <= 0 || e.State().Terminal() || !e.Updated.Equal(seen) {
		return e, err
	}

	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if next, err := t.Runner.NextChange(waiting, access, handle, seen); err == nil {
		return next, nil
	}

	return e, ctx.Err()
}

// taskCardView is what the card shows.
type taskCardView struct {
	*documents.TaskInfo
	Asked   string    `json:"asked"`
	Created time.Time `json:"created"`
	Updated time.Time `json:"updated"`
	Page    string    `json:"page_url,omitempty"`

	// The following say what the agent waits for: the pause that an answer is about, the form of its question as MCP
	// elicitation has it, and where the person signs in.
	Pause  string          `json:"pause,omitempty"`
	Form   json.RawMessage `json:"form,omitempty"`
	SignIn string          `json:"sign_in_url,omitempty"`
	Held   bool            `json:"held,omitempty"`    // the task goes on when the person has signed in there
	Notice string          `json:"notice,omitempty"`  // of the delivery of the last answer
	Reason string          `json:"reason,omitempty"`  // why the agent did not take it
	Files  []uploads.Link  `json:"uploads,omitempty"` // where to send the files that the message waits for
}

func (t *Tools) viewOf(
	ctx context.Context, e *ledger.Record, from documents.Cursor,
) (*mcp.Result, error) {
	files, err := runner.AwaitedFiles(ctx, t.Runner, e)
	if err != nil {
		return nil, err
	}

	r := t.Documents.Result(e, documents.RenderOptions{From: from, Expects: a2a.Canceled})
	v := &taskCardView{
		TaskInfo: r.Structured.(*documents.TaskInfo),
		Asked:    sanitize.Short(e.RequestText(), 500),
		Created:  e.Created,
		Updated:  e.Updated,
		Page:     t.Documents.PageURL(e),
		Files:    files,
	}
	t.ask(v, e)
	about := "[task_id " + v.TaskID + ", agent " + v.Agent + ", state " + string(v.State) + "]"
	return &mcp.Result{
		Content:    []mcp.Content{mcp.Text(about)},
		Structured: v,
	}, nil
}

// ask writes into v what the agent waits for.
func (t *Tools) ask(v *taskCardView, e *ledger.Record) {
	v.Notice, v.Reason = e.DeliveryNotice()
	switch state := e.State(); {
	case !e.Idle, e.AwaitsFiles():
	case state == a2a.InputRequired:
		v.Pause = e.MessageID
		v.Form = runner.FormOf(e).ListSchema()
	case state == a2a.AuthRequired:
		v.Pause = e.MessageID
		v.SignIn = t.signInLink(e)
		v.Held = t.Directory.ConnectPage(e) != ""
	}
}

var answerTaskInput = json.RawMessage(
	`{"type": "object", "required": ["task_id", "pause", "once"], "additionalProperties": false, "properties": {
	"task_id": {"type": "string", "minLength": 1},
	"pause": {"type": "string", "description": "The member pause of task_view: what is answered."},
	"once": {"type": "string", "minLength": 1, "maxLength": 100, 
		"description": "A name for this answer: the same is sent once."},
	"answer": {"type": "object", "description": "The values of the form. Left out after a sign-in."}}}`,
)

// answerTaskArgs are the arguments of answer_task.
type answerTaskArgs struct {
	TaskID string          `json:"task_id"`
	Pause  string          `json:"pause"`
	Once   string          `json:"once"`
	Answer json.RawMessage `json:"answer"`
}

// answerTask sends the agent what the user has filled in on the card.
func (t *Tools) answerTask() mcp.Tool {
	return mcp.Tool{
		Name:        "answer_task",
		Title:       "Answer an agent",
		Description: "For the task card: send the user's answer to the agent's question. Models use send_task.",
		InputSchema: answerTaskInput,
		Destructive: true,
		OpenWorld:   true,
		View:        &mcp.View{Hidden: true},
		DetachedFor: time.Minute,
		Call: handler(
			t,
			func(ctx context.Context, _ *mcp.Call, args *answerTaskArgs) (*mcp.Result, error) {
				access := t.Directory.Access(ctx)
				e, err := t.Runner.Task(ctx, access, args.TaskID)
				content := args.Answer
				if err == nil && e.State() == a2a.InputRequired {
					var problems map[string]form.Problem
					content, problems = runner.FormOf(e).FillJSON(args.Answer)
					if len(problems) > 0 {
						r := mcp.InputError(
							"The answer does not match the form of the question, which task_view returns.",
						)
						r.Structured = map[string]any{"problems": problems}
						return r, nil
					}
				}
				if err == nil {
					err = t.Runner.Answer(
						ctx,
						access,
						e,
						runner.Reply{Pause: args.Pause, Once: args.Once, Content: content},
					)
				}
				if err == nil {
					e, err = t.Runner.Current(ctx, access, e.Handle)
				}
				if err != nil {
					return nil, err
				}
				return t.viewOf(ctx, e, documents.Cursor{})
			},
		),
	}
}
