package wire

import (
	"encoding/json"
	"fmt"

	"rialto/a2a"
)

// encoder is the strict half of a dialect: it returns values whose JSON form follows the
// generation's schema.
type encoder interface {
	send(*a2a.SendRequest, Envelope) any
	task(*a2a.Task) any
	event(a2a.Event) any
}

func (d jsonCodec) EncodeSend(r *a2a.SendRequest, e Envelope) ([]byte, error) {
	return marshal("message", d.encoder.send(r, e))
}

func (d jsonCodec) EncodeQuery(q a2a.TaskQuery, tenant string) ([]byte, error) {
	if d.resources {
		return marshal("query", struct {
			Name          string `json:"name"`
			HistoryLength *int   `json:"historyLength,omitempty"`
		}{taskResource + string(q.ID), q.HistoryLength})
	}
	return marshal("query", struct {
		Tenant        string     `json:"tenant,omitempty"`
		ID            a2a.TaskID `json:"id"`
		HistoryLength *int       `json:"historyLength,omitempty"`
	}{tenant, q.ID, q.HistoryLength})
}

func (d jsonCodec) EncodeCardQuery(tenant string) ([]byte, error) {
	return marshal("query", struct {
		Tenant string `json:"tenant,omitempty"`
	}{tenant})
}

func (d jsonCodec) EncodeTask(t *a2a.Task) ([]byte, error) {
	return marshal("task", d.encoder.task(t))
}

func (d jsonCodec) EncodeEvent(e a2a.Event) ([]byte, error) {
	return marshal("event", d.encoder.event(e))
}

// marshal fails only for metadata without a JSON form and data that is not JSON.
func marshal(what string, v any) ([]byte, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("encoding the %s: %w", what, err)
	}
	return b, nil
}

// filled returns s, and an empty slice for nil: a list that a schema requires
// is written even if nothing is in it.
func filled[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
