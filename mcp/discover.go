package mcp

import (
	"encoding/json"
	"slices"

	gomcp "github.com/mark3labs/mcp-go/mcp"
)

// discover answers server/discover. It does so for clients of every era, for
// there are some that ask before they know which they want.
func (x *exchange) discover() (json.RawMessage, error) { return x.s.ready.discover, nil }

// capabilities returns what the server can do, as the revision declares it.
func (p *prepared) capabilities(revision string) json.RawMessage {
	tools, resources := "{}", "{}"
	if p.changing {
		tools, resources = `{"listChanged":true}`, `{"subscribe":true}`
		if p.listing {
			resources = `{"listChanged":true,"subscribe":true}`
		}
	}
	b := []byte(`{"tools":` + tools)
	if p.resources != nil {
		b = append(b, `,"resources":`+resources...)
	}
	if p.prompts != nil {
		b = append(b, `,"prompts":{}`...)
	}
	if p.logging {
		b = append(b, `,"logging":{}`...)
	}
	if p.completes {
		b = append(b, `,"completions":{}`...)
	}
	switch {
	case p.tasks && modern(revision):
		b = append(b, `,"extensions":{"`+TasksExtension+`":{}}`...)
	case p.tasks && revision == Revision20251125:
		b = append(b, `,"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}`...)
	}
	return append(b, '}')
}

// makeDiscover makes the answer to server/discover.
func (p *prepared) makeDiscover() {
	versions, _ := json.Marshal(Revisions()) // strings always have a JSON form
	rest := cacheHint + `,"supportedVersions":` + string(versions)
	if p.instructions != nil {
		rest += `,"instructions":` + string(p.instructions)
	}
	p.discover = p.result(true, rest, "capabilities", p.capabilities(Revision20260728))
}

// Revisions returns the revisions that are served, newest first.
func Revisions() []string { return slices.Clone(gomcp.ValidProtocolVersions) }
