package wire

import (
	"errors"

	"google.golang.org/protobuf/encoding/protowire"

	"rialto/a2a"
)

// EncodeSend returns r as a SendMessageRequest (Codec). 0.3 has no place for a
// tenant.
func (d protobuf) EncodeSend(r *a2a.SendRequest, e Envelope) ([]byte, error) {
	return encoded(func(w *buffer) {
		message := protowire.Number(d.either(1, 2))
		if !d.v03 {
			w.text(1, e.Tenant)
		}
		d.writeMessage(w, message, r.Message)
		d.writeConfiguration(w, message+1, r)
		w.metadata(message+2, r.Metadata)
	})
}

func (d protobuf) writeConfiguration(w *buffer, num protowire.Number, r *a2a.SendRequest) {
	at := w.begin(num)
	w.texts(1, r.AcceptedOutputModes)
	if r.Push != nil {
		push := w.begin(2)
		d.writePush(w, r.Push)
		w.end(push)
	}
	w.optional(3, r.HistoryLength)
	w.flag(4, r.ReturnImmediately != d.v03) // 0.3 says the opposite: blocking
	w.end(at)
}

// DecodeSend reads a SendMessageRequest (Codec). 0.3 waits only if that is said.
func (d protobuf) DecodeSend(params []byte) (*a2a.SendRequest, error) {
	r := &a2a.SendRequest{ReturnImmediately: d.v03}
	var err error
	message := d.either(1, 2)
	f := newFields(params)
	for f.next() {
		switch f.tag {
		case message<<3 | sized:
			if r.Message, err = d.message(f.inner(), refuseUnknown); err != nil {
				f.check(a2a.Errorf(a2a.InvalidParams, "params.message.%v", err))
			}
		case (message+1)<<3 | sized:
			f.check(d.configuration(f.inner(), r))
		case (message+2)<<3 | sized:
			r.Metadata = f.object()
		}
	}
	switch {
	case f.err != nil:
		return nil, badParams(f.err)
	case r.Message == nil:
		return nil, errNoMessage
	case r.Message.ID == "":
		return nil, errNoMessageID
	}
	if err := sendable(r.Message); err != nil {
		return nil, err
	}
	return r, nil
}

func (d protobuf) configuration(f fields, r *a2a.SendRequest) error {
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			r.AcceptedOutputModes = append(r.AcceptedOutputModes, f.text())
		case 2<<3 | sized:
			c, err := d.pushConfig(f.inner())
			if err == nil {
				c, err = inline(c)
			}
			f.check(err)
			r.Push = c
		case 3<<3 | varint:
			r.HistoryLength = d.history(&f)
		case 4<<3 | varint:
			r.ReturnImmediately = f.flag() != d.v03
		}
	}
	if f.err == nil {
		f.err = checkHistory(r.HistoryLength)
	}
	return f.err
}

// history reads how much of a history is wanted. 0.3 cannot ask for none: there
// 0 says nothing.
func (d protobuf) history(f *fields) *int {
	n := f.int()
	if n == 0 && d.v03 {
		return nil
	}
	return &n
}

// badParams returns err as what a caller must mend.
func badParams(err error) error {
	var known *a2a.Error
	if errors.As(err, &known) {
		return err
	}
	return a2a.Errorf(a2a.InvalidParams, "params: %v", err)
}

// EncodeQuery returns q as a GetTaskRequest, which begins as a CancelTaskRequest
// and a SubscribeToTaskRequest do (Codec). 0.3 names a resource.
func (d protobuf) EncodeQuery(q a2a.TaskQuery, tenant string) ([]byte, error) {
	return encoded(func(w *buffer) {
		if d.v03 {
			w.text(1, taskResource+string(q.ID))
			w.optional(2, q.HistoryLength)
			return
		}
		w.text(1, tenant)
		w.text(2, string(q.ID))
		w.optional(3, q.HistoryLength)
	})
}

// DecodeQuery reads what EncodeQuery writes (Codec).
func (d protobuf) DecodeQuery(params []byte) (a2a.TaskQuery, error) {
	var q a2a.TaskQuery
	id := d.either(1, 2)
	f := newFields(params)
	for f.next() {
		switch f.tag {
		case id<<3 | sized:
			q.ID = a2a.TaskID(f.text())
			if d.v03 {
				q.ID = parseResource(string(q.ID)).Task
			}
		case (id+1)<<3 | varint:
			q.HistoryLength = d.history(&f)
		}
	}
	switch {
	case f.err != nil:
		return a2a.TaskQuery{}, badParams(f.err)
	case q.ID == "":
		return a2a.TaskQuery{}, errNoTask
	}
	return q, checkHistory(q.HistoryLength)
}

// EncodeCardQuery returns a GetExtendedAgentCardRequest (Codec), which is empty in
// 0.3.
func (d protobuf) EncodeCardQuery(tenant string) ([]byte, error) {
	return encoded(func(w *buffer) {
		if !d.v03 {
			w.text(1, tenant)
		}
	})
}
