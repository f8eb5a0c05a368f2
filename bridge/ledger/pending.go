package ledger

import (
	"strings"

	"rialto/a2a"
)

// Pending is the answer of the owner to the question of a task, until the agent responds to it.
// It outlives the process that sends it.
type Pending struct {
	Message             a2a.Message  `json:"message"`
	AcceptedOutputModes []string     `json:"accepted_output_modes,omitempty"`
	Metadata            a2a.Metadata `json:"metadata,omitempty"`

	// Extensions are those that the caller declared.
	Extensions []string `json:"extensions,omitempty"`

	// Undelivered says that the agent certainly has not received it, and gets it when it is back.
	Undelivered bool `json:"undelivered,omitempty"`

	// Refused says why the agent did not take it; "" if it did not say so.
	Refused string `json:"refused,omitempty"`
}

// Request returns the request that sends the answer.
func (p *Pending) Request() *a2a.SendRequest {
	m := p.Message
	return &a2a.SendRequest{
		Message:             &m,
		AcceptedOutputModes: p.AcceptedOutputModes,
		Metadata:            p.Metadata,
		Extensions:          a2a.DeclareExtensions(p.Extensions),
	}
}

// Pending returns the answer that the agent has not responded to; nil if there is none.
func (e *Record) Pending() *Pending { return e.revisions().Pending }

// SetPending keeps an answer that is about to be sent. It replaces one that was not delivered. One
// that may have been delivered is part of the conversation.
func (e *Record) SetPending(req *a2a.SendRequest) {
	p := e.revisions()
	before := p.Pending
	if before != nil && !before.Undelivered && before.Refused == "" {
		q := e.Task.Status.Message
		if q != nil && !hasMessage(e.Task.History, q.ID) {
			e.Task.History = append(e.Task.History, *q)
		}
		e.Task.History = append(e.Task.History, before.Message)
	}

	p.Pending = &Pending{
		Message:             *req.Message,
		AcceptedOutputModes: req.AcceptedOutputModes,
		Metadata:            req.Metadata,
	}
	if req.Extensions != nil {
		p.Pending.Extensions = req.Extensions.Declared
	}
	e.Revisions = &p
}

// SetUndelivered notes whether the agent certainly has not received the answer.
func (e *Record) SetUndelivered(undelivered bool) {
	e.changePending(func(p *Pending) { p.Undelivered = undelivered })
}

// SetRefused notes why the agent did not take the answer.
func (e *Record) SetRefused(why error) {
	e.changePending(func(p *Pending) { p.Refused = FailureOf(why).Message })
}

func (e *Record) changePending(change func(*Pending)) {
	p := e.revisions()
	if p.Pending == nil {
		return
	}
	pending := *p.Pending
	change(&pending)
	p.Pending = &pending
	e.Revisions = &p
}

// Withdraw drops an answer that the agent does not get.
func (e *Record) Withdraw() {
	p := e.revisions()
	p.Pending = nil
	e.Revisions = &p
}

// Undelivered reports whether the task waits for an answer that we keep until its agent is back.
func (e *Record) Undelivered() bool {
	p := e.Pending()
	return e.Idle && e.State().Interrupted() && p != nil && p.Undelivered
}

// MarkUnconfirmed notes that it is not known whether the agent received the latest
// message, so that the task is not taken for one that waits for a first answer.
func (e *Record) MarkUnconfirmed() {
	p := e.revisions()
	p.Unconfirmed = e.MessageID
	e.Revisions = &p
}

// Unconfirmed reports whether the task waits for a message that the agent may have
// received already.
func (e *Record) Unconfirmed() bool {
	return e.Idle && e.State().Interrupted() && e.MessageID != "" &&
		e.revisions().Unconfirmed == e.MessageID
}

// AwaitsPoll reports whether the agent may not have the latest answer, so that it is polled though
// the task is idle.
func (e *Record) AwaitsPoll() bool { return e.Undelivered() || e.Unconfirmed() }

// DeliveryNotice tells the owner that the agent has not got the latest answer, or perhaps not; "" if
// there is nothing to tell. reason is what the agent said, if it refused the answer.
func (e *Record) DeliveryNotice() (notice, reason string) {
	p := e.Pending()
	switch {
	case e.Unconfirmed():
		return "We don't know if the agent received the last answer. Check before you send it again.", ""
	case p == nil || !e.Idle || !e.State().Interrupted():
		return "", ""
	case p.Refused != "":
		return "The agent did not take the last answer.", p.Refused
	case p.Undelivered:
		return "The agent cannot be reached, so it has not got your answer. " +
			"It gets the answer when it is back. " +
			"A new answer replaces it, and canceling the task withdraws it.", ""
	}

	return "", ""
}

// DeliveryText is DeliveryNotice with the reason, as one text.
func (e *Record) DeliveryText() string {
	notice, reason := e.DeliveryNotice()
	return strings.TrimSpace(notice + " " + reason)
}
