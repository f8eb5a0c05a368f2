package wire

import "rialto/a2a"

// encoder is the strict half of a dialect: it returns values whose JSON form follows the
// generation's schema.
type encoder interface {
	send(*a2a.SendRequest, Envelope) any
	task(*a2a.Task) any
	event(a2a.Event) any
}

func (d jsonCodec) EncodeSend(r *a2a.SendRequest, e Envelope) ([]byte, error) {
	return d.encode(sendBody, d.encoder.send(r, e))
}

func (d jsonCodec) EncodeQuery(q a2a.TaskQuery, tenant string) ([]byte, error) {
	if d.resources {
		return d.encode(queryBody, struct {
			Name          string `json:"name"`
			HistoryLength *int   `json:"historyLength,omitempty"`
		}{taskResource + string(q.ID), q.HistoryLength})
	}
	return d.encode(queryBody, struct {
		Tenant        string     `json:"tenant,omitempty"`
		ID            a2a.TaskID `json:"id"`
		HistoryLength *int       `json:"historyLength,omitempty"`
	}{tenant, q.ID, q.HistoryLength})
}

// EncodeCardQuery returns the parameters of a call for the extended card,
// which itself is JSON everywhere: it is signed so.
func (d jsonCodec) EncodeCardQuery(tenant string) ([]byte, error) {
	return d.encode(cardQueryBody, struct {
		Tenant string `json:"tenant,omitempty"`
	}{tenant})
}

func (d jsonCodec) EncodeTask(t *a2a.Task) ([]byte, error) {
	return d.encode(taskBody, d.encoder.task(t))
}

func (d jsonCodec) EncodeEvent(e a2a.Event) ([]byte, error) {
	return d.encode(eventBody, d.encoder.event(e))
}

// filled returns s, and an empty slice for nil: a list that a schema requires
// is written even if nothing is in it.
func filled[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
