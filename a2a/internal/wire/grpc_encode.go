package wire

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"rialto/a2a"
)

// small is what most calls fit into.
const small = 128

// encoded returns what write writes.
func encoded(write func(*buffer)) ([]byte, error) {
	w := buffer{b: make([]byte, 0, small)}
	write(&w)
	return w.b, w.err
}

// EncodeTask returns t as a Task (Codec).
func (d protobuf) EncodeTask(t *a2a.Task) ([]byte, error) {
	return encoded(func(w *buffer) { d.writeTask(w, t) })
}

// EncodeEvent returns e as a StreamResponse (Codec). A SendMessageResponse is one
// with fewer members.
func (d protobuf) EncodeEvent(e a2a.Event) ([]byte, error) {
	return encoded(func(w *buffer) {
		switch e := e.(type) {
		case *a2a.Task:
			at := w.begin(1)
			d.writeTask(w, e)
			w.end(at)
		case *a2a.Message:
			d.writeMessage(w, 2, e)
		case *a2a.StatusUpdate:
			at := w.begin(3)
			d.writeStatusUpdate(w, e)
			w.end(at)
		case *a2a.ArtifactUpdate:
			at := w.begin(4)
			d.writeArtifactUpdate(w, e)
			w.end(at)
		}
	})
}

func (d protobuf) writeTask(w *buffer, t *a2a.Task) {
	w.text(1, string(t.ID))
	w.text(2, t.ContextID)
	d.writeStatus(w, 3, t.Status)
	for i := range t.Artifacts {
		d.writeArtifact(w, 4, &t.Artifacts[i])
	}
	for i := range t.History {
		d.writeMessage(w, 5, &t.History[i])
	}
	w.metadata(6, t.Metadata)
}

func (d protobuf) writeStatusUpdate(w *buffer, u *a2a.StatusUpdate) {
	w.text(1, string(u.TaskID))
	w.text(2, u.ContextID)
	d.writeStatus(w, 3, u.Status)
	if d.v03 {
		w.flag(4, u.Status.State.Settled()) // final
		w.metadata(5, u.Metadata)
		return
	}
	w.metadata(4, u.Metadata)
}

func (d protobuf) writeArtifactUpdate(w *buffer, u *a2a.ArtifactUpdate) {
	w.text(1, string(u.TaskID))
	w.text(2, u.ContextID)
	d.writeArtifact(w, 3, &u.Artifact)
	w.flag(4, u.Append)
	w.flag(5, u.LastChunk)
	w.metadata(6, u.Metadata)
}

func (d protobuf) writeStatus(w *buffer, num protowire.Number, s a2a.Status) {
	at := w.begin(num)
	if state := protoState(s.State); state != 0 {
		w.int(1, state)
	}
	if s.Message != nil {
		d.writeMessage(w, 2, s.Message)
	}
	w.time(3, s.Timestamp)
	w.end(at)
}

// protoState returns the number of a state. 0 is unspecified.
func protoState(s a2a.State) int { return max(0, slices.Index(protoStates[:], s)) }

func (d protobuf) writeMessage(w *buffer, num protowire.Number, m *a2a.Message) {
	at := w.begin(num)
	w.text(1, m.ID)
	w.text(2, m.ContextID)
	w.text(3, string(m.TaskID))
	if m.Role == a2a.RoleAgent {
		w.int(4, 2)
	} else {
		w.int(4, 1)
	}
	d.writeParts(w, 5, m.Parts)
	w.metadata(6, m.Metadata)
	w.texts(7, m.Extensions)
	for _, id := range m.ReferenceTaskIDs {
		w.oneText(8, string(id))
	}
	w.end(at)
}

func (d protobuf) writeArtifact(w *buffer, num protowire.Number, a *a2a.Artifact) {
	at := w.begin(num)
	second := protowire.Number(d.either(3, 2))
	w.text(1, a.ID)
	w.text(second, a.Name)
	w.text(second+1, a.Description)
	d.writeParts(w, second+2, a.Parts)
	w.metadata(second+3, a.Metadata)
	w.texts(second+4, a.Extensions)
	w.end(at)
}

func (d protobuf) writeParts(w *buffer, num protowire.Number, parts []a2a.Part) {
	for i := range parts {
		at := w.begin(num)
		if d.v03 {
			writePart03(w, &parts[i])
		} else {
			writePart10(w, &parts[i])
		}
		w.end(at)
	}
}

func writePart10(w *buffer, p *a2a.Part) {
	switch c := p.Content.(type) {
	case a2a.Text:
		w.oneText(1, string(c))
	case a2a.Raw:
		w.raw(2, c)
	case a2a.URL:
		w.oneText(3, string(c))
	case a2a.Data:
		w.data(4, c)
	}
	w.metadata(5, p.Metadata)
	w.text(6, p.Filename)
	w.text(7, p.MediaType)
}

// writePart03 has no place for the media type and name of text and data.
func writePart03(w *buffer, p *a2a.Part) {
	metadata := p.Metadata
	switch c := p.Content.(type) {
	case a2a.Text:
		w.oneText(1, string(c))
	case a2a.Raw, a2a.URL:
		at := w.begin(2)
		if u, ok := c.(a2a.URL); ok {
			w.oneText(1, string(u))
		} else {
			w.raw(2, c.(a2a.Raw))
		}
		w.text(3, p.MediaType)
		w.text(4, p.Filename)
		w.end(at)
	case a2a.Data:
		object, marked := wrapValue(c, p.Metadata)
		metadata = marked
		at := w.begin(3)
		w.jsonObject(1, object)
		w.end(at)
	}
	w.metadata(4, metadata)
}
