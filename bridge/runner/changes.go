package runner

import (
	"rialto/bridge/ledger"
)

// announceNew tells whoever listens that e is new.
func (r *Runner) announceNew(e *ledger.Record) { r.publish(e, ledger.AboutNew) }

// announceChange tells whoever listens or waits that the ledger has something else of
// e.
func (r *Runner) announceChange(e *ledger.Record) {
	about := ledger.AboutTask
	if e.Idle {
		about = ledger.AboutLedger
	}
	r.publish(e, about)
}

// publish tells those who listen here, and the other replicas. It does not wait. That a
// task is idle is worth a signal even if nobody listens.
func (r *Runner) publish(e *ledger.Record, about ledger.About) {
	r.notify(e.Owner, e.Handle, about)
	if r.TaskChanged != nil || about == ledger.AboutLedger {
		r.signal(ledger.Signal{About: about, Handle: e.Handle, Owner: e.Owner})
	}
}

// notify tells those who listen here.
func (r *Runner) notify(owner, handle string, about ledger.About) {
	if r.TaskChanged != nil && owner != "" { // without an owner it would be everybody
		r.TaskChanged(owner, handle, about == ledger.AboutNew)
	}
}
