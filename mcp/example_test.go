package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"rialto/mcp"
)

// greet is a tool that greets by name.
func greet() mcp.Tool {
	return mcp.Tool{
		Name: "greet", Title: "Greet", Description: "Greets a person by name.", ReadOnly: true, Idempotent: true,
		InputSchema: json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
		Call: func(_ context.Context, c *mcp.Call) (*mcp.Result, error) {
			var in struct {
				Name string `json:"name"`
			}
			if problem := c.Decode(&in); problem != nil {
				return problem, nil
			}
			return &mcp.Result{Content: []mcp.Content{mcp.Text("Hello, " + in.Name + "!")}}, nil
		},
	}
}

// call posts one message and prints the response.
func call(url, message string) {
	resp, err := http.Post(url, "application/json", strings.NewReader(message))
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	fmt.Println(resp.StatusCode, string(b))
}

// A server is an http.Handler. The zero value of every other field is useful.
func ExampleServer() {
	s := &mcp.Server{Info: mcp.Implementation{Name: "greeter", Version: "1"}, Tools: []mcp.Tool{greet()}}
	if err := s.Check(); err != nil {
		fmt.Println(err)
		return
	}
	srv := httptest.NewServer(s)
	defer srv.Close()
	call(srv.URL, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{"name":"Ada"}}}`)
	// Output: 200 {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Hello, Ada!"}]}}
}

// Arguments that do not match the schema are explained to the model.
func ExampleTool_inputErrors() {
	srv := httptest.NewServer(&mcp.Server{Info: mcp.Implementation{Name: "greeter", Version: "1"}, Tools: []mcp.Tool{greet()}})
	defer srv.Close()
	call(srv.URL, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet","arguments":{}}}`)
	// Output: 200 {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"Invalid arguments for greet:\n- \"name\" is missing, a string\nValid arguments, for example: {\"name\":\"...\"}"}],"isError":true}}
}

// A method can have an address of its own, which takes the params alone.
func ExampleServer_MethodHandler() {
	s := &mcp.Server{Info: mcp.Implementation{Name: "greeter", Version: "1"}, Tools: []mcp.Tool{greet()}}
	srv := httptest.NewServer(s.MethodHandler("tools/call", http.MethodPost))
	defer srv.Close()
	call(srv.URL, `{"name":"greet","arguments":{"name":"Ada"}}`)
	// Output: 200 {"content":[{"type":"text","text":"Hello, Ada!"}]}
}

// A tool asks the person at the client. A client of 2026-07-28 gets the question as the
// result, and repeats the call with the answer.
func ExampleCall_Ask() {
	confirm := mcp.ElicitForm("confirm", "Delete all files?",
		json.RawMessage(`{"type":"object","properties":{"sure":{"type":"boolean"}},"required":["sure"]}`))
	tool := mcp.Tool{
		Name: "delete", InputSchema: json.RawMessage(`{"type":"object"}`), Destructive: true,
		Call: func(ctx context.Context, c *mcp.Call) (*mcp.Result, error) {
			answers, err := c.Ask(ctx, confirm)
			if err != nil {
				return nil, err // the question is on its way, or the client cannot be asked
			}
			if !answers[0].Accepted() {
				return mcp.ErrorResult("The person declined."), nil
			}
			return &mcp.Result{Content: []mcp.Content{mcp.Text("Deleted.")}}, nil
		},
	}
	fmt.Println(tool.Check(), confirm.Key())
	// Output: <nil> confirm
}
