package bridge

import (
	"encoding/json"
	"slices"

	"rialto/a2a"
)

// Metadata members that tell an agent what a message is about besides its
// words. Agents that do not know them ignore them.
const (
	skillKey   = "skillId" // no generation before 1.1 has a field for it
	useCaseKey = "usecase"
	topicKey   = "topic"
)

// about returns what travels beside a message of a caller's.
func (b *Bridge) about(c Caller, skill string) a2a.Metadata {
	var m a2a.Metadata
	for _, member := range [...]struct{ key, value string }{{skillKey, skill}, {useCaseKey, b.useCase(c)}, {topicKey, b.Topic}} {
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

// useCase returns the use case that a call is for: the one that the operator
// forces, or the caller's if there is only one.
func (b *Bridge) useCase(c Caller) string {
	if b.ForceUseCase == "" && !c.AllUseCases && len(c.UseCases) == 1 {
		return c.UseCases[0]
	}
	return b.ForceUseCase
}

// forced returns the arguments of a call with the use case that the operator
// forces, if they name another.
func (b *Bridge) forced(data json.RawMessage) json.RawMessage {
	if b.ForceUseCase == "" {
		return data
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil || members[useCaseKey] == nil {
		return data
	}
	forced, err := json.Marshal(b.ForceUseCase)
	if err != nil {
		return data // a string always has a form
	}
	members[useCaseKey] = forced
	changed, err := json.Marshal(members)
	if err != nil {
		return data
	}
	return changed
}

// forcedParts is forced for what a message holds.
func (b *Bridge) forcedParts(parts []a2a.Part) []a2a.Part {
	parts = slices.Clone(parts)
	for i, p := range parts {
		if data, ok := p.Content.(a2a.Data); ok {
			parts[i].Content = a2a.Data(b.forced(json.RawMessage(data)))
		}
	}
	return parts
}
