package bridge

import (
	"context"

	"rialto/mcp"
)

// roster is the list of agents at one moment. It is replaced, never changed.
type roster struct {
	peers []*peer // in the operator's order
	named map[string]*peer
}

// SetAgents replaces the agents. An agent whose URL and Revision stay as they
// were keeps its connection. Tasks that run at an agent that is disabled or
// gone go on being followed here; an agent that may still have some should stay
// in the list, disabled, so that another process can take them up.
func (b *Bridge) SetAgents(agents []Agent) {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.roster()
	next := &roster{named: make(map[string]*peer, len(agents))}
	for _, a := range agents {
		p := &peer{Agent: a, link: &link{}}
		if old := was.named[a.Name]; old != nil && old.URL == a.URL && old.Revision == a.Revision {
			p.link = old.link
			p.stale.Store(a.Reviewed)
		}
		next.peers = append(next.peers, p)
		next.named[a.Name] = p
	}
	b.list.Store(next)
	select {
	case b.relisted <- struct{}{}:
	default: // it is known already, or nobody runs yet
	}
	if b.Changed != nil {
		b.Changed(mcp.ResourcesChanged())
	}
}

func (b *Bridge) roster() *roster {
	if r := b.list.Load(); r != nil {
		return r
	}
	return &roster{}
}

// peer returns the agent with a name; nil if there is none.
func (b *Bridge) peer(name string) *peer { return b.roster().named[name] }

// Agent returns the agent with a name, whether or not it is disabled.
func (b *Bridge) Agent(name string) (Agent, bool) {
	p := b.peer(name)
	if p == nil {
		return Agent{}, false
	}
	return p.Agent, true
}

// Primary returns the name of the agent that is meant where none is named: the
// default one or, if there is no default, the only one; "" if there is neither.
func (b *Bridge) Primary() string {
	name := b.Default
	enabled := 0
	for _, p := range b.roster().peers {
		if p.Disabled {
			continue
		}
		if enabled++; b.Default == "" {
			name = p.Name
		}
	}
	if b.Default == "" && enabled != 1 {
		return ""
	}
	return name
}

// visible returns the agents that the caller may give tasks to.
func (b *Bridge) visible(ctx context.Context) []*peer { return b.visibleTo(b.caller(ctx)) }

// visibleTo returns those that a caller may give tasks to, in the operator's
// order.
func (b *Bridge) visibleTo(caller Caller) []*peer {
	var visible []*peer
	for _, p := range b.roster().peers {
		if !p.Disabled && caller.sees(p.Agent) {
			visible = append(visible, p)
		}
	}
	return visible
}

// known returns an agent that the caller may know of, and nil if there is none
// with that name. It may be disabled: then it takes no new tasks.
func (b *Bridge) known(ctx context.Context, name string) *peer {
	p := b.peer(name)
	if p == nil || !b.caller(ctx).sees(p.Agent) {
		return nil
	}
	return p
}
