package mcp

import (
	"encoding/json"
	"strings"

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
	if s.Tasks != nil && revision.HasCoreTasks(rev) {
		b = append(b, `,"tasks":{"cancel":{},"requests":{"tools":{"call":{}}}}`...)
	}
	if s.Events != nil {
		b = append(b, `,"events":{}`...) // where ChatGPT looks
	}
	if extensions := s.extensions(rev); len(extensions) > 0 {
		b = append(b, `,"extensions":{`+strings.Join(extensions, ",")+`}`...)
	}
	return append(b, '}')
}

// extensions returns the extensions that the server offers with their settings, as members of
// an object. Those that are not bound to a revision are declared in every one.
func (s *Server) extensions(rev string) (members []string) {
	if s.Tasks != nil && revision.Modern(rev) {
		members = append(members, `"`+TasksExtension+`":{}`)
	}
	if s.Events != nil {
		members = append(members, `"`+EventsExtension+`":{}`)
	}
	if s.Apps != nil {
		members = append(members, `"`+AppsExtension+`":{"mimeTypes":["`+AppMIMEType+`"]}`)
	}
	if s.Skills != nil {
		members = append(members, `"`+SkillsExtension+`":{}`)
	}
	return members
}
