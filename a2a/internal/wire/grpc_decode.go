package wire

import (
	"cmp"
	"encoding/json"
	"fmt"

	"rialto/a2a"
)

// protoStates are the states of tasks by their numbers.
var protoStates = [...]a2a.State{a2a.Unknown, a2a.Submitted, a2a.Working, a2a.Completed, a2a.Failed, a2a.Canceled,
	a2a.InputRequired, a2a.Rejected, a2a.AuthRequired}

// DecodeAnswer reads a SendMessageResponse (Codec).
func (d protobuf) DecodeAnswer(result []byte) (Item, error) { return d.DecodeEvent(result) }

// DecodeEvent reads a StreamResponse (Codec).
func (d protobuf) DecodeEvent(result []byte) (Item, error) {
	var i Item
	var err error
	f := newFields(result)
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			i, err = wrap(d.readTask(f.inner()))
		case 2<<3 | sized:
			i, err = wrap(d.answer(f.inner()))
		case 3<<3 | sized:
			i, err = d.statusUpdate(f.inner())
		case 4<<3 | sized:
			i, err = wrap(d.artifactUpdate(f.inner()))
		}
		f.check(err)
	}
	if f.err == nil && i.Event == nil {
		f.err = errNoEvent
	}
	return i, f.err
}

// DecodeTask reads a Task (Codec).
func (d protobuf) DecodeTask(result []byte) (*a2a.Task, error) { return d.readTask(newFields(result)) }

func (d protobuf) readTask(f fields) (*a2a.Task, error) {
	t := &a2a.Task{Status: a2a.Status{State: a2a.Unknown}}
	var unnamed []int
	var err error
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			t.ID = a2a.TaskID(f.text())
		case 2<<3 | sized:
			t.ContextID = f.text()
		case 3<<3 | sized:
			t.Status, err = d.status(f.inner())
			f.check(err)
		case 4<<3 | sized:
			a, err := d.artifact(f.inner())
			f.check(err)
			if a.ID == "" {
				a.ID, unnamed = nameOf(&a, len(t.Artifacts)), append(unnamed, len(t.Artifacts))
			}
			t.Artifacts = append(t.Artifacts, a)
		case 5<<3 | sized:
			t.History = append(t.History, a2a.Message{})
			f.check(d.readAnswer(f.inner(), &t.History[len(t.History)-1]))
		case 6<<3 | sized:
			t.Metadata = f.object()
		}
	}
	tellApart(t.Artifacts, unnamed)
	if f.err == nil && t.ID == "" {
		f.err = errNoTaskID
	}
	return t, f.err
}

func (d protobuf) statusUpdate(f fields) (Item, error) {
	u := &a2a.StatusUpdate{Status: a2a.Status{State: a2a.Unknown}}
	i := Item{Event: u}
	var err error
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			u.TaskID = a2a.TaskID(f.text())
		case 2<<3 | sized:
			u.ContextID = f.text()
		case 3<<3 | sized:
			u.Status, err = d.status(f.inner())
			f.check(err)
		case 4<<3 | varint:
			i.Final = d.v03 && f.flag()
		case d.either(5, 4)<<3 | sized:
			u.Metadata = f.object()
		}
	}
	return i, f.err
}

func (d protobuf) artifactUpdate(f fields) (*a2a.ArtifactUpdate, error) {
	u := &a2a.ArtifactUpdate{}
	var whole bool
	var err error
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			u.TaskID = a2a.TaskID(f.text())
		case 2<<3 | sized:
			u.ContextID = f.text()
		case 3<<3 | sized:
			whole = true
			u.Artifact, err = d.artifact(f.inner())
			f.check(err)
			u.Artifact.ID = cmp.Or(u.Artifact.ID, nameOf(&u.Artifact, 0))
		case 4<<3 | varint:
			u.Append = f.flag()
		case 5<<3 | varint:
			u.LastChunk = f.flag()
		case 6<<3 | sized:
			u.Metadata = f.object()
		}
	}
	if f.err == nil && !whole {
		f.err = errNoArtifact
	}
	return u, f.err
}

func (d protobuf) status(f fields) (a2a.Status, error) {
	s := a2a.Status{State: a2a.Unknown}
	var err error
	for f.next() {
		switch f.tag {
		case 1<<3 | varint:
			s.State = a2a.Unknown
			if f.number < uint64(len(protoStates)) {
				s.State = protoStates[f.number]
			}
		case 2<<3 | sized:
			s.Message, err = d.answer(f.inner())
			f.check(err)
		case 3<<3 | sized:
			s.Timestamp = f.time()
		}
	}
	return s, f.err
}

// answer reads a Message of an agent. One without an id gets one, as in JSON.
func (d protobuf) answer(f fields) (*a2a.Message, error) {
	m := &a2a.Message{}
	return m, d.readAnswer(f, m)
}

func (d protobuf) readAnswer(f fields, m *a2a.Message) error {
	err := d.readMessage(f, keepUnknown, m)
	if err == nil && m.ID == "" {
		m.ID = contentID(m)
	}
	return err
}

