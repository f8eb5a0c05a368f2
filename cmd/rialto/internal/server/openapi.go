package server

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"rialto/bridge/api"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/templates"
)

//go:embed openapi.yaml
var openAPISource []byte

// openAPI returns the OpenAPI document: the operations of openapi.yaml, the aliases of each address,
// and the settings of agents. Metadata is the documents of the authorization server, by path.
func openAPI(metadata map[string]any) (json.RawMessage, error) {
	var doc struct {
		Rest       map[string]any                       `yaml:",inline"`
		Paths      map[string]map[string]any            `yaml:"paths"`
		Components map[string]map[string]map[string]any `yaml:"components"`
	}
	if err := yaml.Unmarshal(openAPISource, &doc); err != nil {
		return nil, fmt.Errorf("openapi.yaml: %w", err)
	}

	addAliases(doc.Paths, metadata)
	addAgentSettings(doc.Components["schemas"])
	doc.Rest["paths"] = doc.Paths
	doc.Rest["components"] = doc.Components
	return json.Marshal(doc.Rest)
}

// addAgentSettings adds the settings of an agent to the schemas that have other members, too.
func addAgentSettings(schemas map[string]map[string]any) {
	for _, name := range []string{"ListedAgent", "AgentSetup"} {
		maps.Copy(schemas[name]["properties"].(map[string]any), config.AgentMembers())
	}
	for _, name := range []string{"ListedConnector", "ConnectorSetup"} {
		maps.Copy(schemas[name]["properties"].(map[string]any), config.ConnectorMembers())
	}
}

// addAliases adds the other addresses of operations: of the primary agent at the root,
// of A2A 0.3 below /v1, and of existing clients.
func addAliases(paths map[string]map[string]any, metadata map[string]any) {
	const agent = directory.AgentPath + "{agent}"
	as := func(path string) map[string]any { return map[string]any{"$ref": "#/paths/" + pointer(path)} }
	for path, item := range maps.Clone(paths) {
		if below, ok := strings.CutPrefix(path, agent); ok {
			primary := withoutAgent(item)
			if below == "" {
				paths["/"]["post"] = primary["post"]
				continue
			}
			paths[below] = primary
			if !strings.HasPrefix(below, "/.well-known/") {
				old := "/v1" + strings.Replace(below, "/extendedAgentCard", "/card", 1)
				paths[old], paths[agent+old] = as(below), as(path)
			}
		}
		if below, ok := strings.CutPrefix(path, api.Roots[0]); ok && !forOperators(item) &&
			!strings.HasPrefix(path, api.Shares) {
			for _, root := range api.Roots[1:] {
				paths[root+below] = as(path)
			}
		}
	}

	for path := range strings.FieldsSeq(
		"/authorize /token /register /register/{id} /revoke /introspect /par /userinfo",
	) {
		paths["/mcp/oauth"+path] = as(path)
	}

	for _, at := range []string{"", agent} {
		paths[at+"/.well-known/agent.json"] = as(at + "/.well-known/agent-card.json")
	}

	paths["/agent/authenticatedExtendedCard"] = as("/extendedAgentCard") // of A2A 0.2
	paths["/mcp/"], paths["/sse"] = as("/mcp"), as("/mcp/sse")
	for place := range metadata { // of three kinds
		kind := "/.well-known/oauth-authorization-server"
		switch {
		case strings.Contains(place, "openid"):
			kind = "/.well-known/openid-configuration"
		case strings.Contains(place, "resource"):
			kind = "/.well-known/oauth-protected-resource"
		}
		if _, ok := paths[place]; !ok {
			paths[place] = as(kind)
		}
	}
}

// pointer encodes a path as a member of a JSON Pointer (RFC 6901) in a fragment.
func pointer(path string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D").Replace(path)
}

// withoutAgent returns a path item for the primary agent, whose address has no name.
func withoutAgent(item map[string]any) map[string]any {
	out := maps.Clone(item)
	all, _ := item["parameters"].([]any)
	rest := slices.DeleteFunc(slices.Clone(all), func(p any) bool {
		ref, _ := p.(map[string]any)
		return ref["$ref"] == "#/components/parameters/agent"
	})
	delete(out, "parameters")
	if len(rest) > 0 {
		out["parameters"] = rest
	}

	return out
}

// forOperators tells whether a path is for operators; those have no aliases.
func forOperators(item map[string]any) bool {
	for _, operation := range item {
		about, _ := operation.(map[string]any)
		if tags, _ := about["tags"].([]any); len(tags) > 0 && tags[0] == "admin" {
			return true
		}
	}
	return false
}

// docsPage returns the page that shows openapi.json to people. It is made once, for the first visitor.
func docsPage(cfg *config.Config, spec json.RawMessage) http.HandlerFunc {
	page := sync.OnceValue(func() *templates.Docs {
		page, err := templates.ReadDocs(cfg.Name, cfg.URL, spec)
		if err != nil {
			panic(err) // only a mistake in openapi.yaml ends here, and a test reads it
		}
		return &page
	})
	return func(w http.ResponseWriter, r *http.Request) {
		templates.Write(w, r, http.StatusOK, page().Matching(r.URL.Query().Get("q")))
	}
}
