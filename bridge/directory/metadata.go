package directory

import (
	"encoding/json"
	"rialto/a2a"
	"slices"
)

// Metadata members of a message for its agent. Agents that do not know them ignore them.
const (
	SkillKey   = "skillId" // no generation before 1.1 has a field for it
	UseCaseKey = "usecase"
	topicKey   = "topic"
)

// Metadata returns the metadata of a message of a caller.
func (d *Directory) Metadata(c Caller, skill string) a2a.Metadata {
	var m a2a.Metadata
	for _, member := range [...]struct{ key, value string }{{SkillKey, skill}, {UseCaseKey, d.UseCase(c)}, {topicKey, d.InForce().Topic}} {
		if member.value == "" {
			continue
		}
		if m == nil {
			m = a2a.Metadata{}
		}
		m[member.key] = member.value
	}
	return m
}

// UseCase returns the use case of a call: the forced one, or that of the caller if
// there is only one.
func (d *Directory) UseCase(c Caller) string {
	if d.InForce().ForceUseCase == "" && !c.AllUseCases && len(c.UseCases) == 1 {
		return c.UseCases[0]
	}
	return d.InForce().ForceUseCase
}

// ForceArguments replaces another use case in arguments by the forced one.
func (d *Directory) ForceArguments(data json.RawMessage) json.RawMessage {
	if d.InForce().ForceUseCase == "" {
		return data
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil || members[UseCaseKey] == nil {
		return data
	}
	forced, err := json.Marshal(d.InForce().ForceUseCase)
	if err != nil {
		return data // a string always has a form
	}
	members[UseCaseKey] = forced
	changed, err := json.Marshal(members)
	if err != nil {
		return data
	}
	return changed
}

// ForceParts does the same in the data of a message.
func (d *Directory) ForceParts(parts []a2a.Part) []a2a.Part {
	parts = slices.Clone(parts)
	for i, p := range parts {
		if data, ok := p.Content.(a2a.Data); ok {
			parts[i].Content = a2a.Data(d.ForceArguments(json.RawMessage(data)))
		}
	}
	return parts
}
