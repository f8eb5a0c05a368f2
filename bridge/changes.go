package bridge

import "rialto/mcp"

// begun tells whoever listens that e is new.
func (b *Bridge) begun(e *Entry) { b.news(e, AboutNew) }

// changed tells whoever listens or waits that the ledger has something else of
// e.
func (b *Bridge) changed(e *Entry) {
	about := AboutTask
	if e.Settled {
		about = AboutLedger
	}
	b.news(e, about)
}

// news tells those who listen here, and the other replicas. It does not wait.
// That a task has settled is worth a signal whoever listens.
func (b *Bridge) news(e *Entry, about About) {
	b.tell(e.Owner, e.Handle, about)
	if b.Changed != nil || about == AboutLedger {
		b.signal(Signal{About: about, Handle: e.Handle, Owner: e.Owner})
	}
}

// tell tells those who listen here.
func (b *Bridge) tell(owner, handle string, about About) {
	if b.Changed == nil || owner == "" { // for want of a name it would be everybody
		return
	}
	owners := []string{owner}
	b.Changed(mcp.ResourceUpdated(TaskURI(handle)), owners...)
	if about == AboutNew {
		b.Changed(mcp.ResourcesChanged(), owners...)
	}
}
