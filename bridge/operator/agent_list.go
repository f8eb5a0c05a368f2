package operator

import (
	"context"
	"slices"
	"strings"

	"rialto/bridge/directory"
)

// AgentFilter chooses agents. Empty fields do not filter.
type AgentFilter struct {
	Text string // in the name or the address, in any letter case
	Only string // "attention", "waiting" or "disabled"
}

// Table implements Query.
func (f *AgentFilter) Table() *Table { return tables()["agents"] }

// Read implements Query. The cursor is the name of an agent. There are a few hundred at most, so
// the list is read whole.
func (f *AgentFilter) Read(ctx context.Context, s *Service, span Span) (*Page[any], error) {
	all, err := s.Agents.List(ctx)
	if err != nil {
		return nil, err
	}

	all = slices.DeleteFunc(all, func(a directory.AgentStatus) bool { return !f.chooses(a) })
	i := slices.IndexFunc(all, func(a directory.AgentStatus) bool { return a.Name == span.Cursor })
	p := &Page[directory.AgentStatus]{Items: all[i+1:]}
	if size := span.size(); span.Count && len(p.Items) > size {
		p.Items = p.Items[:size]
		p.Next = p.Items[size-1].Name
	}

	return untyped(p, nil)
}

func (f *AgentFilter) chooses(a directory.AgentStatus) bool {
	if !strings.Contains(strings.ToLower(a.Name+"\n"+a.URL), strings.ToLower(f.Text)) {
		return false
	}

	switch f.Only {
	case "waiting":
		return a.Waiting
	case "attention":
		return NeedsAttention(a)
	case "disabled":
		return !a.Enabled
	}

	return true
}

// NeedsAttention reports whether an agent that is enabled is down, or shows a card that waits.
func NeedsAttention(a directory.AgentStatus) bool {
	return a.Waiting ||
		a.Enabled && a.Health != nil && (a.Health.Problem != "" || !a.Health.Until.IsZero())
}
