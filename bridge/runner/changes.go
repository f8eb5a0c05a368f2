package runner

import (
	"rialto/bridge/ledger"
)

// announceNew reports a new task.
func (r *Runner) announceNew(e *ledger.Record) { r.publish(e, ledger.AboutNew) }

func (r *Runner) announceChange(e *ledger.Record) {
	about := ledger.AboutTask
	if e.Idle {
		about = ledger.AboutLedger
	}
	r.publish(e, about)
}

// publish reports a change here and to the other replicas. It does not wait. That a
// task is idle is always signaled, because callers may wait for it elsewhere.
func (r *Runner) publish(e *ledger.Record, about ledger.About) {
	r.notify(e.Owner, e.Handle, about)
	if len(r.Listeners) > 0 || about == ledger.AboutLedger {
		r.signal(ledger.Signal{About: about, Handle: e.Handle, Owner: e.Owner})
	}
}

// notify reports a change here.
func (r *Runner) notify(owner, handle string, about ledger.About) {
	if owner == "" { // it would be everybody
		return
	}
	for _, l := range r.Listeners {
		l.TaskChanged(owner, handle, about == ledger.AboutNew)
	}
}
