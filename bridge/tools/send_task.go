package tools

import (
	"context"
	"encoding/json"
	"time"

	"rialto/bridge/documents"
	"rialto/bridge/ledger"
	"rialto/bridge/runner"
	"rialto/mcp"
)

const (
	defaultWait = 45 * time.Second // ChatGPT gives a call about 60 seconds
	longestWait = 240 * time.Second
)

// sendArgs are the arguments of send_task.
type sendArgs struct {
	runner.Request
	Wait *float64 `json:"wait"`
}

func (t *Tools) sendTask() mcp.Tool {
	return mcp.Tool{
		Name:  "send_task",
		Title: "Send a task to an agent",
		Description: "Send a message to an agent and wait for the answer. If the work takes longer than the wait, the result has a task_id: " +
			"call get_task with it until the state is no longer submitted or working. " +
			"When the state is input-required, answer the agent's question by calling send_task again with the same task_id.",
		InputSchema:  sendTaskInput,
		OutputSchema: taskOutput,
		Destructive:  true, // an agent may do anything
		OpenWorld:    true,
		Tasks:        mcp.TasksOptional,
		FileParams:   []string{"attachments"},
		DetachedFor:  longestWait + time.Minute, // a message must not be lost between the ledger and the agent
		Call:         handler(t, t.sendOrAnswer),
	}
}

// sendOrAnswer sends the message of a call and waits for the result. A call that is
// repeated with answers has sent its message already.
func (t *Tools) sendOrAnswer(
	ctx context.Context, c *mcp.Call, args *sendArgs,
) (*mcp.Result, error) {
	el := &elicitor{t, c, waitFor(args.Wait)}
	e, err := el.answeredTask(ctx)
	if err != nil {
		return nil, err
	}
	if e == nil {
		sent, err := t.Runner.SendRequest(ctx, t.Directory.Access(ctx), &args.Request)
		if err != nil {
			return nil, err
		}
		if c.TakesTask {
			return t.beginTask(ctx, sent, c, el.wait)
		}
		c.ContinueWith("get_task", func() map[string]any { return continued(sent, args.Wait) })
		e, err = sent.Await(ctx, el.wait, c.Progress)
		if err != nil {
			return nil, err
		}
	}

	e, unanswered, err := el.elicit(ctx, e)
	if err != nil {
		return nil, err
	}

	return t.Documents.Result(
		e,
		documents.RenderOptions{Unanswered: unanswered, Events: t.Events && takesEvents(&c.Client)},
	), nil
}

// takesEvents tells whether a client can subscribe to events. ChatGPT does not declare that it can.
func takesEvents(c *mcp.Client) bool {
	return c.Extends(mcp.EventsExtension) || c.Name == "openai-mcp"
}

// continued returns the arguments of get_task for a client that lost the connection while it
// waited; nil if there is no task to get.
func continued(sent *runner.Sent, wait *float64) map[string]any {
	if sent.Recorded() != nil {
		return nil
	}
	return map[string]any{"task_id": sent.Handle, "wait": waitFor(wait).Seconds()}
}

// beginTask returns a task to a client that takes one: the task of MCP and that of the
// ledger are the same. Clients of 2026-07-28 get a result instead if it is there soon.
func (t *Tools) beginTask(
	ctx context.Context, sent *runner.Sent, c *mcp.Call, wait time.Duration,
) (*mcp.Result, error) {
	wait = min(max(wait, runner.MinWait), runner.FirstEventTimeout)
	legacy := c.Client.Revision == mcp.Revision20251125
	var e *ledger.Record
	var err error
	if legacy {
		e, err = sent.AwaitAnswer(ctx, wait)
	} else {
		e, err = sent.Await(ctx, wait, c.Progress)
	}
	if err != nil {
		return nil, err
	}
	if e.Idle && e.State().Terminal() && !legacy {
		return t.Documents.Result(e, documents.RenderOptions{}), nil
	}

	return &mcp.Result{Task: t.mcpTask(e)}, nil
}

// waitFor returns the wait of a call from its argument in seconds.
func waitFor(seconds *float64) time.Duration {
	if seconds == nil {
		return defaultWait
	}
	return time.Duration(min(max(*seconds, 0), longestWait.Seconds()) * float64(time.Second))
}

var sendTaskInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"message": {"type": "string", "minLength": 1, "description": "What you want from the agent, in full: it sees nothing of this chat."},
		"agent": {"type": "string", "description": "Name of the agent, from list_agents. May be left out if there is a default."},
		"skill": {"type": "string", "description": "Id of one of the agent's skills, from list_agents."},
		"task_id": {"type": "string", "description": "Continue this task, for example to answer the agent's question."},
		"context_id": {"type": "string", "description": "Start a new task in the conversation of an earlier one."},
		"files": {
			"type": "array",
			"maxItems": 20,
			"description": "Files for the agent.",
			"items": {
				"type": "object",
				"properties": {
					"name": {"type": "string"},
					"media_type": {"type": "string", "description": "For example text/csv."},
					"upload": {"type": "string", "description": "Id from request_upload, for all but short files."},
					"bytes": {"type": "string", "contentEncoding": "base64", "description": "The content, base64. Give this, upload or url."},
					"url": {"type": "string", "description": "Where the agent can get the file."}
				}
			}
		},
		"attachments": {"type": "array", "maxItems": 20, "description": "Files of the chat, if the chat app fills them in.", "items": {"$ref": "#/$defs/attachment"}},
		"data": {"type": "object", "description": "Structured input for the agent, for example {\"sql\": \"SELECT 1\"}."},
		"message_id": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Your own id for this message. When you repeat a call whose result did not arrive, give the same id and arguments: the message is not sent twice."},
		"wait": {
			"type": "number", "minimum": 0, "maximum": 240, "default": 45,
			"description": "Seconds to wait for the result before returning a task_id."
		}
	},
	"required": ["message"],
	"additionalProperties": false,
	"$defs": {"attachment": ` + attachmentSchema + `}
}`)

// attachmentSchema has the exact form that ChatGPT asks for: these four properties, of which the
// first two are required.
const attachmentSchema = `{
		"type": "object",
		"properties": {
			"download_url": {"type": "string"},
			"file_id": {"type": "string"},
			"mime_type": {"type": "string"},
			"file_name": {"type": "string"}
		},
		"required": ["download_url", "file_id"],
		"additionalProperties": false
	}`
