package tools

import (
	"encoding/json"
	"strings"
)

// isFileType reports whether an input mode is that of a file: every message has text and data.
func isFileType(mode string) bool {
	return !strings.HasPrefix(mode, "text/plain") && !strings.HasPrefix(mode, "application/json")
}

// withFiles adds "files" and "attachments" to the schema of a skill, unless it has such a property
// itself.
func withFiles(schema json.RawMessage) (roomy json.RawMessage, ok bool) {
	var members, properties map[string]json.RawMessage
	err := json.Unmarshal(schema, &members)
	if err == nil {
		err = json.Unmarshal(members["properties"], &properties)
	}
	if err != nil || properties == nil || properties["files"] != nil || properties["attachments"] != nil {
		return schema, false
	}

	properties["files"] = json.RawMessage(skillFiles)
	properties["attachments"] = json.RawMessage(`{"type":"array","maxItems":20,"items":` + attachmentSchema + `}`)
	members["properties"], err = json.Marshal(properties)
	if err == nil {
		roomy, err = json.Marshal(members)
	}
	return roomy, err == nil
}

// takeFiles moves the files from the arguments of a skill to those of send_task.
func takeFiles(arguments json.RawMessage, to *sendArgs) (json.RawMessage, error) {
	var members map[string]json.RawMessage
	err := json.Unmarshal(arguments, &members)
	all := len(members)
	if err == nil && members["files"] != nil {
		err = json.Unmarshal(members["files"], &to.Files)
	}
	if err == nil && members["attachments"] != nil {
		err = json.Unmarshal(members["attachments"], &to.Attachments)
	}
	delete(members, "files")
	delete(members, "attachments")
	if err != nil || len(members) == all {
		return arguments, err // as they were written
	}
	return json.Marshal(members)
}

const skillFiles = `{
			"type": "array",
			"maxItems": 20,
			"items": {
				"type": "object",
				"properties": {"upload": {"type": "string", "description": "Id from request_upload."}},
				"required": ["upload"],
				"additionalProperties": false
			}
		}`
