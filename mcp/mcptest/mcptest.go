// Package mcptest offers the tools that tests of MCP servers call: those that
// the protocol's conformance suite looks for by name, and one that echoes.
package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"rialto/mcp"
)

// Tools returns the tools, in a fixed order.
func Tools() []mcp.Tool {
	return slices.Concat([]mcp.Tool{
		echo(),
		answers("test_simple_text", mcp.Text("This is a simple text response for testing.")),
		answers("test_image_content", mcp.Image(pixel, "image/png")),
		answers("test_audio_content", mcp.Audio(silence, "audio/wav")),
		answers("test_embedded_resource", mcp.Document("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
		answers("test_multiple_content_types",
			mcp.Text("Multiple content types test:"),
			mcp.Image(pixel, "image/png"),
			mcp.Document("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`)),
		answers("test_links",
			mcp.Link("https://example.com/a.pdf", "a.pdf", "application/pdf"),
			mcp.Audio(silence, "audio/wav"),
			mcp.Blob("file:///b.bin", "", []byte{1, 2, 3})),
		logs("test_logging_tool"), logs("test_tool_with_logging"),
		errorHandling(), withProgress(), reconnection(), missingCapability(), headers(), schema2020(), breaks(), protected(),
	}, questions())
}

// pixel is a red picture of one pixel.
var pixel = []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x02\x00\x00\x00\x90wS\xde" +
	"\x00\x00\x00\x0cIDATx\x9cc\xf8\xcf\xc0\x00\x00\x03\x01\x01\x00\xc9\xfe\x92\xef\x00\x00\x00\x00IEND\xaeB`\x82")

// silence is a wave file without samples.
var silence = []byte("RIFF$\x00\x00\x00WAVEfmt \x10\x00\x00\x00\x01\x00\x01\x00\x40\x1f\x00\x00\x40\x1f\x00\x00\x01\x00\x08\x00data\x00\x00\x00\x00")

const noArguments = `{"type":"object","additionalProperties":false}`

func answers(name string, content ...mcp.Content) mcp.Tool {
	return mcp.Tool{
		Name: name, Description: "Answers always the same.", ReadOnly: true, Idempotent: true,
		InputSchema: json.RawMessage(noArguments),
		Call: func(context.Context, *mcp.Call) (*mcp.Result, error) {
			return &mcp.Result{Content: content}, nil
		},
	}
}

func echo() mcp.Tool {
	return mcp.Tool{
		Name: "echo", Title: "Echo", Description: "Returns its text.", ReadOnly: true, Idempotent: true,
		InputSchema: json.RawMessage(`{"type":"object","required":["text"],"additionalProperties":false,"properties":{` +
			`"text":{"type":"string","description":"What to say.","minLength":1,"maxLength":100000,"examples":["hello"]},` +
			`"times":{"type":"integer","minimum":1,"maximum":9},` +
			`"tone":{"enum":["plain","loud"]}}}`),
		OutputSchema: json.RawMessage(`{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}`),
		Call: func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			var in struct {
				Text string `json:"text"`
			}
			if err := json.Unmarshal(c.Arguments, &in); err != nil {
				return nil, err
			}
			return &mcp.Result{Content: []mcp.Content{mcp.Text(in.Text)}, Structured: in}, nil
		},
	}
}

// logs returns a tool that logs to its client, four times.
func logs(name string) mcp.Tool {
	t := answers(name)
	t.Call = func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.Log(mcp.LevelDebug, "", "not for everybody")
		for _, message := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
			c.Log(mcp.LevelInfo, "fixture", message)
		}
		return &mcp.Result{Content: []mcp.Content{mcp.Text("logged")}}, nil
	}
	return t
}

func errorHandling() mcp.Tool {
	t := answers("test_error_handling")
	t.Call = func(context.Context, *mcp.Call) (*mcp.Result, error) {
		return mcp.ErrorResult("This tool intentionally returns an error for testing"), nil
	}
	return t
}

func withProgress() mcp.Tool {
	t := answers("test_tool_with_progress")
	t.Call = func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		for _, percent := range []int{0, 50, 100} {
			c.Progress(fmt.Sprintf("Completed %d of 100", percent))
		}
		return &mcp.Result{Content: []mcp.Content{mcp.Text("done")}}, nil
	}
	return t
}

// reconnection returns a tool that closes its stream, so that the client resumes it.
func reconnection() mcp.Tool {
	t := answers("test_reconnection")
	t.Call = func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		c.CloseStream()
		return &mcp.Result{Content: []mcp.Content{mcp.Text("Reconnected.")}}, nil
	}
	return t
}

func missingCapability() mcp.Tool {
	t := answers("test_missing_capability")
	t.Call = func(context.Context, *mcp.Call) (*mcp.Result, error) {
		return nil, mcp.MissingCapability(json.RawMessage(`{"sampling":{}}`))
	}
	return t
}

func headers() mcp.Tool {
	t := answers("test_headers", mcp.Text("ok"))
	t.InputSchema = json.RawMessage(`{"type":"object","properties":{` +
		`"region":{"type":"string","x-mcp-header":"Region"},"count":{"type":"integer","x-mcp-header":"Count"}}}`)
	return t
}

func schema2020() mcp.Tool {
	t := answers("json_schema_2020_12_tool", mcp.Text("ok"))
	t.InputSchema = json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",` +
		`"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},` +
		`"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},` +
		`"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},` +
		`"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],` +
		`"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},` +
		`"then":{"required":["phone"]},"else":{"required":["email"]},"additionalProperties":false}`)
	return t
}

// breaks returns a tool that fails as its argument says: with an error, a panic, or
// without a result.
func breaks() mcp.Tool {
	t := answers("breaks")
	t.InputSchema = json.RawMessage(`{"type":"object","required":["how"],"properties":{"how":{"type":"string"}}}`)
	t.Call = func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
		switch string(c.Arguments) {
		case `{"how":"panic"}`:
			panic("secret")
		case `{"how":"nothing"}`:
			return nil, nil
		}
		return nil, fmt.Errorf("secret")
	}
	return t
}

func protected() mcp.Tool {
	t := answers("protected", mcp.Text("ok"))
	t.SecuritySchemes = []mcp.SecurityScheme{{Type: "oauth2", Scopes: []string{"agents:read"}}}
	t.OpenWorld, t.Destructive = true, true
	return t
}
