package main

import (
	"rialto/mcp"
	"rialto/oauth"
)

// withLogin says of each tool which login it needs. ChatGPT reads it before it
// offers a tool, and asks for what is missing (its documentation on
// authentication, "securitySchemes").
func withLogin(tools []mcp.Tool) []mcp.Tool {
	for i := range tools {
		tools[i].SecuritySchemes = []mcp.SecurityScheme{{Type: "oauth2", Scopes: []string{oauth.ScopeTools}}}
	}
	return tools
}
