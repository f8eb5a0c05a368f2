package mcp

import (
	"encoding/json"
	"strings"

	"rialto/mcp/internal/wire"
)

// listSkills answers skills/list with the skills that the caller may see.
func (r *request) listSkills() (json.RawMessage, error) {
	if err := r.noCursor(); err != nil {
		return nil, err
	}
	skills := r.s.Skills(r.HTTP.Context())
	entries := make([]json.RawMessage, len(skills))
	for i, s := range skills {
		entries[i] = s.entry
	}
	return r.result(cacheHint, "skills", array(entries)), nil
}

// getSkill answers skills/get.
func (r *request) getSkill() (json.RawMessage, error) {
	uri := r.Params.Other().URI
	s := r.skill(uri)
	if s == nil {
		return nil, wire.InvalidParams(
			"no skill %q exists for you: skills/list returns yours", wire.Truncate(uri),
		)
	}
	return r.result(cacheHint, "skill", s.entry), nil
}

// skill returns the skill whose file has the URI, if the caller may see it; nil otherwise.
func (r *request) skill(uri string) *Skill {
	if r.s.Skills == nil || !strings.HasPrefix(uri, "skill://") {
		return nil
	}
	for _, s := range r.s.Skills(r.HTTP.Context()) {
		if s.uri == uri {
			return s
		}
	}
	return nil
}
