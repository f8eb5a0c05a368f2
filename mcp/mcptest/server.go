package mcptest

import (
	"crypto/rand"
	"slices"

	"rialto/mcp"
)

// Server returns a server that has everything the protocol's conformance suite
// looks for, without a login.
func Server() *mcp.Server {
	tasks := new(Tasks)
	return &mcp.Server{
		Info:       mcp.Implementation{Name: "fixture", Version: "1"},
		SessionKey: []byte(rand.Text()), Strict: true,
		Tools: slices.Concat(Tools(), TaskTools(tasks)), Tasks: tasks,
		Resources: Resources(), Templates: Templates(), Prompts: Prompts(), Completer: Towns{},
		Extensions: mcp.Extensions{Skills: Skills{}}, Logging: true, Changing: true,
	}
}
