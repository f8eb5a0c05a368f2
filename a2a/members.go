package a2a

import (
	"encoding/json"
	"maps"
	"slices"
)

// OtherMembers is the URI of an extension by which an A2A 1.0 caller says that it
// reads over members that it does not know (1.0 section 5.7: SHOULD). It then gets
// those that an agent sends, and its own reach agents that list it. Nobody else's do:
// the clients and servers of a2a-python 1.x refuse whatever has one.
const OtherMembers = "urn:rialto:a2a:other-members:1"

// Members are members of an object that no generation we speak has, by their
// names, such as the "generation" that tasks have in drafts of A2A 1.1. Values stay
// as they came. Those of a word that others may hold are never changed: see Join.
type Members map[string]json.RawMessage

// The bounds of what is kept of one object: how many members, and how many bytes
// their names and values have together.
const (
	MaxMembers     = 32
	MaxMembersSize = 16 << 10
)

// Size returns how many bytes the names and values of m have.
func (m Members) Size() (n int) {
	for name, value := range m {
		n += len(name) + len(value)
	}
	return n
}

// Set keeps a member in m, in the place of one of the same name, if there is room.
func (m *Members) Set(name string, value json.RawMessage) {
	old, known := (*m)[name]
	size := m.Size() + len(value) - len(old)
	if !known {
		size += len(name)
	}
	if size > MaxMembersSize || !known && len(*m) == MaxMembers {
		return
	}
	if *m == nil {
		*m = Members{}
	}
	(*m)[name] = value
}

// Join returns the members of both, as far as there is room: m's come first, and
// of two with one name that of more counts.
func (m Members) Join(more Members) Members {
	if len(more) == 0 {
		return m
	}
	all := maps.Clone(m)
	for _, name := range slices.Sorted(maps.Keys(more)) {
		all.Set(name, more[name])
	}
	return all
}

// renew is Join for those names only that m has.
func (m Members) renew(more Members) Members {
	news := maps.Clone(more)
	maps.DeleteFunc(news, func(name string, _ json.RawMessage) bool { return m[name] == nil })
	return m.Join(news)
}
