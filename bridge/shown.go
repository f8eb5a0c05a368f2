package bridge

import "rialto/a2a"

// Shown returns the task as its owner sees it through A2A: under the ledger's
// handle, in the state in which the ledger has it.
func (e *Entry) Shown() *a2a.Task {
	t := &a2a.Task{}
	if e.Task != nil {
		t = e.Task.Clone()
	}
	t.ID = a2a.TaskID(e.Handle)
	switch {
	case e.Failure != nil:
		said := &a2a.Message{ID: e.Handle + "-failure", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(e.Failure.Message)}}
		t.Status = a2a.Status{State: e.State(), Message: said}
	case e.State() != t.Status.State:
		t.Status = a2a.Status{State: e.State()}
	}
	if t.Status.Timestamp.IsZero() {
		t.Status.Timestamp = e.Updated.UTC()
	}
	return t
}
