package bridge

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
)

const (
	statusesKept = 100     // of a task, the latest
	versionsKept = 50      // of a task's artifacts that were replaced, the latest
	pastBytes    = 1 << 20 // of them all
)

// Past is what has been of a task besides what is: an agent may replace what it
// has said and produced, and who acted on it must find it again. What an agent
// said with a status is in the task's history. It is replaced, never changed.
type Past struct {
	Statuses []PastStatus   `json:"statuses,omitempty"`  // in their order; the last is the present one
	Versions []PastArtifact `json:"artifacts,omitempty"` // that were replaced, in the order in which they were
	Dropped  int            `json:"dropped,omitempty"`   // how many versions were too many, or too large, to keep
}

// PastStatus is a state that a task has been in.
type PastStatus struct {
	State a2a.State `json:"state"`
	Since int64     `json:"since"` // milliseconds since 1970
}

// PastArtifact is an artifact as it was until its agent replaced it.
type PastArtifact struct {
	Artifact a2a.Artifact `json:"artifact"`
	Until    int64        `json:"until"` // milliseconds since 1970
}

// worth tells whether there is anything that the task does not tell itself.
func (p *Past) worth() bool { return p != nil && (len(p.Statuses) > 1 || len(p.Versions) > 0) }

// Encode returns it as it is stored, nil if there is nothing to store.
func (p *Past) Encode() ([]byte, error) {
	if !p.worth() {
		return nil, nil
	}
	return json.Marshal(p)
}

// aboutToGo returns those artifacts of t that event may replace, as they are.
func aboutToGo(t *a2a.Task, event a2a.Event) []a2a.Artifact {
	if t == nil {
		return nil
	}
	switch event := event.(type) {
	case *a2a.Task:
		return slices.Clone(t.Artifacts)
	case *a2a.ArtifactUpdate:
		i := slices.IndexFunc(t.Artifacts, func(a a2a.Artifact) bool { return a.ID == event.Artifact.ID })
		if i >= 0 && !event.Append {
			return []a2a.Artifact{t.Artifacts[i]}
		}
	}
	return nil
}

// remember notes in the past of e what an event has made of it, at a moment;
// before are the artifacts that it may have replaced.
func (e *Entry) remember(before []a2a.Artifact, now time.Time) {
	var p Past
	if e.Past != nil {
		p = *e.Past
	}
	changed := false
	if n := len(p.Statuses); n == 0 || p.Statuses[n-1].State != e.Task.Status.State {
		p.Statuses = append(slices.Clip(p.Statuses), PastStatus{e.Task.Status.State, now.UnixMilli()})
		p.Statuses = p.Statuses[max(0, len(p.Statuses)-statusesKept):]
		changed = true
	}
	if gone := lost(before, e.Task.Artifacts); len(gone) > 0 {
		p.Versions = slices.Clone(p.Versions)
		for _, a := range gone {
			p.Versions = append(p.Versions, PastArtifact{a, now.UnixMilli()})
		}
		changed = true
	}
	if changed {
		p.bound()
		e.Past = &p
	}
}

// lost returns those artifacts of which something is lost in what there is now:
// they are neither as they were, nor was more added to them.
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

// bound drops the earliest versions of which there are too many.
func (p *Past) bound() {
	bytes, from := 0, len(p.Versions)
	for from > 0 && len(p.Versions)-from < versionsKept {
		bytes += weightOfArtifact(&p.Versions[from-1].Artifact)
		if bytes > pastBytes {
			break
		}
		from--
	}
	p.Versions, p.Dropped = slices.Clone(p.Versions[from:]), p.Dropped+from
}

// StatusInfo is what tools tell of a state that a task has been in.
type StatusInfo struct {
	State a2a.State `json:"state"`
	Since time.Time `json:"since"`
}

// VersionInfo is what tools tell of an artifact that its agent has replaced.
type VersionInfo struct {
	ID    string    `json:"artifact_id"`
	Name  string    `json:"name,omitempty"`
	Until time.Time `json:"until"`
	Text  string    `json:"text"`
}

// versionText puts parts into words: texts and data as they are, and files by name.
func versionText(parts []a2a.Part) string {
	lines := make([]string, len(parts))
	for i, p := range parts {
		switch c := p.Content.(type) {
		case a2a.Text:
			lines[i] = string(c)
		case a2a.Data:
			lines[i] = string(c)
		default:
			lines[i] = "[" + strings.TrimSpace(p.Filename+" "+p.MediaType) + "]"
		}
	}
	return strings.Join(lines, "\n")
}

// past shows what has been of a task, the latest versions first, as far as there
// is room.
func (r *renderer) past(p *Past) {
	if !p.worth() {
		return
	}
	for _, s := range p.Statuses {
		if r.spend(perItem) {
			r.info.Statuses = append(r.info.Statuses, StatusInfo{s.State, time.UnixMilli(s.Since).UTC()})
		}
	}
	for _, v := range slices.Backward(p.Versions) {
		if !r.spend(perItem) {
			r.cut = true
			return
		}
		text := clean(versionText(v.Artifact.Parts))
		said := r.take(text)
		r.cut = r.cut || len(said) < len(text)
		r.info.Versions = append(r.info.Versions, VersionInfo{shown(v.Artifact.ID, maxName), shown(v.Artifact.Name, maxName), time.UnixMilli(v.Until).UTC(), said})
	}
}
