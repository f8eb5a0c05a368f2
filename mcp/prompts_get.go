package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"rialto/mcp/internal/wire"
)

func (r *request) getPrompt() (json.RawMessage, error) {
	p := r.s.built.prompts[r.Params.Name]
	if p == nil {
		return nil, wire.InvalidParams(
			"there is no prompt %q, prompts/list names them all", wire.Truncate(r.Params.Name),
		)
	}

	args, err := p.arguments(r.Params.Arguments)
	if err != nil {
		return nil, err
	}

	messages, asked, err := run(
		r,
		"prompt",
		p.Name,
		0,
		func(ctx context.Context, a *elicitor) ([]PromptMessage, error) {
			return p.Get(ctx, &PromptCall{
				Prompt:    p.Name,
				Arguments: args,
				Principal: r.Principal,
				Client:    r.Client,
				elicitor:  a,
			})
		},
	)
	if errors.Is(err, ErrNoAnswer) {
		return nil, wire.InvalidParams(
			"the prompt needs an answer from the person at the client, and there was none",
		)
	}
	if err != nil || asked != nil {
		return asked, err
	}

	b, err := appendMessages(nil, messages, r.Client.Revision)
	if err != nil {
		return nil, err
	}

	return r.result("", "messages", b), nil
}

// arguments reads the arguments of a prompt and checks that the required ones are present.
func (p *Prompt) arguments(raw json.RawMessage) (args map[string]string, err error) {
	if len(raw) > 0 && json.Unmarshal(raw, &args) != nil {
		return nil, wire.InvalidParams("the arguments of a prompt are strings")
	}
	for _, a := range p.Arguments {
		if _, ok := args[a.Name]; a.Required && !ok {
			return nil, wire.InvalidParams("the prompt %s needs the argument %q", p.Name, a.Name)
		}
	}
	return args, nil
}

func appendMessages(b []byte, messages []PromptMessage, revision string) ([]byte, error) {
	b = append(b, '[')
	for i, m := range messages {
		if m.Role != "user" && m.Role != "assistant" {
			return nil, fmt.Errorf("message %d has the role %q", i, m.Role)
		}
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, `{"role":"`+m.Role+`","content":`...)
		content, err := appendContent(b, downgrade(m.Content, revision))
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		b = append(content, '}')
	}

	return append(b, ']'), nil
}
