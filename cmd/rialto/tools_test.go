package main

import (
	"slices"
	"testing"

	"rialto/mcp"
	"rialto/oauth"
)

// ChatGPT reads which login a tool needs from the tool, or from its _meta where
// a parser between has dropped what the specification does not know.
func TestToolsSayWhichLoginTheyNeed(t *testing.T) {
	r := newRig(t)
	var got struct {
		Result struct {
			Tools []struct {
				Name            string
				SecuritySchemes []mcp.SecurityScheme
				Meta            struct{ SecuritySchemes []mcp.SecurityScheme } `json:"_meta"`
			}
		}
	}
	r.do("POST", "/mcp", r.token("alice", oauth.ScopeTools), `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`).decode(t, &got)
	if len(got.Result.Tools) < 8 {
		t.Fatalf("got %d tools", len(got.Result.Tools))
	}
	for _, tool := range got.Result.Tools {
		for where, schemes := range map[string][]mcp.SecurityScheme{"securitySchemes": tool.SecuritySchemes, "_meta": tool.Meta.SecuritySchemes} {
			if len(schemes) != 1 || schemes[0].Type != "oauth2" || !slices.Equal(schemes[0].Scopes, []string{oauth.ScopeTools}) {
				t.Errorf("%s: got %v in %s, want oauth2 with the scope of the tools", tool.Name, schemes, where)
			}
		}
	}
}
