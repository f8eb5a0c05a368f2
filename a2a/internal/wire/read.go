package wire

import (
	"bytes"
	"errors"
)

// read reads an object whose members are those that it should have.
func (o *object) read(s *scan) {
	for name := range s.members {
		switch string(name) {
		case "kind":
			o.Kind = s.text()
		case "id":
			o.ID = taskID{text: s.text()}
		case "taskId":
			o.TaskID = s.text()
		case "contextId":
			o.ContextID = s.text()
		case "messageId":
			o.MessageID = s.text()
		case "role":
			o.Role = roleOf(s.text())
		case "metadata":
			o.Metadata.read(s)
		case "append":
			o.Append = s.flag()
		case "lastChunk":
			o.LastChunk = s.flag()
		case "final":
			final := s.flag()
			o.Final = &final
		case "referenceTaskIds":
			o.Refs = scanTexts(s, o.Refs)
		case "extensions":
			o.Exts = scanTexts(s, o.Exts)
		default:
			o.readInner(s, name)
		}
	}
}

// readInner reads a member that has members itself.
func (o *object) readInner(s *scan, name []byte) {
	switch string(name) {
	case "task":
		o.Task = readObject(s, o.Task)
	case "message":
		o.Message = readObject(s, o.Message)
	case "statusUpdate":
		o.StatusUpdate = readObject(s, o.StatusUpdate)
	case "artifactUpdate":
		o.ArtifactUpdate = readObject(s, o.ArtifactUpdate)
	case "status":
		s.bad = s.bad || o.Status != nil
		o.Status = &status{}
		o.Status.read(s)
	case "artifact":
		s.bad = s.bad || o.Artifact != nil
		o.Artifact = &artifact{}
		o.Artifact.read(s)
	case "artifacts":
		s.bad = s.bad || o.Artifacts != nil
		o.Artifacts = []artifact{}
		for range s.elements {
			o.Artifacts = append(o.Artifacts, artifact{})
			o.Artifacts[len(o.Artifacts)-1].read(s)
		}
	case "history":
		s.bad = s.bad || o.History != nil
		o.History = []*object{}
		for range s.elements {
			o.History = append(o.History, readObject(s, nil))
		}
	case "parts":
		o.Parts = readParts(s, o.Parts)
	case "content":
		o.Content = readParts(s, o.Content)
	default:
		s.unknown(name, objectNames)
	}
}

// readObject reads an object inside of another, which may have it only once.
func readObject(s *scan, so *object) *object {
	s.bad = s.bad || so != nil
	o := &object{}
	o.read(s)
	return o
}

func (st *status) read(s *scan) {
	for name := range s.members {
		switch string(name) {
		case "state":
			st.State = state(stateOf(s.text()))
		case "message":
			st.Message = readObject(s, st.Message)
		case "timestamp":
			st.Timestamp = timeOf(s.text())
		default:
			s.unknown(name, statusNames)
		}
	}
}

func (a *artifact) read(s *scan) {
	for name := range s.members {
		switch string(name) {
		case "artifactId":
			a.ID = s.text()
		case "name":
			a.Name = s.text()
		case "description":
			a.Description = s.text()
		case "parts":
			a.Parts = readParts(s, a.Parts)
		case "metadata":
			a.Metadata.read(s)
		case "extensions":
			a.Extensions = scanTexts(s, a.Extensions)
		default:
			s.unknown(name, artifactNames)
		}
	}
}

// read reads an object; what is none is ignored.
func (m *metadata) read(s *scan) {
	v := s.raw()
	s.bad = s.bad || m.UnmarshalJSON(v) != nil
}

func readParts(s *scan, so parts) parts {
	s.bad = s.bad || so != nil
	all := parts{}
	for range s.elements {
		all = append(all, readPart(s))
	}
	return all
}

func readPart(s *scan) (p anyPart) {
	var in part
	whole := s.left
	in.read(s)
	p.word, p.err = in.word()
	if errors.Is(p.err, errNoContent) {
		p.raw = bytes.TrimSpace(bytes.Clone(whole[:len(whole)-len(s.left)]))
	}
	return p
}

func (p *part) read(s *scan) {
	for name := range s.members {
		switch string(name) {
		case "text":
			p.Text = scanText(s)
		case "data":
			p.Data = bytes.Clone(s.raw())
		case "file":
			s.bad = s.bad || p.File != nil
			p.File = &file{}
			p.File.read(s)
		case "raw":
			p.Raw = scanText(s)
		case "url":
			p.URL = scanText(s)
		case "filename":
			p.Filename = s.text()
		case "mediaType":
			p.MediaType = s.text()
		case "metadata":
			p.Metadata.read(s)
		case "kind", "type": // the other members say it
			_ = s.quoted()
		default:
			s.bad = true
		}
	}
}

func (f *file) read(s *scan) {
	for name := range s.members {
		switch string(name) {
		case "name":
			f.Name = s.text()
		case "mimeType":
			f.MimeType = s.text()
		case "bytes":
			f.Bytes = scanText(s)
		case "uri":
			f.URI = scanText(s)
		case "fileWithBytes":
			f.FileWithBytes = scanText(s)
		case "fileWithUri":
			f.FileWithURI = scanText(s)
		default:
			s.bad = true
		}
	}
}
