package tools

import "encoding/json"

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
