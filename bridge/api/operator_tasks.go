package api

import (
	"net/http"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
)

// OwnedTask is a task whole, with whose it is.
type OwnedTask struct {
	Task
	OwnerID  string          `json:"owner_id"`
	ClientID string          `json:"client_id"`
	Created  time.Time       `json:"created"`
	Failure  *ledger.Failure `json:"failure,omitempty"`
}

func newOwnedTask(e *ledger.Record) *OwnedTask {
	t := e.Task
	if t == nil {
		t = &a2a.Task{}
	}

	out := &OwnedTask{
		Task:     *newTask(t, e.Agent),
		OwnerID:  e.Owner,
		ClientID: e.Client,
		Created:  e.Created,
		Failure:  e.Failure,
	}
	out.ID, out.State, out.Updated, out.Revisions = e.Handle, e.State(), e.Updated, newRevisions(
		e.Revisions,
	)
	return out
}

func (a operatorAPI) ownedTask(r *http.Request) (any, error) {
	e, err := a.Operator.Task(r.Context(), variable(r, "task"))
	if err != nil {
		return nil, err
	}
	return newOwnedTask(e), nil
}

func (a operatorAPI) cancelOwnedTask(r *http.Request) (any, error) {
	e, err := a.Operator.CancelTask(r.Context(), a.Callers.Actor(r), variable(r, "task"))
	if err != nil {
		return nil, err
	}
	return newOwnedTask(e), nil
}
