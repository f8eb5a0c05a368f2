package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"rialto/a2a"
)

// The names of members that are known, by the object that has them. Tasks, messages
// and their updates have one list: each may be in an answer bare, where a member of
// another tells what it is, and what an update says of a task joins the task.
var (
	eventNames    = append(slices.Clone(objectNames), "error")
	statusNames   = []string{"state", "message", "timestamp"}
	artifactNames = []string{"artifactId", "name", "description", "parts", "metadata", "extensions", "index", "append", "lastChunk"}
)

// The bounds of a member that is kept, besides those of a2a.Members.
const (
	maxMemberName  = 64
	maxMemberDepth = 32
)

// gather goes through the object that is next and returns those of its members that
// are not known. Inside reads those that hold objects of ours, and reports that it
// did.
func (s *scan) gather(known []string, inside func(name string) bool) (others a2a.Members) {
	if s.peek() != '{' {
		s.skip()
		return nil
	}
	for raw := range s.members {
		name := string(raw)
		switch {
		case inside(name):
		case !unknownName(name, known):
			s.skip()
		default:
			if v, ok := memberValue(s.skip()); ok {
				others.Set(name, v)
			}
		}
	}
	return others
}

// unknownName reports whether name is one that the protocol may have and we do
// not: spelled as the JSON form of protocol buffers does, for only a later
// generation may add members (1.0 section 4.6: extensions use metadata). One that
// differs from a known name by its capitals would count as that for readers that
// do not look at them, as those in Go.
func unknownName(name string, known []string) bool {
	if name == "" || len(name) > maxMemberName || name[0] < 'a' || name[0] > 'z' {
		return false
	}
	for _, c := range []byte(name) {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
}

// memberValue returns v without the space in it, unless it is null, which says
// nothing, or something that readers may not agree upon: too deep, or with two
// members of one name.
func memberValue(v jsontext.Value) (json.RawMessage, bool) {
	if len(v) > a2a.MaxMembersSize || bytes.Equal(v, []byte("null")) || depth(v) > maxMemberDepth || !v.IsValid() {
		return nil, false
	}
	v = v.Clone()
	return json.RawMessage(v), v.Compact() == nil
}

// depth returns how many arrays and objects lie in each other in v, at least.
func depth(v []byte) (deepest int) {
	open := 0
	for _, c := range v { // brackets in strings count, too: no more than a bound needs
		switch c {
		case '{', '[':
			open++
			deepest = max(deepest, open)
		case '}', ']':
			open--
		}
	}
	return deepest
}

// otherMembers finds the members of an answer that we do not know, and keeps them
// in what it was read as.
func otherMembers(answer []byte, e a2a.Event) {
	enveloped := false
	s := scan{left: answer}
	for name := range s.members {
		if string(name) == memberOf(e) && s.peek() == '{' {
			enveloped = true
			s.event(e)
		} else {
			s.skip()
		}
	}
	if !enveloped {
		s = scan{left: answer}
		s.event(e)
	}
}

// memberOf returns the name of the member of an envelope that e is.
func memberOf(e a2a.Event) string {
	switch e.(type) {
	case *a2a.Task:
		return "task"
	case *a2a.Message:
		return "message"
	case *a2a.StatusUpdate:
		return "statusUpdate"
	case *a2a.ArtifactUpdate:
		return "artifactUpdate"
	default:
		return ""
	}
}

func (s *scan) event(e a2a.Event) {
	switch e := e.(type) {
	case *a2a.Task:
		s.taskOthers(e)
	case *a2a.Message:
		s.messageOthers(e)
	case *a2a.StatusUpdate:
		e.Others = s.gather(eventNames, func(name string) bool { return name == "status" && s.statusOthers(&e.Status) })
	case *a2a.ArtifactUpdate:
		e.Others = s.gather(eventNames, func(name string) bool { return name == "artifact" && s.artifactOthers(&e.Artifact) })
	}
}

func (s *scan) taskOthers(t *a2a.Task) {
	t.Others = s.gather(eventNames, func(name string) bool {
		switch name {
		case "status":
			return s.statusOthers(&t.Status)
		case "artifacts":
			s.eachOthers(len(t.Artifacts), false, func(i int) { s.artifactOthers(&t.Artifacts[i]) })
		case "history":
			s.eachOthers(len(t.History), true, func(i int) { s.messageOthers(&t.History[i]) })
		default:
			return false
		}
		return true
	})
}

// eachOthers goes through an array of which n elements were read. Those that are
// null may have been left out.
func (s *scan) eachOthers(n int, nullsOut bool, read func(i int)) {
	if s.peek() != '[' {
		s.skip()
		return
	}
	i := 0
	for range s.elements {
		if object := s.peek() == '{'; object && i < n {
			read(i)
		} else {
			s.skip()
			if nullsOut {
				continue
			}
		}
		i++
	}
}

func (s *scan) messageOthers(m *a2a.Message) {
	m.Others = s.gather(eventNames, func(string) bool { return false })
}

func (s *scan) statusOthers(st *a2a.Status) bool {
	st.Others = s.gather(statusNames, func(name string) bool {
		if name != "message" || st.Message == nil {
			return false
		}
		s.messageOthers(st.Message)
		return true
	})
	return true
}

func (s *scan) artifactOthers(a *a2a.Artifact) bool {
	a.Others = s.gather(artifactNames, func(string) bool { return false })
	return true
}

// pageOthers is otherMembers for the tasks of a page.
func pageOthers(result []byte, p *a2a.TaskPage) {
	s := scan{left: result}
	for name := range s.members {
		if string(name) != "tasks" {
			s.skip()
			continue
		}
		s.eachOthers(len(p.Tasks), false, func(i int) { s.taskOthers(p.Tasks[i]) })
	}
}
