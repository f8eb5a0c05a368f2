package ledger

import (
	"rialto/a2a"
)

// SmallTask is the size of tasks, in bytes, that count for no quota, so that they cost nothing more.
const SmallTask = 4 << 10

// ContentSize returns about how many bytes of content an event has for its reader.
func ContentSize(event a2a.Event) (n int) {
	said, before := messages(event)
	if said != nil {
		n += PartsSize(said.Parts)
	}

	for i := range before {
		n += PartsSize(before[i].Parts)
	}

	for _, a := range artifacts(event) {
		n += PartsSize(a.Parts)
	}

	return n
}

// messages returns those that an event brings: what is said with it, nil if nothing
// is, and what was said before.
func messages(event a2a.Event) (said *a2a.Message, before []a2a.Message) {
	switch e := event.(type) {
	case *a2a.Message:
		return e, nil
	case *a2a.StatusUpdate:
		return e.Status.Message, nil
	case *a2a.Task:
		return e.Status.Message, e.History
	}
	return nil, nil
}

func artifacts(event a2a.Event) []a2a.Artifact {
	switch e := event.(type) {
	case *a2a.ArtifactUpdate:
		return []a2a.Artifact{e.Artifact}
	case *a2a.Task:
		return e.Artifacts
	}
	return nil
}

func PartsSize(parts []a2a.Part) (n int) {
	for _, p := range parts {
		n += 64
		switch c := p.Content.(type) {
		case a2a.Text:
			n += len(c)
		case a2a.Raw:
			n += len(c)
		case a2a.URL:
			n += len(c)
		case a2a.Data:
			n += len(c)
		}
	}
	return n
}

// itemSize is about what a part, a message, an artifact or a value takes beyond its
// content. An agent can send many that are empty.
const itemSize = 64

// Size returns about how many bytes an event takes in memory, with everything that the agent sent.
func Size(event a2a.Event) (n int) {
	said, before := messages(event)
	if said != nil {
		n += sizeOfMessage(said)
	}

	for i := range before {
		n += sizeOfMessage(&before[i])
	}

	for _, a := range artifacts(event) {
		n += sizeOfArtifact(&a)
	}

	switch e := event.(type) {
	case *a2a.Task:
		n += sizeOfMetadata(e.Metadata)
	case *a2a.StatusUpdate:
		n += sizeOfMetadata(e.Metadata)
	case *a2a.ArtifactUpdate:
		n += sizeOfMetadata(e.Metadata)
	}

	return n
}

// Size returns about how many bytes revisions take.
func (p *Revisions) Size() (n int) {
	if p == nil {
		return 0
	}

	for i := range p.Artifacts {
		n += sizeOfArtifact(&p.Artifacts[i].Artifact)
	}

	if p.Pending != nil {
		n += sizeOfMessage(&p.Pending.Message)
	}

	return n + itemSize*len(p.States)
}

func sizeOfMessage(m *a2a.Message) int {
	return itemSize + len(m.ID) + sizeOfParts(m.Parts) + sizeOfMetadata(m.Metadata) + sizeOfTexts(m.Extensions) + sizeOfTexts(m.ReferenceTaskIDs)
}

func sizeOfArtifact(a *a2a.Artifact) int {
	return itemSize + len(a.ID) + len(a.Name) + len(a.Description) + sizeOfParts(a.Parts) + sizeOfMetadata(a.Metadata) + sizeOfTexts(a.Extensions)
}

func sizeOfParts(parts []a2a.Part) int {
	n := PartsSize(parts)
	for _, p := range parts {
		n += len(p.Filename) + len(p.MediaType) + sizeOfMetadata(p.Metadata)
	}
	return n
}

func sizeOfTexts[T ~string](all []T) (n int) {
	for _, s := range all {
		n += itemSize + len(s)
	}
	return n
}

func sizeOfMetadata(m a2a.Metadata) (n int) {
	for k, v := range m {
		n += len(k) + sizeOfValue(v)
	}
	return n
}

func sizeOfValue(v any) int {
	n := itemSize
	switch v := v.(type) {
	case string:
		n += len(v)
	case map[string]any:
		n += sizeOfMetadata(v)
	case []any:
		for _, one := range v {
			n += sizeOfValue(one)
		}
	}

	return n
}
