package proxy

import (
	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
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
func (p *Proxy) outgoing(access directory.Access, a directory.Agent, req *a2a.SendRequest) (*a2a.SendRequest, error) {
	inside, err := metadata(access, a, req.Message.Metadata)
	if err != nil {
		return nil, err
	}
	m, out := *req.Message, *req
	m.Metadata, out.Message = inside, &m
	m.Parts = access.OverrideParts(m.Parts)
	if len(req.Metadata) > 0 { // agents read either
		out.Metadata, err = metadata(access, a, req.Metadata)
	}
	return &out, err
}

// metadata returns the metadata for the agent from that of the caller.
func metadata(access directory.Access, a directory.Agent, said a2a.Metadata) (a2a.Metadata, error) {
	skill, ok := word(said, directory.SkillKey)
	switch {
	case !ok && len(a.Skills) > 0:
		return nil, ledger.InputError{Text: "The skillId in the metadata must be a string."}
	case skill != "" && !access.Allows(a, skill):
		return nil, ledger.InputError{Text: "The agent " + a.Name + " has no skill " +
			sanitize.Short(skill, sanitize.MaxName) + ", or not for you. get_agent tells which it has."}
	}
	use, ok := word(said, directory.UseCaseKey)
	if said[directory.UseCaseKey] != nil {
		if _, has := access.WithUseCase(use); !ok || !has {
			return nil, ledger.InputError{Text: "The use case " + sanitize.Short(use, sanitize.MaxName) +
				" in the metadata of the message is not one of yours."}
		}
	}
	if m := access.Metadata("", said); m != nil {
		return m, nil
	}
	return said, nil
}
