package documents

import (
	"context"
	"encoding/json"
	"rialto/bridge/directory"
	"strings"
)

// Document is the result of fetch, in the shape of ChatGPT connectors.
type Document struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Text     string            `json:"text"`
	URL      string            `json:"url"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

// Document ids are "agent:NAME", "task:TASK_ID", "artifact:TASK_ID:ID", and
// "doc:NAME:ID" for a document of the agent NAME under its own ID.
func agentID(name string) string { return "agent:" + name }

// TaskID returns the id of a task among documents.
func TaskID(handle string) string               { return "task:" + handle }
func artifactID(handle, artifact string) string { return "artifact:" + handle + ":" + artifact }
func documentID(agent, id string) string        { return "doc:" + agent + ":" + id }

// Fetch returns the document with an id, truncated to fit a result. Its errors are
// ErrNoTask, an *a2a.Error of the agent, or an InputError.
func (sv *Service) Fetch(ctx context.Context, access directory.Access, id string) (*Document, error) {
	s, err := sv.View(ctx, access, id)
	if err != nil {
		return nil, err
	}
	doc := &Document{ID: s.ID, Title: s.Title, Text: s.text(), URL: s.url, Metadata: s.Fields}
	doc.Metadata["agent"] = s.Agent
	return doc, nil
}

// plain returns a JSON string as text and any other value as JSON, because metadata of
// a document are texts.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}

// AgentNamed returns the agent in the id of a document, or "".
func AgentNamed(id string) string {
	kind, rest, _ := strings.Cut(id, ":")
	if kind != "agent" && kind != "doc" {
		return ""
	}
	name, _, _ := strings.Cut(rest, ":")
	return name
}
