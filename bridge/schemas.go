package bridge

import "encoding/json"

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
					"bytes": {"type": "string", "contentEncoding": "base64", "description": "The content, base64. Give this or url."},
					"url": {"type": "string", "description": "Where the agent can get the file."}
				}
			}
		},
		"data": {"type": "object", "description": "Structured input for the agent, for example {\"sql\": \"SELECT 1\"}."},
		"wait": {"type": "number", "minimum": 0, "maximum": 240, "default": 45, "description": "Seconds to wait for the result before returning a task_id."}
	},
	"required": ["message"],
	"additionalProperties": false
}`)

var getTaskInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"task_id": {"type": "string", "minLength": 1, "description": "From the result of send_task."},
		"wait": {"type": "number", "minimum": 0, "maximum": 240, "default": 45, "description": "Seconds to wait for a task that is still working."},
		"history_length": {"type": "integer", "minimum": 0, "maximum": 100, "default": 0, "description": "How many earlier messages of the task to show."}
	},
	"required": ["task_id"],
	"additionalProperties": false
}`)

var taskOutput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"task_id": {"type": "string", "description": "Use it with get_task and send_task."},
		"agent": {"type": "string"},
		"context_id": {"type": "string", "description": "The conversation; empty while the agent has not named it."},
		"state": {"type": "string", "enum": ["submitted", "working", "input-required", "auth-required", "completed", "canceled", "failed", "rejected", "unknown"]},
		"message": {"type": "string", "description": "What the agent said last."},
		"artifacts": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {
					"artifact_id": {"type": "string"},
					"name": {"type": "string"},
					"description": {"type": "string"},
					"parts": {
						"type": "array",
						"items": {
							"type": "object",
							"properties": {
								"kind": {"type": "string", "enum": ["text", "data", "file"]},
								"text": {"type": "string"},
								"data": {"description": "Any JSON value."},
								"filename": {"type": "string"},
								"media_type": {"type": "string"},
								"url": {"type": "string"},
								"size": {"type": "integer", "description": "Bytes of a file whose content is an item of the result."}
							},
							"required": ["kind"]
						}
					}
				},
				"required": ["artifact_id", "parts"]
			}
		},
		"history": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {"role": {"type": "string"}, "text": {"type": "string"}},
				"required": ["role", "text"]
			}
		},
		"error": {
			"type": "object",
			"properties": {"code": {"type": "string"}, "message": {"type": "string"}, "remote": {"type": "boolean"}},
			"required": ["code", "message"]
		},
		"next": {"type": "string", "description": "What to do now."},
		"truncated": {"type": "boolean"}
	},
	"required": ["task_id", "agent", "context_id", "state", "message", "artifacts"]
}`)

var searchInput = json.RawMessage(`{
	"type": "object",
	"properties": {"query": {"type": "string", "minLength": 1, "description": "Words to look for."}},
	"required": ["query"],
	"additionalProperties": false
}`)

// searchOutput and fetchOutput are the shapes that ChatGPT asks of a connector.
var searchOutput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"results": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {"id": {"type": "string"}, "title": {"type": "string"}, "url": {"type": "string"}},
				"required": ["id", "title", "url"]
			}
		}
	},
	"required": ["results"]
}`)

var fetchInput = json.RawMessage(`{
	"type": "object",
	"properties": {"id": {"type": "string", "minLength": 1, "description": "The id of a search result."}},
	"required": ["id"],
	"additionalProperties": false
}`)

var fetchOutput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"id": {"type": "string"},
		"title": {"type": "string"},
		"text": {"type": "string"},
		"url": {"type": "string"},
		"metadata": {"type": "object", "additionalProperties": {"type": "string"}}
	},
	"required": ["id", "title", "text", "url"]
}`)
