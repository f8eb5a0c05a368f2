package wire

import (
	"encoding/json"

	"rialto/a2a"
)

// v10 is A2A 1.0: the JSON form of the protocol buffers lf.a2a.v1.
var v10 = Dialect{
	Generation: a2a.V10,
	Versioned:  true,
	Replays:    true,
	methods: []method{
		{Send, "SendMessage"},
		{Stream, "SendStreamingMessage"},
		{Task, "GetTask"},
		{Cancel, "CancelTask"},
		{Subscribe, "SubscribeToTask"},
		{List, "ListTasks"},
		{PushSet, "CreateTaskPushNotificationConfig"},
		{PushGet, "GetTaskPushNotificationConfig"},
		{PushList, "ListTaskPushNotificationConfigs"},
		{PushList, "ListTaskPushNotificationConfig"}, // of the release candidates
		{PushDelete, "DeleteTaskPushNotificationConfig"},
		{ExtendedCard, "GetExtendedAgentCard"},
	},
	errors:    numbers,
	reasons:   reasonArray,
	Codec:     codecV10,
	rareCodec: rareCodec{codecV10},
}

var codecV10 = jsonCodec{generation: a2a.V10, encoder: encodeV10{schemaV10}}

type encodeV10 struct{ schema }

type sendV10 struct {
	Tenant        string       `json:"tenant,omitempty"`
	Message       messageDoc   `json:"message"`
	Configuration configV10    `json:"configuration"`
	Metadata      a2a.Metadata `json:"metadata,omitempty"`
}

// configV10 always says whether to wait: servers disagree about the default.
type configV10 struct {
	AcceptedOutputModes []string `json:"acceptedOutputModes,omitempty"`
	HistoryLength       *int     `json:"historyLength,omitempty"`
	ReturnImmediately   bool     `json:"returnImmediately"`
	Push                *pushDoc `json:"taskPushNotificationConfig,omitempty"`
}

func (s encodeV10) send(r *a2a.SendRequest, e Envelope) any {
	push := newPush(r.Push, true)
	if push != nil {
		push.TaskID = string(r.Push.TaskID)
	}

	return sendV10{
		Tenant:        e.Tenant,
		Message:       s.message(*r.Message),
		Configuration: configV10{r.AcceptedOutputModes, r.HistoryLength, r.ReturnImmediately, push},
		Metadata:      r.Metadata,
	}
}

func partV10(p a2a.Part) partDoc {
	out := partDoc{Metadata: p.Metadata, Filename: p.Filename, MediaType: p.MediaType}
	switch c := p.Content.(type) {
	case a2a.Text:
		out.Text = (*string)(&c)
	case a2a.Raw:
		out.Raw = new(filled([]byte(c)))
	case a2a.URL:
		out.URL = (*string)(&c)
	case a2a.Data:
		out.Data = json.RawMessage(c)
		if len(c) == 0 {
			out.Data = json.RawMessage("null")
		}
	}

	return out
}
