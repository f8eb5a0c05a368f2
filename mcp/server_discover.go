package mcp

import (
	"encoding/json"

	"rialto/mcp/internal/revision"
)

// discover answers server/discover.
func (r *request) discover() (json.RawMessage, error) { return r.s.built.discover, nil }

// makeDiscover makes the result of server/discover.
func (b *built) makeDiscover(s *Server) {
	versions, _ := json.Marshal(Revisions()) // strings always have a JSON form
	rest := cacheHint + `,"supportedVersions":` + string(versions)
	if b.instructions != nil {
		rest += `,"instructions":` + string(b.instructions)
	}
	b.discover = b.result(true, rest, "capabilities", s.capabilities(Revision20260728))
}

// capabilities returns what the server offers, as the revision declares it.
func (s *Server) capabilities(rev string) json.RawMessage {
	tools, resources := "{}", "{}"
	if s.Changing {
		tools, resources = `{"listChanged":true}`, `{"subscribe":true}`
		if s.ListResources != nil {
			resources = `{"listChanged":true,"subscribe":true}`
		}
	}
	b := []byte(`{"tools":` + tools)
	if s.built.resources != nil {
		b = append(b, `,"resources":`+resources...)
	}
	if s.built.prompts != nil {
		b = append(b, `,"prompts":{}`...)
	}
	if s.Logging {
		b = append(b, `,"logging":{}`...)
	}
	if s.Complete != nil {
		b = append(b, `,"completions":{}`...)
	}
	switch {
	case s.Tasks != nil && revision.Modern(rev):
		b = append(b, `,"extensions":{"`+TasksExtension+`":{}}`...)
	case s.Tasks != nil && revision.HasCoreTasks(rev):
		b = append(b, `,"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}`...)
	}
	return append(b, '}')
}
