package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rialto/a2a"
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

// Ids tell what they name: "agent:NAME", "task:TASK_ID", or "doc:NAME:ID" for
// a document of the agent NAME under the agent's own ID.
func agentID(name string) string         { return "agent:" + name }
func taskID(handle string) string        { return "task:" + handle }
func documentID(agent, id string) string { return "doc:" + agent + ":" + id }

func (b *Bridge) fetch() mcp.Tool {
	return mcp.Tool{
		Name:         "fetch",
		Title:        "Fetch a document",
		Description:  "Fetch the full content of a search result by its id. Also takes \"agent:NAME\" for an agent's description and \"task:TASK_ID\" for one of your tasks.",
		InputSchema:  fetchInput,
		OutputSchema: fetchOutput,
		ReadOnly:     true,
		Idempotent:   true,
		OpenWorld:    true,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			var args struct{ ID string }
			if err := json.Unmarshal(c.Arguments, &args); err != nil {
				return mcp.InputError("The arguments of fetch could not be read: %v.", err), nil
			}
			doc, err := b.Fetch(ctx, args.ID)
			if err != nil {
				return b.refuse(err)
			}
			return exact(doc)
		},
	}
}

// Fetch returns the document that id names. Its errors are ErrNoTask, an
// *a2a.Error of the agent, or words for the caller.
func (b *Bridge) Fetch(ctx context.Context, id string) (*Document, error) {
	kind, rest, _ := strings.Cut(id, ":")
	switch kind {
	case "agent":
		return b.fetchCard(ctx, rest)
	case "task":
		return b.fetchTask(ctx, rest)
	case "doc":
		if agent, own, ok := strings.Cut(rest, ":"); ok {
			return b.fetchDocument(ctx, agent, own)
		}
	}
	return nil, inputError{fmt.Sprintf("There is no document with the id %q. Use an id from a result of search.", shown(id, 200))}
}

func (b *Bridge) fetchCard(ctx context.Context, name string) (*Document, error) {
	conn, err := b.named(ctx, name, b.Caller(ctx).User)
	if err != nil {
		return nil, err
	}
	card, id := conn.Card(), agentID(name)
	return &Document{
		ID: id, Title: "Agent: " + clean(card.Name), Text: clip(describeCard(card), maxText), URL: b.documentURL(id),
		Metadata: map[string]string{"agent": name, "version": clean(card.Version)},
	}, nil
}

func (b *Bridge) fetchTask(ctx context.Context, handle string) (*Document, error) {
	e, err := b.Ledger.Task(ctx, b.Caller(ctx).User, handle)
	if err != nil {
		return nil, err
	}
	id := taskID(handle)
	return &Document{
		ID: id, Title: fmt.Sprintf("Task of %s, %s", e.Agent, e.State()), Text: describeTask(e), URL: b.documentURL(id),
		Metadata: map[string]string{"agent": e.Agent, "state": string(e.State())},
	}, nil
}

func (b *Bridge) fetchDocument(ctx context.Context, agent, own string) (*Document, error) {
	if _, err := b.named(ctx, agent, b.Caller(ctx).User); err != nil {
		return nil, err
	}
	var answer struct {
		Title    string                     `json:"title"`
		Text     string                     `json:"text"`
		URL      string                     `json:"url"`
		Metadata map[string]json.RawMessage `json:"metadata"`
	}
	ctx, cancel := context.WithTimeout(ctx, fetchBudget)
	defer cancel()
	if err := b.ask(ctx, b.peers[agent], fetchSkill, "id", own, "text", &answer); err != nil {
		return nil, err
	}
	id := documentID(agent, own)
	doc := &Document{ID: id, Title: shown(answer.Title, 300), Text: shown(answer.Text, maxText), URL: b.openable(answer.URL, id)}
	doc.Metadata = map[string]string{}
	for _, k := range slices.Sorted(maps.Keys(answer.Metadata))[:min(len(answer.Metadata), 30)] {
		doc.Metadata[shown(k, maxName)] = shown(plain(answer.Metadata[k]), 500)
	}
	doc.Metadata["agent"] = agent
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

// named connects to an agent that must be named, for calls in the name of user.
func (b *Bridge) named(ctx context.Context, name, user string) (Peer, error) {
	p, ok := b.peers[name]
	if !ok || !b.Caller(ctx).sees(p.Agent) {
		return nil, inputError{fmt.Sprintf("There is no agent named %q. Call list_agents for the names.", shown(name, 100))}
	}
	return b.connectFor(ctx, p, user)
}

// describeCard puts a card into words.
func describeCard(card *a2a.Card) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%s\n%s\n", clean(card.Name), clean(card.Description))
	for _, k := range card.Skills {
		fmt.Fprintf(&s, "\nSkill %s: %s\n%s\n", clean(k.ID), clean(k.Name), clean(k.Description))
		for _, example := range k.Examples {
			fmt.Fprintf(&s, "Example: %s\n", clean(example))
		}
	}
	return s.String()
}

// describeTask puts a task and its text artifacts into words.
func describeTask(e *Entry) string {
	r := result(e, page{history: 100})
	info := r.Structured.(*TaskInfo)
	var s strings.Builder
	for _, a := range info.Artifacts {
		if a.Name != "" {
			fmt.Fprintf(&s, "%s\n", a.Name)
		}
		for _, p := range a.Parts {
			s.WriteString(p.Text)
			s.Write(p.Data)
			s.WriteString("\n")
		}
	}
	fmt.Fprintf(&s, "%s\n%s", info.Message, info.Next)
	return strings.TrimSpace(s.String())
}