// message reads a Message. unknown decides what becomes of parts that we cannot
// read.
func (d protobuf) message(f fields, unknown func(json.RawMessage) (a2a.Part, error)) (*a2a.Message, error) {
	m := &a2a.Message{}
	return m, d.readMessage(f, unknown, m)
}

// readMessage reads a Message into m, which is empty.
func (d protobuf) readMessage(f fields, unknown func(json.RawMessage) (a2a.Part, error), m *a2a.Message) error {
	f.spend(objectRoom)
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			m.ID = f.text()
		case 2<<3 | sized:
			m.ContextID = f.text()
		case 3<<3 | sized:
			m.TaskID = a2a.TaskID(f.text())
		case 4<<3 | varint:
			m.Role = protoRole(f.number)
		case 5<<3 | sized:
			p, err := d.part(f.inner(), unknown)
			f.check(inside("parts", len(m.Parts), err))
			m.Parts = append(m.Parts, p)
		case 6<<3 | sized:
			m.Metadata = f.object()
		case 7<<3 | sized:
			m.Extensions = append(m.Extensions, f.text())
		case 8<<3 | sized:
			m.ReferenceTaskIDs = append(m.ReferenceTaskIDs, a2a.TaskID(f.text()))
		}
	}
	return f.err
}

func protoRole(number uint64) a2a.Role {
	switch number {
	case 1:
		return a2a.RoleUser
	case 2:
		return a2a.RoleAgent
	default:
		return ""
	}
}

// inside says where in a list something is wrong, if it is.
func inside(list string, i int, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s[%d]: %w", list, i, err)
}

// nameOf returns what an artifact without an id is called: as it calls itself, or
// by its place in the list.
func nameOf(a *a2a.Artifact, i int) string { return cmp.Or(a.Name, NumberedArtifact(i)) }

func (d protobuf) artifact(f fields) (a2a.Artifact, error) {
	var a a2a.Artifact
	second := d.either(3, 2) // 0.3 passes over a number
	f.spend(objectRoom)
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			a.ID = f.text()
		case second<<3 | sized:
			a.Name = f.text()
		case (second+1)<<3 | sized:
			a.Description = f.text()
		case (second+2)<<3 | sized:
			p, err := d.part(f.inner(), keepUnknown)
			f.check(inside("parts", len(a.Parts), err))
			a.Parts = append(a.Parts, p)
		case (second+3)<<3 | sized:
			a.Metadata = f.object()
		case (second+4)<<3 | sized:
			a.Extensions = append(a.Extensions, f.text())
		}
	}
	return a, f.err
}

func (d protobuf) part(f fields, unknown func(json.RawMessage) (a2a.Part, error)) (a2a.Part, error) {
	f.spend(objectRoom)
	read := part10proto
	if d.v03 {
		read = part03proto
	}
	p, err := read(f)
	switch {
	case err != nil:
		return p, err
	case p.Content == nil:
		all, err := json.Marshal(part10{Metadata: p.Metadata, Filename: p.Filename, MediaType: p.MediaType})
		if err != nil {
			return p, err
		}
		return unknown(all)
	}
	if _, ok := p.Content.(a2a.Data); ok {
		unwrapValue(&p)
	}
	return p, nil
}

func part10proto(f fields) (p a2a.Part, err error) {
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			p.Content = a2a.Text(f.text())
		case 2<<3 | sized:
			p.Content = a2a.Raw(append([]byte{}, f.bytes...))
		case 3<<3 | sized:
			p.Content = a2a.URL(f.text())
		case 4<<3 | sized:
			p.Content = f.data()
		case 5<<3 | sized:
			p.Metadata = f.object()
		case 6<<3 | sized:
			p.Filename = f.text()
		case 7<<3 | sized:
			p.MediaType = f.text()
		}
	}
	return p, f.err
}

// part03proto reads a Part of 0.3, whose file and data are messages in it.
func part03proto(f fields) (p a2a.Part, err error) {
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			p = a2a.Part{Content: a2a.Text(f.text()), Metadata: p.Metadata}
		case 2<<3 | sized:
			metadata := p.Metadata
			p, err = file03proto(f.inner())
			p.Metadata = metadata
			f.check(err)
		case 3<<3 | sized:
			data, err := data03proto(f.inner())
			f.check(err)
			p = a2a.Part{Content: data, Metadata: p.Metadata}
		case 4<<3 | sized:
			p.Metadata = f.object()
		}
	}
	return p, f.err
}

func data03proto(f fields) (a2a.Data, error) {
	data := a2a.Data("{}")
	for f.next() {
		if f.tag == 1<<3|sized {
			data = f.dataObject()
		}
	}
	return data, f.err
}

func file03proto(f fields) (p a2a.Part, err error) {
	for f.next() {
		switch f.tag {
		case 1<<3 | sized:
			p.Content = a2a.URL(f.text())
		case 2<<3 | sized:
			p.Content = a2a.Raw(append([]byte{}, f.bytes...))
		case 3<<3 | sized:
			p.MediaType = f.text()
		case 4<<3 | sized:
			p.Filename = f.text()
		}
	}
	return p, f.err
}
