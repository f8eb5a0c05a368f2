package tools

import (
	"encoding/json"
)

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
		"message_id": {"type": "string", "minLength": 1, "maxLength": 200, "description": "Your own id for this message. When you repeat a call whose result did not arrive, give the same id and arguments: the message is not sent twice."},
		"wait": {"type": "number", "minimum": 0, "maximum": 240, "default": 45, "description": "Seconds to wait for the result before returning a task_id."}
	},
	"required": ["message"],
	"additionalProperties": false
}`)

// skillInput is the input of the tool of a skill without a schema.
var skillInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"message": {"type": "string", "minLength": 1, "description": "What you want from the agent, in full: it sees nothing of this chat."},
		"data": {"type": "object", "description": "Structured input, where the description asks for some."},
		"context_id": {"type": "string", "description": "Stay in the conversation of an earlier result of this agent."},
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
		"history_length": {"type": "integer", "minimum": 0, "maximum": 100, "default": 0, "description": "How many earlier messages of the task to show, with the states that it has been in and the results that were replaced. They come behind the result: where that is long, on its last pages."},
		"cursor": {"type": "string", "description": "next_cursor of the result before, for its next part."}
	},
	"required": ["task_id"],
	"additionalProperties": false
}`)

var cancelTaskInput = json.RawMessage(`{
	"type": "object",
	"properties": {"task_id": {"type": "string", "minLength": 1, "description": "From the result of send_task."}},
	"required": ["task_id"],
	"additionalProperties": false
}`)

var listTasksInput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"agent": {"type": "string", "description": "Only tasks of this agent."},
		"state": {"type": "string", "enum": ["submitted", "working", "input-required", "auth-required", "completed", "canceled", "failed", "rejected", "unknown"], "description": "Only tasks in this state."},
		"since": {"type": "string", "format": "date-time", "description": "Only tasks sent at this time or later, for example 2026-11-20T00:00:00Z."},
		"limit": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
		"cursor": {"type": "string", "description": "next_cursor of the page before."}
	},
	"additionalProperties": false
}`)

var listTasksOutput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"tasks": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {
					"task_id": {"type": "string"},
					"agent": {"type": "string"},
					"context_id": {"type": "string"},
					"state": {"type": "string"},
					"asked": {"type": "string", "description": "The beginning of what the agent was asked."},
					"message": {"type": "string", "description": "The beginning of what the agent said last."},
					"created": {"type": "string", "format": "date-time"},
					"updated": {"type": "string", "format": "date-time"}
				},
				"required": ["task_id", "agent", "context_id", "state", "created", "updated"]
			}
		},
		"next_cursor": {"type": "string", "description": "There is more: call again with this cursor."}
	},
	"required": ["tasks"]
}`)

var getAgentInput = json.RawMessage(`{
	"type": "object",
	"properties": {"agent": {"type": "string", "description": "Name of the agent, from list_agents. May be left out if there is a default."}},
	"additionalProperties": false
}`)

// taskMembers are the members that the results of all tasks have. Schemas of results are listed for
// every tool, and there is one for each skill: so they name what a program reads, leave the rest
// open, and use no "$ref", which some clients cannot resolve.
const taskMembers = `
		"task_id": {"type": "string"},
		"agent": {"type": "string"},
		"context_id": {"type": "string"},
		"state": {"type": "string"},
		"message": {"type": "string"},
		"next": {"type": "string"},
		"answer_url": {"type": "string"},
		"next_cursor": {"type": "string"},
		"error": {"type": "object"}`

const taskRequired = `"required": ["task_id", "agent", "context_id", "state", "message", "artifacts"]`

// taskOutput is the result of a tool that is about a task. The schema of get_task has the details.
var taskOutput = json.RawMessage(`{
	"type": "object",
	"properties": {` + taskMembers + `,
		"artifacts": {"type": "array", "items": {"type": "object"}}
	},
	` + taskRequired + `
}`)

// partsSchema is the schema of the parts of an artifact or a message.
const partsSchema = `{
	"type": "array",
	"items": {
		"type": "object",
		"properties": {
			"kind": {"type": "string", "enum": ["text", "data", "file"]},
			"text": {"type": "string"},
			"data": {"description": "Any JSON value.", "anyOf": [{"type": "object"}, {"type": "array"}, {"type": "string"}, {"type": "number"}, {"type": "boolean"}, {"type": "null"}]},
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
		"message_parts": {"type": "array", "description": "Files and data of the message.", "items": {"type": "object"}},
		"truncated": {"type": "boolean"},
		"history": {"type": "array", "items": {"type": "object"}},
		"statuses": {"type": "array", "description": "With the history: the states that the task has been in.", "items": {"type": "object"}},
		"replaced_artifacts": {"type": "array", "description": "With the history: what the agent has replaced, the latest first.", "items": {"type": "object"}},
		"replaced_not_kept": {"type": "integer", "description": "How many earlier ones were too many, or too large, to keep."}
	},
	` + taskRequired + `
}`)

var searchInput = json.RawMessage(`{
	"type": "object",
	"properties": {"query": {"type": "string", "minLength": 1, "description": "Words to look for."}},
	"required": ["query"],
	"additionalProperties": false
}`)

// searchOutput and fetchOutput have the shapes of ChatGPT connectors.
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

var shareInput = json.RawMessage(`{
	"type": "object",
	"properties": {"id": {"type": "string", "minLength": 1, "description": "What fetch takes: task:…, artifact:… or doc:…."}},
	"required": ["id"],
	"additionalProperties": false
}`)

var shareOutput = json.RawMessage(`{
	"type": "object",
	"properties": {
		"url": {"type": "string", "description": "The link. It cannot be shown again."},
		"share_id": {"type": "string"},
		"id": {"type": "string", "description": "What it shows."},
		"title": {"type": "string"},
		"created": {"type": "string", "format": "date-time"},
		"expires": {"type": "string", "format": "date-time"}
	},
	"required": ["url", "share_id", "id", "title", "created", "expires"]
}`)

const agentSchema = `{
	"type": "object",
	"properties": {
		"name": {"type": "string", "description": "Use it as the argument \"agent\" of send_task."},
		"title": {"type": "string"},
		"description": {"type": "string"},
		"version": {"type": "string"},
		"default": {"type": "boolean", "description": "Tasks go here when send_task names no agent."},
		"available": {"type": "boolean"},
		"problem": {"type": "string", "description": "Why the agent is not available."},
		"connected": {"type": "boolean", "description": "Whether the user has connected this agent, where users do that themselves."},
		"connect_url": {"type": "string", "description": "Where the user connects it, in a browser."},
		"skills": {
			"type": "array",
			"items": {
				"type": "object",
				"properties": {
					"id": {"type": "string", "description": "Use it as the argument \"skill\" of send_task."},
					"name": {"type": "string"},
					"description": {"type": "string"},
					"tags": {"type": "array", "items": {"type": "string"}},
					"examples": {"type": "array", "items": {"type": "string"}}
				},
				"required": ["id", "name"]
			}
		}
	},
	"required": ["name", "default", "available", "skills"]
}`

var agentOutput = json.RawMessage(agentSchema)

var listAgentsOutput = json.RawMessage(`{
	"type": "object",
	"properties": {"agents": {"type": "array", "items": ` + agentSchema + `}},
	"required": ["agents"]
}`)
