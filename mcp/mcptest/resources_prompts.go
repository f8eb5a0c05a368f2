package mcptest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"rialto/mcp"
)

// Resources returns the resources that the conformance suite reads.
func Resources() []mcp.Resource {
	holds := func(name string, c mcp.Contents) mcp.Resource {
		return mcp.Resource{
			URI: c.URI, Name: name, Description: "Holds always the same.", MIMEType: c.MIMEType,
			Read: func(context.Context, *mcp.Read) ([]mcp.Contents, error) { return []mcp.Contents{c}, nil },
		}
	}
	return []mcp.Resource{
		holds("static-text", mcp.Contents{
			URI: "test://static-text", MIMEType: "text/plain", Text: "This is the content of the static text resource."}),
		holds("static-binary", mcp.Contents{URI: "test://static-binary", MIMEType: "image/png", Data: pixel}),
		holds("watched-resource", mcp.Contents{URI: "test://watched-resource", MIMEType: "text/plain", Text: "Watched."}),
	}
}

// Templates returns the resource template that the conformance suite reads.
func Templates() []mcp.ResourceTemplate {
	return []mcp.ResourceTemplate{{
		URITemplate: "test://template/{id}/data", Name: "template", Description: "Says the id.", MIMEType: "application/json",
		Read: func(_ context.Context, r *mcp.Read) ([]mcp.Contents, error) {
			id := r.Variables["id"]
			if id == "none" {
				return nil, mcp.ErrNoResource
			}
			return []mcp.Contents{{
				URI: r.URI, MIMEType: "application/json",
				Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id),
			}}, nil
		},
	}}
}

func user(content ...mcp.Content) (messages []mcp.PromptMessage) {
	for _, c := range content {
		messages = append(messages, mcp.PromptMessage{Role: "user", Content: c})
	}
	return messages
}

// prompt returns a prompt with required arguments of the names.
func prompt(name string, get func(map[string]string) []mcp.PromptMessage, names ...string) mcp.Prompt {
	p := mcp.Prompt{
		Name: name, Description: "A prompt for tests.",
		Get: func(_ context.Context, c *mcp.PromptCall) ([]mcp.PromptMessage, error) { return get(c.Arguments), nil },
	}
	for _, n := range names {
		p.Arguments = append(p.Arguments, mcp.PromptArgument{Name: n, Description: "An argument.", Required: true})
	}
	return p
}

// Prompts returns the prompts that the conformance suite gets.
func Prompts() []mcp.Prompt {
	return []mcp.Prompt{
		prompt("test_simple_prompt", func(map[string]string) []mcp.PromptMessage {
			return user(mcp.Text("This is a simple prompt for testing."))
		}),
		prompt("test_prompt_with_arguments", func(in map[string]string) []mcp.PromptMessage {
			return user(mcp.Text(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", in["arg1"], in["arg2"])))
		}, "arg1", "arg2"),
		prompt("test_prompt_with_embedded_resource", func(in map[string]string) []mcp.PromptMessage {
			return user(mcp.Document(in["resourceUri"], "text/plain", "Embedded resource content for testing."),
				mcp.Text("Please process the embedded resource above."))
		}, "resourceUri"),
		prompt("test_prompt_with_image", func(map[string]string) []mcp.PromptMessage {
			return user(mcp.Image(pixel, "image/png"), mcp.Text("Please analyze the image above."))
		}),
		asksForContext(),
	}
}

func asksForContext() mcp.Prompt {
	p := prompt("test_input_required_result_prompt", nil)
	p.Get = func(ctx context.Context, c *mcp.PromptCall) ([]mcp.PromptMessage, error) {
		got, err := c.Ask(ctx, mcp.ElicitForm("user_context", "What context should the prompt use?", form(`"context":{"type":"string"}`, `"context"`)))
		if err != nil {
			return nil, err
		}
		return user(mcp.Text(fmt.Sprintf("The context is %s", say(got)...))), nil
	}
	return p
}

// Towns is an mcp.Completer.
type Towns struct{}

// Complete completes names of towns.
func (Towns) Complete(_ context.Context, c *mcp.Completion) (*mcp.Completions, error) {
	towns := []string{"paris", "parma", "perth", "pisa"}
	found := slices.DeleteFunc(towns, func(t string) bool { return !strings.HasPrefix(t, c.Value) })
	return &mcp.Completions{Values: found, Total: len(found)}, nil
}
