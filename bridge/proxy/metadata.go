package proxy

import (
	"context"
	"maps"
	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
	"slices"
)

// word returns a string member of metadata; ok is false if it is not a string.
func word(m a2a.Metadata, key string) (s string, ok bool) {
	if m[key] == nil {
		return "", true
	}
	s, ok = m[key].(string)
	return s, ok
}

// outgoing returns a request for the agent, with the metadata of the caller restricted
// to skills and use cases that the caller has.
func (p *Proxy) outgoing(ctx context.Context, a directory.Agent, req *a2a.SendRequest) (*a2a.SendRequest, error) {
	caller := p.Directory.Effective(ctx)
	inside, err := p.metadata(caller, a, req.Message.Metadata)
	if err != nil {
		return nil, err
	}
	m, out := *req.Message, *req
	m.Metadata, out.Message = inside, &m
	if p.Directory.InForce().ForceUseCase != "" {
		m.Parts = p.Directory.ForceParts(m.Parts)
	}
	if len(req.Metadata) > 0 { // agents read either
		out.Metadata, err = p.metadata(caller, a, req.Metadata)
	}
	return &out, err
}

// metadata returns the metadata for the agent from that of the caller.
func (p *Proxy) metadata(caller directory.Caller, a directory.Agent, said a2a.Metadata) (a2a.Metadata, error) {
	skill, ok := word(said, directory.SkillKey)
	if !ok && len(a.Skills) > 0 {
		return nil, ledger.InputError{Text: "The skillId in the metadata must be a string."}
	}
	if err := caller.CheckSkill(a, skill); err != nil {
		return nil, err
	}
	use, ok := word(said, directory.UseCaseKey)
	if said[directory.UseCaseKey] != nil && p.Directory.InForce().ForceUseCase == "" && !caller.AllUseCases && (!ok || !slices.Contains(caller.UseCases, use)) {
		return nil, ledger.InputError{Text: "The use case " + sanitize.Short(use, sanitize.MaxName) + " in the metadata of the message is not one of yours."}
	}
	m := a2a.Metadata{}
	maps.Copy(m, p.Directory.Metadata(caller, ""))
	for k, v := range said {
		if v != nil || m[k] == nil { // what is null says nothing
			m[k] = v
		}
	}
	if p.Directory.InForce().ForceUseCase != "" {
		m[directory.UseCaseKey] = p.Directory.InForce().ForceUseCase
	}
	if len(m) == 0 {
		return said, nil
	}
	return m, nil
}
