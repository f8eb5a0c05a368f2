package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"rialto/a2a"
)

const (
	statusesKept = 100     // of a task, the latest
	versionsKept = 50      // of a task's artifacts that were replaced, the latest
	pastBytes    = 4 << 20 // of them all
)

// Past is what has been of a task besides what is: an agent may replace what it
// has said and produced, and who acted on it must find it again. What an agent
// said with a status is in the task's history. It is replaced, never changed.
type Past struct {
	Statuses []PastStatus   `json:"statuses,omitempty"`  // in their order; the last is the present one
	Versions []PastArtifact `json:"artifacts,omitempty"` // that were replaced, in the order in which they were
	Dropped  int            `json:"dropped,omitempty"`   // how many earlier versions were too many, or too large, to keep

	// Unsure names the message of which nobody knows whether the agent got it, until the
	// agent tells anything.
	Unsure string `json:"unsure,omitempty"`
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

	// Gone has the bytes of files that are not kept, by the number of their part,
	// which is empty: there was no room for them.
	Gone map[int]int `json:"gone,omitempty"`
}

// worth tells whether there is anything that the task does not tell itself.
func (p *Past) worth() bool {
	return p != nil && (len(p.Statuses) > 1 || len(p.Versions) > 0 || p.Dropped > 0 || p.Unsure != "")
}

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

// remember notes in the past of e what an event has made of it, at a moment, and
// reports whether there was something to note; before are the artifacts that the event
// may have replaced.
func (e *Entry) remember(before []a2a.Artifact, now time.Time) (changed bool) {
	var p Past
	if e.Past != nil {
		p = *e.Past
	}
	changed, p.Unsure = p.Unsure != "", ""
	if n := len(p.Statuses); n == 0 || p.Statuses[n-1].State != e.Task.Status.State {
		p.Statuses = append(slices.Clip(p.Statuses), PastStatus{e.Task.Status.State, now.UnixMilli()})
		p.Statuses = p.Statuses[max(0, len(p.Statuses)-statusesKept):]
		changed = true
	}
	if gone := lost(before, e.Task.Artifacts); len(gone) > 0 {
		p.Versions = slices.Clone(p.Versions)
		for _, a := range gone {
			p.Versions = append(p.Versions, PastArtifact{Artifact: a, Until: now.UnixMilli()})
		}
		p.bound()
		changed = true
	}
	if changed {
		e.Past = &p
	}
	return changed
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

// bound drops the files of versions for which there is no room, the latest kept
// first, and the earliest versions of which there are too many.
func (p *Past) bound() {
	left, from := pastBytes, len(p.Versions)
	for from > 0 && len(p.Versions)-from < versionsKept {
		v := &p.Versions[from-1]
		if weightOfArtifact(&v.Artifact) > left {
			v.dropFiles()
		}
		if left -= weightOfArtifact(&v.Artifact); left < 0 {
			break
		}
		from--
	}
	p.Versions, p.Dropped = slices.Clone(p.Versions[from:]), p.Dropped+from
}

// dropFiles leaves of files what they are called and how large they were.
func (v *PastArtifact) dropFiles() {
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

// part returns a part of the nth version since the task began, counted from 1; nil
// if it is not there or not kept.
func (p *Past) part(n, i int) *a2a.Part {
	if p == nil || n <= p.Dropped || n > p.Dropped+len(p.Versions) {
		return nil
	}
	v := &p.Versions[n-p.Dropped-1]
	if _, gone := v.Gone[i]; gone || i < 0 || i >= len(v.Artifact.Parts) {
		return nil
	}
	return &v.Artifact.Parts[i]
}

// Past returns what has been of a task of the caller's, nil if nothing was noted, or
// ErrNoTask.
func (b *Bridge) Past(ctx context.Context, handle string) (*Past, error) {
	e, _, err := b.now(ctx, b.Caller(ctx).User, handle)
	if err != nil {
		return nil, asNoTask(err)
	}
	if !e.Past.worth() {
		return nil, nil
	}
	return e.Past, nil
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

	Files []VersionFile `json:"files,omitempty"` // in the order of the text's brackets
}

// VersionFile is a file of such an artifact.
type VersionFile struct {
	Filename  string `json:"filename,omitempty"`
	MediaType string `json:"media_type,omitempty"`
	Size      int    `json:"size,omitempty"`     // bytes, if it came as bytes
	URL       string `json:"url,omitempty"`      // where it can be had
	Gone      bool   `json:"not_kept,omitempty"` // there was no room for it
}

// Text puts a version into words: texts and data as they are, and files by name.
func (v *PastArtifact) Text() string {
	parts := v.Artifact.Parts
	if len(v.Gone) == 0 { // by the numbers of parts
		parts = Joined(parts)
	}
	lines := make([]string, len(parts))
	for i, p := range parts {
		switch c := p.Content.(type) {
		case a2a.Text:
			lines[i] = string(c)
		case a2a.Data:
			lines[i] = string(c)
		default:
			lines[i] = "[" + strings.TrimSpace(p.Filename+" "+p.MediaType)
			if n, gone := v.Gone[i]; gone {
				lines[i] += fmt.Sprintf(", %d bytes, not kept", n)
			}
			lines[i] += "]"
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
	r.info.Dropped = p.Dropped
	for i, v := range slices.Backward(p.Versions) {
		if !r.spend(perItem) {
			r.cut = true
			return
		}
		text := clean(v.Text())
		said := r.take(text)
		r.cut = r.cut || len(said) < len(text)
		r.info.Versions = append(r.info.Versions, VersionInfo{
			ID: label(v.Artifact.ID), Name: label(v.Artifact.Name), Until: time.UnixMilli(v.Until).UTC(), Text: said,
			Files: r.pastFiles(&v, p.Dropped+i+1),
		})
	}
}

// pastFiles shows the files of the nth version as far as there is room.
func (r *renderer) pastFiles(v *PastArtifact, n int) (files []VersionFile) {
	for i, p := range v.Artifact.Parts {
		file := VersionFile{Filename: label(p.Filename), MediaType: label(p.MediaType)}
		switch c := p.Content.(type) {
		case a2a.Raw:
			if file.Size, file.Gone = v.Gone[i]; !file.Gone {
				file.Size = len(c)
				if r.link != nil {
					file.URL = r.link(place{Version: n, Number: i})
				}
			}
		case a2a.URL:
			file.URL = linked(string(c))
		default:
			continue
		}
		if len(file.URL) > maxLink || !r.spend(perItem+cost(file.Filename+file.MediaType+file.URL)) {
			r.cut = true
			continue
		}
		files = append(files, file)
	}
	return files
}
