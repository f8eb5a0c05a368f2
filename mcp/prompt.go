package mcp

import (
	"context"
	"fmt"
)

// Prompt is a text with which a person can begin a conversation.
type Prompt struct {
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []PromptArgument `json:"arguments,omitempty"`
	Icons       []Icon           `json:"icons,omitempty"`

	// Get returns the messages. The required arguments are present.
	Get func(context.Context, *PromptCall) ([]PromptMessage, error) `json:"-"`
}

// PromptArgument is an argument of a Prompt that a person fills in.
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
	Principal string // whom it acts for, "" if anonymous
	Client    Client

	elicitor *elicitor
}

// Ask asks the client, as Call.Ask does.
func (c *PromptCall) Ask(ctx context.Context, questions ...Question) ([]Answer, error) {
	return c.elicitor.ask(ctx, questions)
}

// PromptMessage is one message of a Prompt. The Role is "user" or "assistant".
type PromptMessage struct {
	Role    string
	Content Content
}

func (b *built) makePrompts(s *Server) (err error) {
	if len(s.Prompts) == 0 {
		return nil
	}

	list := make([]any, 0, len(s.Prompts))
	b.prompts = make(map[string]*Prompt, len(s.Prompts))
	for i := range s.Prompts {
		p := &s.Prompts[i]
		if p.Name == "" || p.Get == nil || b.prompts[p.Name] != nil {
			return fmt.Errorf(
				"mcp: prompt %q has no name or nothing to get, or there are two", p.Name,
			)
		}
		b.prompts[p.Name] = p
		list = append(list, p)
	}

	b.lists["prompts/list"], err = b.newListing("prompts", list, list)
	return err
}
