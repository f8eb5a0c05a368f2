package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"rialto/mcp/internal/wire"
)

// Completer completes values that a person has begun to type. It is used concurrently.
type Completer interface {
	Complete(context.Context, *Completion) (*Completions, error)
}

// Completion asks for the rest of a value that a person has begun to type: of an
// argument of a prompt, or of a variable of a resource template.
type Completion struct {
	Prompt, Template string // one of them is empty
	Argument, Value  string
	Known            map[string]string // the other arguments so far
	Principal        string
	Client           Client
}

// Completions are possible values, the likeliest first.
type Completions struct {
	Values []string // a client gets the first hundred
	Total  int      // of all values; zero if unknown
}

// maxValues is how many values one response may have (2026-07-28,
// server/utilities/completion, "Completion Results").
const maxValues = 100

// complete answers completion/complete.
func (r *request) complete() (json.RawMessage, error) {
	p := r.Params.Other()
	c := &Completion{
		Argument: p.Argument.Name, Value: p.Argument.Value,
		Known: p.Context.Arguments, Principal: r.Principal, Client: r.Client,
	}
	switch {
	case p.Ref.Type == "ref/prompt" && r.s.built.prompts[p.Ref.Name] != nil:
		c.Prompt = p.Ref.Name
	case p.Ref.Type == "ref/resource" && r.s.built.hasTemplate(p.Ref.URI):
		c.Template = p.Ref.URI
	default:
		return nil, wire.InvalidParams("the ref names no prompt and no resource template")
	}

	found, asked, err := run(
		r,
		"completion",
		"",
		0,
		func(ctx context.Context, _ *elicitor) (*Completions, error) {
			return r.s.Completer.Complete(ctx, c)
		},
	)
	switch {
	case err != nil || asked != nil:
		return asked, err
	case found == nil:
		return nil, fmt.Errorf("completion returned neither values nor an error")
	}

	b, err := json.Marshal(found)
	if err != nil {
		return nil, fmt.Errorf("completion: %w", err)
	}

	return r.result("", "completion", b), nil
}

// MarshalJSON writes what completion/complete shows.
func (c *Completions) MarshalJSON() ([]byte, error) {
	values := append([]string{}, c.Values[:min(len(c.Values), maxValues)]...)
	return json.Marshal(struct {
		Values  []string `json:"values"`
		Total   int      `json:"total,omitempty"`
		HasMore bool     `json:"hasMore"`
	}{values, c.Total, max(c.Total, len(c.Values)) > len(values)})
}

func (b *built) hasTemplate(uri string) bool {
	return slices.ContainsFunc(b.templates, func(t *template) bool { return t.URITemplate == uri })
}
