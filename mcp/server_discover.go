package mcp

import (
	"encoding/json"
	"strings"

	"rialto/mcp/internal/revision"
)

// discover answers server/discover.
func (r *request) discover() (json.RawMessage, error) {
	b := &r.s.built
	if r.identity == b.identity {
		return b.discover, nil
	}
	return b.discovered(r.s, r.identity), nil
}

// discovered makes the result of server/discover.
func (b *built) discovered(s *Server, id *Identity) json.RawMessage {
	versions, _ := json.Marshal(Revisions()) // strings always have a JSON form
	rest := cacheHint + `,"supportedVersions":` + string(versions) + id.instructions
	return id.result(true, rest, "capabilities", s.capabilities(Revision20260728))
}

// capabilities returns what the server offers, as the revision declares it.
func (s *Server) capabilities(rev string) json.RawMessage {
	tools := "{}"
	resources := "{}"
	if s.Changing {
		tools = `{"listChanged":true}`
		resources = `{"subscribe":true}`
		if s.MoreResources != nil {
			resources = `{"listChanged":true,"subscribe":true}`
		}
	}

	members := []string{`"tools":` + tools}
	add := func(offered bool, member string) {
		if offered {
			members = append(members, member)
		}
	}
	add(s.built.resources != nil, `"resources":`+resources)
	add(s.built.prompts != nil, `"prompts":{}`)
	add(s.Logging, `"logging":{}`)
	add(s.Completer != nil, `"completions":{}`)
	add(
		s.Tasks != nil && revision.HasCoreTasks(rev),
		`"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}`,
	)
	add(s.Extensions.Events != nil, `"events":{}`) // where ChatGPT looks
	extensions := s.Extensions.declared(rev, s.Tasks != nil)
	add(extensions != "", `"extensions":{`+extensions+`}`)
	return json.RawMessage("{" + strings.Join(members, ",") + "}")
}
