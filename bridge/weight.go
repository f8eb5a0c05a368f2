package bridge

import "rialto/a2a"

// itemWeight is about what a part, a message, an artifact or a value costs besides
// what is in it: an agent can say many that say nothing.
const itemWeight = 64

// weight returns about how many bytes an event takes where it is held: all that its
// agent has put into it, not only what people read, which is its size.
func weight(event a2a.Event) (n int) {
	said, before := messages(event)
	if said != nil {
		n += weightOfMessage(said)
	}
	for i := range before {
		n += weightOfMessage(&before[i])
	}
	for _, a := range artifacts(event) {
		n += weightOfArtifact(&a)
	}
	switch e := event.(type) {
	case *a2a.Task:
		n += weightOfMetadata(e.Metadata)
	case *a2a.StatusUpdate:
		n += weightOfMetadata(e.Metadata)
	case *a2a.ArtifactUpdate:
		n += weightOfMetadata(e.Metadata)
	}
	return n
}

// weight returns it of a past, which may be nil.
func (p *Past) weight() (n int) {
	if p == nil {
		return 0
	}
	for i := range p.Versions {
		n += weightOfArtifact(&p.Versions[i].Artifact)
	}
	return n + itemWeight*len(p.Statuses)
}

func weightOfMessage(m *a2a.Message) int {
	return itemWeight + len(m.ID) + weightOfParts(m.Parts) + weightOfMetadata(m.Metadata) + weightOfTexts(m.Extensions) + weightOfTexts(m.ReferenceTaskIDs)
}

func weightOfArtifact(a *a2a.Artifact) int {
	return itemWeight + len(a.ID) + len(a.Name) + len(a.Description) + weightOfParts(a.Parts) + weightOfMetadata(a.Metadata) + weightOfTexts(a.Extensions)
}

func weightOfParts(parts []a2a.Part) int {
	n := sizeOf(parts)
	for _, p := range parts {
		n += len(p.Filename) + len(p.MediaType) + weightOfMetadata(p.Metadata)
	}
	return n
}

func weightOfTexts[T ~string](all []T) (n int) {
	for _, s := range all {
		n += itemWeight + len(s)
	}
	return n
}

func weightOfMetadata(m a2a.Metadata) (n int) {
	for k, v := range m {
		n += len(k) + weightOfValue(v)
	}
	return n
}

func weightOfValue(v any) int {
	n := itemWeight
	switch v := v.(type) {
	case string:
		n += len(v)
	case map[string]any:
		n += weightOfMetadata(v)
	case []any:
		for _, one := range v {
			n += weightOfValue(one)
		}
	}
	return n
}
