package bridge

import (
	"context"
	"encoding/json"

	"rialto/mcp"
)

// Document is what fetch returns, in the shape that ChatGPT asks for.
type Document struct {
	ID       string            `json:"id"`
	Title    string            `json:"title"`
	Text     string            `json:"text"`
	URL      string            `json:"url"`
	Metadata map[string]string `json:"metadata,omitempty"`
}

// Ids tell what they name: "agent:NAME", "task:TASK_ID", "artifact:TASK_ID:ID"
// for something that a task has produced, or "doc:NAME:ID" for a document of the
// agent NAME under the agent's own ID.
func agentID(name string) string                { return "agent:" + name }
func taskID(handle string) string               { return "task:" + handle }
func artifactID(handle, artifact string) string { return "artifact:" + handle + ":" + artifact }
func documentID(agent, id string) string        { return "doc:" + agent + ":" + id }

func (b *Bridge) fetch() mcp.Tool {
	return mcp.Tool{
		Name:         "fetch",
		Title:        "Fetch a document",
		Description:  "Fetch the full content of a search result by its id. Also takes \"agent:NAME\" for an agent's description, \"task:TASK_ID\" for one of your tasks, and \"artifact:TASK_ID:ARTIFACT_ID\" for one thing that a task has produced.",
		InputSchema:  fetchInput,
		OutputSchema: fetchOutput,
		ReadOnly:     true,
		Idempotent:   true,
		OpenWorld:    true,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args struct {
				ID string `json:"id"`
			}
			if wrong := c.Decode(&args); wrong != nil {
				return wrong, nil
			}
			doc, err := b.Fetch(ctx, args.ID)
			if err != nil {
				return b.refuse(err)
			}
			return exact(doc, doc.Metadata["agent"])
		},
	}
}

// Fetch returns the document that id names, as far as it fits a result. Its
// errors are ErrNoTask, an *a2a.Error of the agent, or words for the caller.
func (b *Bridge) Fetch(ctx context.Context, id string) (*Document, error) {
	s, err := b.Sheet(ctx, id)
	if err != nil {
		return nil, err
	}
	doc := &Document{ID: s.ID, Title: s.Title, Text: s.words(), URL: s.url, Metadata: s.Fields}
	doc.Metadata["agent"] = s.Agent
	return doc, nil
}

// plain returns a JSON string as its text and any other value as it is
// written: the shape that ChatGPT asks for has texts only.
func plain(v json.RawMessage) string {
	var s string
	if json.Unmarshal(v, &s) == nil {
		return s
	}
	return string(v)
}
