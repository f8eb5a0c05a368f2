package bridge

import (
	"context"
	"maps"
	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"slices"
)

// word returns a member of metadata that is a string, or is not there.
func word(m a2a.Metadata, key string) (s string, ok bool) {
	if m[key] == nil {
		return "", true
	}
	s, ok = m[key].(string)
	return s, ok
}

// scoped returns a request that a caller sends to an agent by A2A, with what travels
// beside it: what the caller says, in the message and around it, but only a skill and
// a use case that are theirs.
func (b *Bridge) scoped(ctx context.Context, a directory.Agent, req *a2a.SendRequest) (*a2a.SendRequest, error) {
	caller := b.Directory.Effective(ctx)
	inside, err := b.beside(caller, a, req.Message.Metadata)
	if err != nil {
		return nil, err
	}
	m, out := *req.Message, *req
	m.Metadata, out.Message = inside, &m
	if b.Directory.ForceUseCase != "" {
		m.Parts = b.Directory.ForceParts(m.Parts)
	}
	if len(req.Metadata) > 0 { // agents read either
		out.Metadata, err = b.beside(caller, a, req.Metadata)
	}
	return &out, err
}

// beside returns the metadata that an agent gets where a caller says some.
func (b *Bridge) beside(caller directory.Caller, a directory.Agent, said a2a.Metadata) (a2a.Metadata, error) {
	skill, ok := word(said, directory.SkillKey)
	if !ok && len(a.Skills) > 0 {
		return nil, ledger.InputError{Text: "The skillId in the metadata must be a string."}
	}
	if err := caller.CheckSkill(a, skill); err != nil {
		return nil, err
	}
	use, ok := word(said, directory.UseCaseKey)
	if said[directory.UseCaseKey] != nil && b.Directory.ForceUseCase == "" && !caller.AllUseCases && (!ok || !slices.Contains(caller.UseCases, use)) {
		return nil, ledger.InputError{Text: "The use case " + sanitize.Short(use, sanitize.MaxName) + " in the metadata of the message is not one of yours."}
	}
	m := a2a.Metadata{}
	maps.Copy(m, b.Directory.Metadata(caller, ""))
	for k, v := range said {
		if v != nil || m[k] == nil { // what is null says nothing
			m[k] = v
		}
	}
	if b.Directory.ForceUseCase != "" {
		m[directory.UseCaseKey] = b.Directory.ForceUseCase
	}
	if len(m) == 0 {
		return said, nil
	}
	return m, nil
}
