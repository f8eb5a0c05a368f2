package tools

import (
	"context"
	"encoding/json"

	"rialto/bridge/documents"
	"rialto/mcp"
)

// getArgs are the arguments of get_task.
type getArgs struct {
	TaskID        string   `json:"task_id"`
	Wait          *float64 `json:"wait"`
	HistoryLength int      `json:"history_length"` // 0 shows none
	Cursor        string   `json:"cursor"`
}

func (t *Tools) getTask() mcp.Tool {
	return mcp.Tool{
		Name:  "get_task",
		Title: "Get a task",
		Description: "Tell where a task stands and what it has produced. While it is submitted or working, the call waits up to \"wait\" seconds for it to finish. " +
			"Use the task_id that send_task returned. A result that is too long for one answer has a next_cursor: call again with it as cursor." +
			waitByEvents(t.Events),
		InputSchema:  getTaskInput,
		OutputSchema: getTaskOutput,
		ReadOnly:     true,
		Idempotent:   true,
		OpenWorld:    true,
		Call: handler(t, func(ctx context.Context, c *mcp.Call, args *getArgs) (*mcp.Result, error) {
			from, err := documents.ParseCursor(args.Cursor)
			if err != nil {
				return nil, err
			}
			el := &elicitor{t, c, waitFor(args.Wait)}
			e, err := t.Runner.Polled(
				ctx, t.Directory.Access(ctx), args.TaskID, el.wait, c.Progress,
			)
			if err != nil {
				return nil, err
			}
			e, unanswered, err := el.elicit(ctx, e)
			if err != nil {
				return nil, err
			}
			if !from.Exists(e, args.HistoryLength) {
				return nil, documents.ErrForeignCursor
			}
			return t.Documents.Result(e, documents.RenderOptions{
				From:       from,
				History:    args.HistoryLength,
				Unanswered: unanswered,
			}), nil
		}),
	}
}

// waitByEvents tells models that events save calls of get_task, where there are events.
func waitByEvents(events bool) string {
	if !events {
		return ""
	}
	return " If your app can subscribe to events, subscribe to task.changed with the task_id instead of calling again and again."
}

var getTaskInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"task_id": {"type": "string", "minLength": 1, "description": "From the result of send_task."},
		"wait": {
			"type": "number", "minimum": 0, "maximum": 240, "default": 45,
			"description": "Seconds to wait for a task that is still working."
		},
		"history_length": {"type": "integer", "minimum": 0, "maximum": 100, "default": 0, "description": "How many earlier messages of the task to show, with the states that it has been in and the results that were replaced. They come behind the result: where that is long, on its last pages."},
		"cursor": {"type": "string", "description": "next_cursor of the result before, for its next part."}
	},
	"required": ["task_id"],
	"additionalProperties": false
}`)

// partsSchema is the schema of the parts of an artifact or a message.
const partsSchema = `{
	"type": "array",
	"items": {
		"type": "object",
		"properties": {
			"kind": {"type": "string", "enum": ["text", "data", "file"]},
			"text": {"type": "string"},
			"data": {
				"description": "Any JSON value.",
				"anyOf": [
					{"type": "object"}, {"type": "array"}, {"type": "string"},
					{"type": "number"}, {"type": "boolean"}, {"type": "null"}
				]
			},
			"filename": {"type": "string"},
			"media_type": {"type": "string"},
			"url": {"type": "string"},
			"size": {"type": "integer", "description": "Bytes of a file. Its content is an item of the result, or at url."}
		},
		"required": ["kind"]
	}
}`

// getTaskOutput is the result of get_task.
var getTaskOutput = json.RawMessage(`{
	"type": "object",
	"properties": {` + taskMembers + `,
		"artifacts": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {
					"artifact_id": {"type": "string"},
					"name": {"type": "string"},
					"description": {"type": "string"},
					"uri": {"type": "string", "description": "The resource that has all of it."},
					"parts": ` + partsSchema + `
				},
				"required": ["artifact_id", "parts"]
			}
		},
		"message_parts": {
			"type": "array",
			"description": "Files and data of the message.",
			"items": {"type": "object"}
		},
		"truncated": {"type": "boolean"},
		"history": {"type": "array", "items": {"type": "object"}},
		"statuses": {
			"type": "array",
			"description": "With the history: the states that the task has been in.",
			"items": {"type": "object"}
		},
		"replaced_artifacts": {
			"type": "array",
			"description": "With the history: what the agent has replaced, the latest first.",
			"items": {"type": "object"}
		},
		"replaced_not_kept": {
			"type": "integer",
			"description": "How many earlier ones were too many, or too large, to keep."
		}
	},
	` + taskRequired + `
}`)
