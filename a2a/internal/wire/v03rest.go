package wire

import (
	"bytes"
	"encoding/json"

	"rialto/a2a"
)

// v03rest is A2A 0.3 over HTTP+JSON: the JSON form of the protocol buffers
// a2a.v1. They call the parts of a message its content, and a part has neither
// metadata nor the name of a file.
var v03rest = Dialect{
	Generation: a2a.V03,
	methods:    v03.methods,
	errors:     numbers,
	Codec:      jsonCodec{generation: a2a.V03, boxed: true, speller: spell03rest{}, decodeSend: decodeSend03rest},
}

// json03proto is the JSON form of a2a.v1 as it was last, which is sent over gRPC.
var json03proto = jsonCodec{generation: a2a.V03, boxed: true, resources: true, speller: spell03rest{latest: true}, decodeSend: decodeSend03rest}

type spell03rest struct {
	latest bool // with the members that a2a.v1 got last, which servers over HTTP+JSON may refuse
}

type send03rest struct {
	Message       message03rest `json:"message"`
	Configuration config03rest  `json:"configuration"`
	Metadata      a2a.Metadata  `json:"metadata,omitempty"`
}

// config03rest is config03 with another name for the webhook.
type config03rest struct {
	AcceptedOutputModes []string `json:"acceptedOutputModes,omitempty"`
	HistoryLength       *int     `json:"historyLength,omitempty"`
	Blocking            bool     `json:"blocking"`
	Push                *push03  `json:"pushNotification,omitempty"`
}

type message03rest struct {
	MessageID  string       `json:"messageId"`
	ContextID  string       `json:"contextId,omitempty"`
	TaskID     a2a.TaskID   `json:"taskId,omitempty"`
	Role       string       `json:"role"`
	Content    []part03rest `json:"content,omitzero"`
	Parts      []part03rest `json:"parts,omitzero"`
	Metadata   a2a.Metadata `json:"metadata,omitempty"`
	Extensions []string     `json:"extensions,omitempty"`
	References []a2a.TaskID `json:"referenceTaskIds,omitempty"`
}

type part03rest struct {
	Text *string     `json:"text,omitempty"`
	File *file03rest `json:"file,omitempty"`
	Data *data03rest `json:"data,omitempty"`

	Metadata a2a.Metadata `json:"metadata,omitempty"`
}

type file03rest struct {
	URI      *string `json:"fileWithUri,omitempty"`
	Bytes    *[]byte `json:"fileWithBytes,omitempty"`
	MimeType string  `json:"mimeType,omitempty"`
	Name     string  `json:"name,omitempty"`
}

type data03rest struct {
	Data json.RawMessage `json:"data"`
}

type artifact03rest struct {
	ArtifactID  string       `json:"artifactId"`
	Name        string       `json:"name,omitempty"`
	Description string       `json:"description,omitempty"`
	Parts       []part03rest `json:"parts"`
	Metadata    a2a.Metadata `json:"metadata,omitempty"`
	Extensions  []string     `json:"extensions,omitempty"`
}

type status03rest struct {
	State     string         `json:"state"`
	Message   *message03rest `json:"message,omitempty"`
	Timestamp string         `json:"timestamp,omitempty"`
}

type task03rest struct {
	ID        a2a.TaskID       `json:"id"`
	ContextID string           `json:"contextId"`
	Status    status03rest     `json:"status"`
	Artifacts []artifact03rest `json:"artifacts,omitempty"`
	History   []message03rest  `json:"history,omitempty"`
	Metadata  a2a.Metadata     `json:"metadata,omitempty"`
}

type statusUpdate03rest struct {
	TaskID    a2a.TaskID   `json:"taskId"`
	ContextID string       `json:"contextId"`
	Status    status03rest `json:"status"`
	Final     bool         `json:"final"`
	Metadata  a2a.Metadata `json:"metadata,omitempty"`
}

type artifactUpdate03rest struct {
	TaskID    a2a.TaskID     `json:"taskId"`
	ContextID string         `json:"contextId"`
	Artifact  artifact03rest `json:"artifact"`
	Append    bool           `json:"append,omitempty"`
	LastChunk bool           `json:"lastChunk,omitempty"`
	Metadata  a2a.Metadata   `json:"metadata,omitempty"`
}

func (s spell03rest) send(r *a2a.SendRequest, _ Envelope) any {
	return send03rest{s.message(*r.Message), config03rest{r.AcceptedOutputModes, r.HistoryLength, !r.ReturnImmediately, inlinePush03(r)}, r.Metadata}
}

