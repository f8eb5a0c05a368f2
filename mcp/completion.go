package mcp

import (
	"context"
	"encoding/json"
	"fmt"
)

// Completion is a value that somebody has begun to write: of an argument of a
// prompt, or of a variable of a resource template.
type Completion struct {
	Prompt, Template string // the one that is not empty is meant
	Argument, Value  string
	Known            map[string]string // the other arguments, as far as they are written
	Principal        string
	Client           Client
}

// Completions are what the value may be going to be, the likeliest first.
type Completions struct {
	Values []string // a client is shown the first hundred
	Total  int      // of all there are; zero if it is not known
}

// mostValues is how many values one answer may have (2026-07-28,
// server/utilities/completion, "Completion Results").
const mostValues = 100

// complete answers completion/complete.
func (x *exchange) complete() (json.RawMessage, error) {
	c := &Completion{
		Argument: x.params.other().Argument.Name, Value: x.params.other().Argument.Value,
		Known: x.params.other().Context.Arguments, Principal: x.principal, Client: x.client,
	}
	switch ref := x.params.other().Ref; {
	case ref.Type == "ref/prompt" && x.s.ready.prompts[ref.Name] != nil:
		c.Prompt = ref.Name
	case ref.Type == "ref/resource" && x.s.ready.hasTemplate(ref.URI):
		c.Template = ref.URI
	default:
		return nil, invalidParams("the ref names no prompt and no resource template")
	}
	found, asked, err := handle(x, "completion", "", func(ctx context.Context, _ *asker) (*Completions, error) {
		return x.s.Complete(ctx, c)
	})
	switch {
	case err != nil || asked != nil:
		return asked, err
	case found == nil:
		return nil, fmt.Errorf("completion returned neither values nor an error")
	}
	b, err := json.Marshal(found.page())
	if err != nil {
		return nil, fmt.Errorf("completion: %w", err)
	}
	return x.result("", "completion", b), nil
}

type completionPage struct {
	Values  []string `json:"values"`
	Total   int      `json:"total,omitempty"`
	HasMore bool     `json:"hasMore"`
}

func (c *Completions) page() completionPage {
	values := c.Values[:min(len(c.Values), mostValues)]
	if values == nil {
		values = []string{}
	}
	return completionPage{values, c.Total, max(c.Total, len(c.Values)) > len(values)}
}

func (p *prepared) hasTemplate(uri string) bool {
	for _, t := range p.templates {
		if t.URITemplate == uri {
			return true
		}
	}
	return false
}
