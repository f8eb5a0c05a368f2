package mcptest

import (
	"context"
	"encoding/json"
	"fmt"

	"rialto/mcp"
)

// The questions that the conformance suite expects, by the keys it expects.
var (
	askName     = mcp.ElicitForm("user_name", "What is your name?", form(`"name":{"type":"string"}`, `"name"`))
	askConfirm  = mcp.ElicitForm("confirm", "Please confirm", form(`"ok":{"type":"boolean"}`, `"ok"`))
	askCapital  = sample("capital_question", sampling("What is the capital of France?", 100))
	askGreeting = sample("greeting", sampling("Generate a greeting", 50))
	askRoots    = mcp.Ask("client_roots", "roots/list", json.RawMessage("{}"), "roots")
)

func sample(key string, params json.RawMessage) mcp.Question {
	return mcp.Ask(key, "sampling/createMessage", params, "sampling")
}

func form(properties, required string) json.RawMessage {
	return json.RawMessage(`{"type":"object","properties":{` + properties + `},"required":[` + required + `]}`)
}

func sampling(prompt string, tokens int) json.RawMessage {
	b, _ := json.Marshal(prompt) // strings always have a JSON form
	return fmt.Appendf(nil, `{"messages":[{"role":"user","content":{"type":"text","text":%s}}],"maxTokens":%d}`, b, tokens)
}

func questions() []mcp.Tool {
	const required = "test_input_required_result_"
	return []mcp.Tool{
		asks(required+"elicitation", "Hello, %s!", askName),
		asks("test_streaming_elicitation", "Hello, %s!", askName),
		asks(required+"sampling", "The model says %s", askCapital),
		asks(required+"list_roots", "The roots are %s", askRoots),
		asks(required+"request_state", "state-ok %s", askConfirm),
		asks(required+"tampered_state", "state-ok %s", askConfirm),
		asks(required+"multiple_inputs", "%s %s %s", askName, askGreeting, askRoots),
		multiRound(), asksIfAllowed(), opensURL(),
		asks("test_elicitation_sep1034_defaults", "Elicitation completed: %s",
			mcp.ElicitForm("defaults", "Please review the defaults", form(defaults, ""))),
		asks("test_elicitation_sep1330_enums", "Elicitation completed: %s",
			mcp.ElicitForm("enums", "Please choose", form(enums, ""))),
		asksFromArgument("test_elicitation", "message", func(message string) mcp.Question {
			return mcp.ElicitForm("user", message, form(`"username":{"type":"string","description":"User's response"},`+
				`"email":{"type":"string","description":"User's email address"}`, `"username","email"`))
		}),
		asksFromArgument("test_sampling", "prompt", func(prompt string) mcp.Question {
			return sample("model", sampling(prompt, 100))
		}),
	}
}

const defaults = `"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},` +
	`"score":{"type":"number","default":95.5},"verified":{"type":"boolean","default":true},` +
	`"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"}`

const enums = `"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},` +
	`"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},` +
	`"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},` +
	`"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},` +
	`"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}`

func asks(name, format string, questions ...mcp.Question) mcp.Tool {
	t := answers(name)
	t.Call = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		got, err := c.Ask(ctx, questions...)
		if err != nil {
			return nil, err
		}
		return &mcp.Result{Content: []mcp.Content{mcp.Text(fmt.Sprintf(format, say(got)...))}}, nil
	}
	return t
}

func say(answers []mcp.Answer) (words []any) {
	for _, a := range answers {
		var sampled struct{ Content struct{ Text string } }
		switch {
		case a.Content != nil || !a.Accepted():
			words = append(words, fmt.Sprintf("action=%s, content=%s", a.Action, a.Content))
		case json.Unmarshal(a.Raw, &sampled) == nil && sampled.Content.Text != "":
			words = append(words, "LLM response: "+sampled.Content.Text)
		default:
			words = append(words, string(a.Raw))
		}
	}
	return words
}

// asksFromArgument returns a tool that asks the question that question makes of its argument.
func asksFromArgument(name, argument string, question func(string) mcp.Question) mcp.Tool {
	t := answers(name)
	t.InputSchema = form(`"`+argument+`":{"type":"string"}`, `"`+argument+`"`)
	t.Call = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		var in map[string]string
		if err := json.Unmarshal(c.Arguments, &in); err != nil {
			return nil, err
		}
		got, err := c.Ask(ctx, question(in[argument]))
		if err != nil {
			return nil, err
		}
		return &mcp.Result{Content: []mcp.Content{mcp.Text(fmt.Sprintf("User response: %s", say(got)...))}}, nil
	}
	return t
}

// multiRound returns a tool that asks one question after the other.
func multiRound() mcp.Tool {
	t := answers("test_input_required_result_multi_round")
	t.Call = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		name, err := c.Ask(ctx, mcp.ElicitForm("step1", "Step 1: What is your name?", form(`"name":{"type":"string"}`, `"name"`)))
		if err != nil {
			return nil, err
		}
		color, err := c.Ask(ctx, mcp.ElicitForm("step2", "Step 2: What is your favorite color?", form(`"color":{"type":"string"}`, `"color"`)))
		if err != nil {
			return nil, err
		}
		return &mcp.Result{Content: []mcp.Content{mcp.Text(fmt.Sprint(append(say(name), say(color)...)...))}}, nil
	}
	return t
}

// asksIfAllowed returns a tool that asks only what the client declared.
func asksIfAllowed() mcp.Tool {
	t := answers("test_input_required_result_capabilities")
	t.Call = func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
		var can []mcp.Question
		for _, q := range []mcp.Question{askName, askCapital} {
			if c.CanAsk(q) {
				can = append(can, q)
			}
		}
		got, err := c.Ask(ctx, can...)
		if err != nil {
			return nil, err
		}
		return &mcp.Result{Content: []mcp.Content{mcp.Text(fmt.Sprint(say(got)...))}}, nil
	}
	return t
}

// opensURL returns a tool that asks the person to open a page.
func opensURL() mcp.Tool {
	return asks("test_elicitation_url", "Visited: %s", mcp.ElicitURL("visit", "Please sign in", "https://example.com/sign-in"))
}
