package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// Prompt is a text that a person can have the client begin with.
type Prompt struct {
	Name, Title, Description string
	Arguments                []PromptArgument
	Icons                    []Icon

	// Get returns the messages. The required arguments are there.
	Get func(context.Context, *PromptCall) ([]PromptMessage, error)
}

// PromptArgument is what a person fills in before a Prompt is used.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required,omitempty"`
}

// PromptCall is one request for a Prompt.
type PromptCall struct {
	Prompt    string
	Arguments map[string]string
	Principal string // whom it acts for, "" for nobody
	Client    Client

	asker *asker
}

// Ask asks the client, as Call.Ask does.
func (c *PromptCall) Ask(ctx context.Context, questions ...Question) ([]Answer, error) {
	return c.asker.ask(ctx, questions)
}

// PromptMessage is one message of a Prompt. The Role is "user" or "assistant".
type PromptMessage struct {
	Role    string
	Content Content
}

// listedPrompt is a prompt as prompts/list shows it.
type listedPrompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`
	Icons       []Icon           `json:"icons,omitempty"`
}

func (p *prepared) makePrompts(s *Server) error {
	if len(s.Prompts) == 0 {
		return nil
	}
	list := make([]any, 0, len(s.Prompts))
	p.prompts = make(map[string]*Prompt, len(s.Prompts))
	for i := range s.Prompts {
		q := &s.Prompts[i]
		if q.Name == "" || q.Get == nil || p.prompts[q.Name] != nil {
			return fmt.Errorf("mcp: prompt %q has no name or nothing to get, or there are two", q.Name)
		}
		p.prompts[q.Name] = q
		list = append(list, listedPrompt{q.Name, q.Title, q.Description, q.Arguments, q.Icons})
	}
	return p.makeList("prompts/list", "prompts", list, nil)
}

// getPrompt answers prompts/get.
func (x *exchange) getPrompt() (json.RawMessage, error) {
	prompt := x.s.ready.prompts[x.params.Name]
	if prompt == nil {
		return nil, invalidParams("there is no prompt %q, prompts/list names them all", clip(x.params.Name))
	}
	args, err := x.promptArguments(prompt)
	if err != nil {
		return nil, err
	}
	messages, asked, err := handle(x, "prompt", prompt.Name, func(ctx context.Context, a *asker) ([]PromptMessage, error) {
		return prompt.Get(ctx, &PromptCall{Prompt: prompt.Name, Arguments: args, Principal: x.principal, Client: x.client, asker: a})
	})
	if errors.Is(err, ErrNoAnswer) {
		return nil, invalidParams("the prompt needs an answer from the person at the client, and there was none")
	}
	if err != nil || asked != nil {
		return asked, err
	}
	b, err := appendMessages(nil, messages, x.client.Revision)
	if err != nil {
		return nil, err
	}
	return x.result("", "messages", b), nil
}

// promptArguments returns the arguments, of which those must be there that the
// prompt requires.
func (x *exchange) promptArguments(p *Prompt) (args map[string]string, err error) {
	if len(x.params.Arguments) > 0 && json.Unmarshal(x.params.Arguments, &args) != nil {
		return nil, invalidParams("the arguments of a prompt are strings")
	}
	for _, a := range p.Arguments {
		if _, ok := args[a.Name]; a.Required && !ok {
			return nil, invalidParams("the prompt %s needs the argument %q", p.Name, a.Name)
		}
	}
	return args, nil
}

func appendMessages(b []byte, messages []PromptMessage, revision string) ([]byte, error) {
	b = append(b, '[')
	for i, m := range messages {
		if !slices.Contains([]string{"user", "assistant"}, m.Role) {
			return nil, fmt.Errorf("message %d has the role %q", i, m.Role)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"role":"`+m.Role+`","content":`...)
		var err error
		if b, err = appendContent(b, downgrade(m.Content, revision)); err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		b = append(b, '}')
	}
	return append(b, ']'), nil
}
