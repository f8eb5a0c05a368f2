package bridge

import (
	"rialto/bridge/ledger"
	"rialto/mcp"
)

// AgentChanged tells MCP clients that the card of an agent has changed or, if agent is
// "", that the list of agents has.
func (b *Bridge) AgentChanged(agent string) {
	switch {
	case b.Changed == nil:
	case agent == "":
		b.Changed(mcp.ResourcesChanged())
	default:
		b.Changed(mcp.ResourceUpdated(cardURI(agent)))
	}
}

// begun tells whoever listens that e is new.
func (b *Bridge) begun(e *ledger.Record) { b.news(e, ledger.AboutNew) }

// changed tells whoever listens or waits that the ledger has something else of
// e.
func (b *Bridge) changed(e *ledger.Record) {
	about := ledger.AboutTask
	if e.Idle {
		about = ledger.AboutLedger
	}
	b.news(e, about)
}

// news tells those who listen here, and the other replicas. It does not wait.
// That a task has settled is worth a signal whoever listens.
func (b *Bridge) news(e *ledger.Record, about ledger.About) {
	b.tell(e.Owner, e.Handle, about)
	if b.Changed != nil || about == ledger.AboutLedger {
		b.signal(ledger.Signal{About: about, Handle: e.Handle, Owner: e.Owner})
	}
}

// tell tells those who listen here.
func (b *Bridge) tell(owner, handle string, about ledger.About) {
	if b.Changed == nil || owner == "" { // for want of a name it would be everybody
		return
	}
	owners := []string{owner}
	b.Changed(mcp.ResourceUpdated(TaskURI(handle)), owners...)
	if about == ledger.AboutNew {
		b.Changed(mcp.ResourcesChanged(), owners...)
	}
}
