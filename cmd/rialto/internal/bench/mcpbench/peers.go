package mcpbench

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"net/http"

	gomcp "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	gosdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"rialto/cmd/rialto/internal/bench/harness"
	"rialto/mcp"
)

// peer is a server, and the eras in which it is to be called.
type peer struct {
	name    string
	handler http.Handler
	eras    []harness.Era
}

const schema = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`

func rialto() peer {
	return peer{"rialto", &mcp.Server{
		Info:       mcp.Implementation{Name: "bench", Version: "1"},
		SessionKey: []byte(rand.Text()),
		Tools: []mcp.Tool{{
			Name: "echo", Description: "Echoes the text.", InputSchema: json.RawMessage(schema),
			Call: func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
				var in echo
				if wrong := c.Decode(&in); wrong != nil {
					return wrong, nil
				}
				return &mcp.Result{Content: []mcp.Content{mcp.Text(in.Text)}}, nil
			},
		}},
	}, []harness.Era{harness.Legacy, harness.Current}}
}

func mcpGo(options ...server.StreamableHTTPOption) http.Handler {
	s := server.NewMCPServer("bench", "1")
	s.AddTool(gomcp.NewToolWithRawSchema("echo", "Echoes the text.", json.RawMessage(schema)),
		func(_ context.Context, r gomcp.CallToolRequest) (*gomcp.CallToolResult, error) {
			text, err := r.RequireString("text")
			if err != nil {
				return nil, err
			}
			return gomcp.NewToolResultText(text), nil
		})
	return server.NewStreamableHTTPServer(s, options...)
}

func mcpGoStateful() peer {
	return peer{"mcp-go, stateful", mcpGo(server.WithStateful(true)), []harness.Era{harness.Legacy, harness.Current}}
}

func mcpGoStateless() peer {
	return peer{"mcp-go, stateless", mcpGo(server.WithStateLess(true)), []harness.Era{harness.Legacy, harness.Current}}
}

type echo struct {
	Text string `json:"text"`
}

func goSDK(options *gosdk.StreamableHTTPOptions) http.Handler {
	s := gosdk.NewServer(&gosdk.Implementation{Name: "bench", Version: "1"}, nil)
	gosdk.AddTool(s, &gosdk.Tool{Name: "echo", Description: "Echoes the text."},
		func(_ context.Context, _ *gosdk.CallToolRequest, in echo) (*gosdk.CallToolResult, any, error) {
			return &gosdk.CallToolResult{Content: []gosdk.Content{&gosdk.TextContent{Text: in.Text}}}, nil, nil
		})
	return gosdk.NewStreamableHTTPHandler(func(*http.Request) *gosdk.Server { return s }, options)
}

func goSDKStateful() peer {
	return peer{"go-sdk, stateful", goSDK(&gosdk.StreamableHTTPOptions{JSONResponse: true}), []harness.Era{harness.Legacy}}
}

func goSDKStateless() peer {
	return peer{"go-sdk, stateless", goSDK(&gosdk.StreamableHTTPOptions{JSONResponse: true, Stateless: true}), []harness.Era{harness.Legacy, harness.Current}}
}