func (s spell03rest) event(e a2a.Event) any {
	switch e := e.(type) {
	case *a2a.Task:
		return map[string]any{"task": s.task(e)}
	case *a2a.Message:
		return map[string]any{"message": s.message(*e)}
	case *a2a.StatusUpdate:
		return map[string]any{"statusUpdate": statusUpdate03rest{e.TaskID, e.ContextID, s.status(e.Status), e.Status.State.Settled(), e.Metadata}}
	case *a2a.ArtifactUpdate:
		return map[string]any{"artifactUpdate": artifactUpdate03rest{e.TaskID, e.ContextID, s.artifact(e.Artifact), e.Append, e.LastChunk, e.Metadata}}
	default:
		return nil
	}
}

func (s spell03rest) task(t *a2a.Task) any {
	return task03rest{t.ID, t.ContextID, s.status(t.Status), each(t.Artifacts, s.artifact), each(t.History, s.message), t.Metadata}
}

func (s spell03rest) status(in a2a.Status) status03rest {
	out := status03rest{State: stateV1(in.State), Timestamp: formatTime(in.Timestamp)}
	if in.State == a2a.Canceled {
		out.State = "TASK_STATE_CANCELLED"
	}
	if in.Message != nil {
		m := s.message(*in.Message)
		out.Message = &m
	}
	return out
}

func (s spell03rest) message(m a2a.Message) message03rest {
	out := message03rest{MessageID: m.ID, ContextID: m.ContextID, TaskID: m.TaskID, Role: roleV1(m.Role),
		Metadata: m.Metadata, Extensions: m.Extensions}
	if parts := filled(each(m.Parts, s.part)); s.latest {
		out.Parts, out.References = parts, m.ReferenceTaskIDs
	} else {
		out.Content = parts
	}
	return out
}

func (s spell03rest) artifact(a a2a.Artifact) artifact03rest {
	return artifact03rest{a.ID, a.Name, a.Description, filled(each(a.Parts, s.part)), a.Metadata, a.Extensions}
}

func (s spell03rest) part(p a2a.Part) part03rest {
	in := spell03{}.part(p)
	out := part03rest{Text: in.Text}
	switch {
	case in.File != nil:
		out.File = &file03rest{URI: in.File.URI, Bytes: in.File.Bytes, MimeType: in.File.MimeType}
		if s.latest {
			out.File.Name = in.File.Name
		}
	case in.Data != nil:
		out.Data = &data03rest{in.Data}
	}
	if s.latest {
		out.Metadata = in.Metadata
	}
	return out
}

// decodeSend03rest waits only if that is said: the JSON form of protocol buffers
// leaves out what is false.
func decodeSend03rest(params json.RawMessage) (*a2a.SendRequest, error) {
	req, err := decodeSend(params)
	if err != nil {
		return nil, err
	}
	var in struct {
		Configuration struct {
			Blocking bool `json:"blocking"`
		} `json:"configuration"`
	}
	_ = json.Unmarshal(params, &in) // it has been read before
	req.ReturnImmediately = !in.Configuration.Blocking
	unbox(req.Message.Parts)
	return req, nil
}

// unboxEvent takes data out of the object that the protocol buffers of 0.3 put
// around it.
func unboxEvent(e a2a.Event) {
	message := func(m *a2a.Message) {
		if m != nil {
			unbox(m.Parts)
		}
	}
	switch e := e.(type) {
	case *a2a.Message:
		message(e)
	case *a2a.StatusUpdate:
		message(e.Status.Message)
	case *a2a.ArtifactUpdate:
		unbox(e.Artifact.Parts)
	case *a2a.Task:
		message(e.Status.Message)
		for i := range e.History {
			unbox(e.History[i].Parts)
		}
		for i := range e.Artifacts {
			unbox(e.Artifacts[i].Parts)
		}
	}
}

// unboxed returns what is in the object d, if that is called data and all there is.
func unboxed(d a2a.Data) a2a.Data {
	in := json.NewDecoder(bytes.NewReader(d))
	if open, _ := in.Token(); open != json.Delim('{') {
		return d
	}
	if name, _ := in.Token(); name != "data" {
		return d
	}
	var value json.RawMessage
	if in.Decode(&value) != nil || in.More() {
		return d
	}
	return a2a.Data(value)
}

func unbox(parts []a2a.Part) {
	for i, p := range parts {
		if d, ok := p.Content.(a2a.Data); ok {
			parts[i].Content = unboxed(d)
		}
	}
}
