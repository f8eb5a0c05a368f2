package mcp

import (
	"encoding/json"

	"rialto/internal/jsonrpc"
	"rialto/mcp/internal/wire"
)

// listSkills answers skills/list with the skills that the caller may see.
func (r *request) listSkills() (json.RawMessage, error) {
	if err := r.noCursor(); err != nil {
		return nil, err
	}
	skills := r.s.Extensions.Skills.Skills(r.HTTP.Context())
	entries := make([]json.RawMessage, len(skills))
	for i, s := range skills {
		entries[i] = s.entry
	}
	return r.result(cacheHint, "skills", jsonrpc.Array(entries)), nil
}

// getSkill answers skills/get.
func (r *request) getSkill() (json.RawMessage, error) {
	uri := r.Params.Other().URI
	s := r.s.Extensions.skill(r.HTTP.Context(), uri)
	if s == nil {
		return nil, wire.InvalidParams(
			"no skill %q exists for you: skills/list returns yours", wire.Truncate(uri),
		)
	}
	return r.result(cacheHint, "skill", s.entry), nil
}
