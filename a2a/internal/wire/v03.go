package wire

import (
	"rialto/a2a"
)

// v03 is A2A 0.3 over JSON-RPC, whose objects have a kind. HTTP+JSON and gRPC have
// the protocol buffers a2a.v1 instead (v03_rest.go).
var v03 = Dialect{
	Generation: a2a.V03,
	methods: []method{
		{Send, "message/send"},
		{Stream, "message/stream"},
		{Task, "tasks/get"},
		{Cancel, "tasks/cancel"},
		{Subscribe, "tasks/resubscribe"},
		{PushSet, "tasks/pushNotificationConfig/set"},
		{PushGet, "tasks/pushNotificationConfig/get"},
		{PushList, "tasks/pushNotificationConfig/list"},
		{PushDelete, "tasks/pushNotificationConfig/delete"},
		{ExtendedCard, "agent/getAuthenticatedExtendedCard"},
	},
	errors:    numbers,
	Codec:     codecV03,
	rareCodec: rareCodec{codecV03},
}

var codecV03 = jsonCodec{generation: a2a.V03, encoder: encodeV03{}}

type encodeV03 struct{ schema }

// sendV03 has no place for a tenant.
type sendV03 struct {
	Message       messageDoc   `json:"message"`
	Configuration configV03    `json:"configuration"`
	Metadata      a2a.Metadata `json:"metadata,omitempty"`
}

type configV03 struct {
	AcceptedOutputModes []string `json:"acceptedOutputModes,omitzero"`
	HistoryLength       *int     `json:"historyLength,omitempty"`
	Blocking            bool     `json:"blocking"`
	Push                *pushDoc `json:"pushNotificationConfig,omitempty"`
	ProtoPush           *pushDoc `json:"pushNotification,omitempty"`
}

func (e encodeV03) send(r *a2a.SendRequest, _ Envelope) any { return e.sendV03(r) }

func (e encodeV03) sendV03(r *a2a.SendRequest) sendV03 {
	c := configV03{
		AcceptedOutputModes: r.AcceptedOutputModes,
		HistoryLength:       r.HistoryLength,
		Blocking:            !r.ReturnImmediately,
		Push:                newPush(r.Push, false),
	}
	if e.schema != schemaV03 {
		c.Push, c.ProtoPush = nil, c.Push
	}

	return sendV03{e.message(*r.Message), c, r.Metadata}
}

// partV03 has no place for the media type and name of text and data.
func (s schema) partV03(p a2a.Part) partDoc {
	out := partDoc{Metadata: p.Metadata}
	switch c := p.Content.(type) {
	case a2a.Text:
		out.Kind = "text"
		out.Text = (*string)(&c)
	case a2a.Raw:
		out.Kind = "file"
		out.File = &fileDoc{
			Name:     p.Filename,
			MimeType: p.MediaType,
			Bytes:    new(filled([]byte(c))),
		}
	case a2a.URL:
		out.Kind = "file"
		out.File = &fileDoc{Name: p.Filename, MimeType: p.MediaType, URI: (*string)(&c)}
	case a2a.Data:
		out.Kind = "data"
		out.Data, out.Metadata = wrapValue(c, p.Metadata)
	}

	if s != schemaV03 {
		s.boxPart(&out)
	}

	return out
}

// boxPart makes p one of a2a.v1.
func (s schema) boxPart(p *partDoc) {
	p.Kind = ""
	if f := p.File; f != nil {
		f.ProtoBytes = f.Bytes
		f.ProtoURI = f.URI
		f.Bytes = nil
		f.URI = nil
		if s == schemaV03REST {
			f.Name = ""
		}
	}
	if p.Data != nil {
		p.Data = append(append([]byte(`{"data":`), p.Data...), '}')
	}
	if s == schemaV03REST {
		p.Metadata = nil
	}
}
