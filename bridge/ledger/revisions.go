package ledger

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"rialto/a2a"
)

const (
	statusesKept = 100     // latest states of a task
	versionsKept = 50      // latest replaced artifacts of a task
	pastBytes    = 4 << 20 // of all replaced artifacts
)

// Revisions are earlier states and artifacts of a task, for users who acted on what the
// agent has replaced since. A Revisions is replaced, never changed.
type Revisions struct {
	States    []StateRevision    `json:"statuses,omitempty"`  // in their order; the last is the present one
	Artifacts []ArtifactRevision `json:"artifacts,omitempty"` // that were replaced, in the order in which they were
	Dropped   int                `json:"dropped,omitempty"`   // how many earlier versions were too many, or too large, to keep

	// Unconfirmed is the id of the message that the agent may not have received. It is
	// cleared by the next event of the agent.
	Unconfirmed string `json:"unsure,omitempty"`

	// Pending is the answer that the agent has not responded to; nil if there is none. It is cleared
	// by the next event of the agent.
	Pending *Pending `json:"pending,omitempty"`

	// Unanswered is the question that a client has returned without an answer; nil if none has. It
	// is cleared by the next state of the task.
	Unanswered *Unanswered `json:"unanswered,omitempty"`
}

// Unanswered names a question by the message that the task has paused after, and says how it was
// returned.
type Unanswered struct {
	MessageID string `json:"message_id"`
	How       string `json:"how"`
}

// StateRevision is a state that a task has been in.
type StateRevision struct {
	State a2a.State `json:"state"`
	Since int64     `json:"since"` // milliseconds since 1970
}

// ArtifactRevision is an artifact as it was until its agent replaced it.
type ArtifactRevision struct {
	Artifact a2a.Artifact `json:"artifact"`
	Until    int64        `json:"until"` // milliseconds since 1970

	// Gone has the bytes of files that are not kept, by the number of their part,
	// which is empty: there was no room for them.
	Gone map[int]int `json:"gone,omitempty"`
}

// Any reports whether there is more to know than the task shows.
func (p *Revisions) Any() bool {
	return p != nil &&
		(len(p.States) > 1 || len(p.Artifacts) > 0 || p.Dropped > 0 || p.Unconfirmed != "" ||
			p.Pending != nil || p.Unanswered != nil)
}

// Encode returns it as it is stored, nil if there is nothing to store.
func (p *Revisions) Encode() ([]byte, error) {
	if !p.Any() {
		return nil, nil
	}
	return json.Marshal(p)
}

// replaceable returns those artifacts of t that event may replace, as they are.
func replaceable(t *a2a.Task, event a2a.Event) []a2a.Artifact {
	if t == nil {
		return nil
	}

	switch event := event.(type) {
	case *a2a.Task:
		return slices.Clone(t.Artifacts)
	case *a2a.ArtifactUpdate:
		i := slices.IndexFunc(
			t.Artifacts, func(a a2a.Artifact) bool { return a.ID == event.Artifact.ID },
		)
		if i >= 0 && !event.Append {
			return []a2a.Artifact{t.Artifacts[i]}
		}
	}

	return nil
}

// revise notes the changes of an event at a moment, and reports whether there were any.
// before are the artifacts that the event may have replaced.
func (e *Record) revise(before []a2a.Artifact, now time.Time) (changed bool) {
	p := e.revisions()
	changed = p.Unconfirmed != "" || p.Pending != nil
	p.Unconfirmed = ""
	p.Pending = nil
	if n := len(p.States); n == 0 || p.States[n-1].State != e.Task.Status.State {
		p.States = append(
			slices.Clip(p.States), StateRevision{e.Task.Status.State, now.UnixMilli()},
		)
		p.States = p.States[max(0, len(p.States)-statusesKept):]
		changed = true
		p.Unanswered = nil
	}
	if gone := lost(before, e.Task.Artifacts); len(gone) > 0 {
		p.Artifacts = slices.Clone(p.Artifacts)
		for _, a := range gone {
			p.Artifacts = append(p.Artifacts, ArtifactRevision{Artifact: a, Until: now.UnixMilli()})
		}
		p.bound()
		changed = true
	}
	if changed {
		e.Revisions = &p
	}
	return changed
}

// revisions returns a copy of the revisions; a zero one if there are none.
func (e *Record) revisions() Revisions {
	if e.Revisions == nil {
		return Revisions{}
	}
	return *e.Revisions
}

// lost returns the artifacts whose content is not in the new ones: they are neither the
// same, nor was more appended.
func lost(before, now []a2a.Artifact) (gone []a2a.Artifact) {
	if len(before) == 0 {
		return nil
	}

	parts := make(map[string][]a2a.Part, len(now))
	for _, a := range slices.Backward(now) { // of two that are called alike the first counts
		parts[a.ID] = a.Parts
	}

	for _, was := range before {
		n := len(was.Parts)
		if is := parts[was.ID]; n > 0 && (len(is) < n || !reflect.DeepEqual(was.Parts, is[:n])) {
			gone = append(gone, was)
		}
	}

	return gone
}

// bound removes the files of replaced artifacts that are too large, the latest kept
// first, and the earliest of too many artifacts.
func (p *Revisions) bound() {
	left := pastBytes
	from := len(p.Artifacts)
	for from > 0 && len(p.Artifacts)-from < versionsKept {
		v := &p.Artifacts[from-1]
		if sizeOfArtifact(&v.Artifact) > left {
			v.dropFiles()
		}
		left -= sizeOfArtifact(&v.Artifact)
		if left < 0 {
			break
		}
		from--
	}

	p.Artifacts = slices.Clone(p.Artifacts[from:])
	p.Dropped += from
}

// dropFiles leaves of files what they are called and how large they were.
func (v *ArtifactRevision) dropFiles() {
	v.Artifact.Parts, v.Gone = slices.Clone(v.Artifact.Parts), maps.Clone(v.Gone)
	for i, p := range v.Artifact.Parts {
		if file, ok := p.Content.(a2a.Raw); ok && len(file) > 0 {
			if v.Gone == nil {
				v.Gone = map[int]int{}
			}
			v.Gone[i], v.Artifact.Parts[i].Content = len(file), a2a.Raw{}
		}
	}
}

// Part returns a part of the nth version since the task began, counted from 1; nil
// if it is not there or not kept.
func (p *Revisions) Part(n, i int) *a2a.Part {
	if p == nil || n <= p.Dropped || n > p.Dropped+len(p.Artifacts) {
		return nil
	}
	v := &p.Artifacts[n-p.Dropped-1]
	if _, gone := v.Gone[i]; gone || i < 0 || i >= len(v.Artifact.Parts) {
		return nil
	}
	return &v.Artifact.Parts[i]
}
