package wire

import (
	"encoding/json"
	"maps"
	"slices"

	fast "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"rialto/a2a"
)

// hasOthers reports whether e has members that we do not know.
func hasOthers(e a2a.Event) bool {
	switch e := e.(type) {
	case *a2a.Task:
		return len(e.Others) > 0 || statusHasOthers(e.Status) ||
			slices.ContainsFunc(e.Artifacts, func(a a2a.Artifact) bool { return len(a.Others) > 0 }) ||
			slices.ContainsFunc(e.History, func(m a2a.Message) bool { return len(m.Others) > 0 })
	case *a2a.Message:
		return len(e.Others) > 0
	case *a2a.StatusUpdate:
		return len(e.Others) > 0 || statusHasOthers(e.Status)
	case *a2a.ArtifactUpdate:
		return len(e.Others) > 0 || len(e.Artifact.Others) > 0
	default:
		return false
	}
}

func statusHasOthers(s a2a.Status) bool {
	return len(s.Others) > 0 || s.Message != nil && len(s.Message.Others) > 0
}

// The objects of 1.0 without their members that we do not know.
type (
	knownTask10           task10
	knownStatus10         status10
	knownMessage10        message10
	knownArtifact10       artifact10
	knownStatusUpdate10   statusUpdate10
	knownArtifactUpdate10 artifactUpdate10
)

// withOthers writes the objects of 1.0 with their members that we do not know.
// encoding/json cannot, but is faster where there are none.
var withOthers = fast.WithMarshalers(fast.JoinMarshalers(
	joined(eventNames, func(v task10) (knownTask10, a2a.Members) { return knownTask10(v), v.Others }),
	joined(statusNames, func(v status10) (knownStatus10, a2a.Members) { return knownStatus10(v), v.Others }),
	joined(eventNames, func(v message10) (knownMessage10, a2a.Members) { return knownMessage10(v), v.Others }),
	joined(artifactNames, func(v artifact10) (knownArtifact10, a2a.Members) { return knownArtifact10(v), v.Others }),
	joined(eventNames, func(v statusUpdate10) (knownStatusUpdate10, a2a.Members) { return knownStatusUpdate10(v), v.Others }),
	joined(eventNames, func(v artifactUpdate10) (knownArtifactUpdate10, a2a.Members) {
		return knownArtifactUpdate10(v), v.Others
	}),
))

// joined writes as one object what apart takes apart, without those of its other
// members that would pass for known ones, wherever they were kept.
func joined[T, K any](known []string, apart func(T) (K, a2a.Members)) *fast.Marshalers {
	return fast.MarshalToFunc(func(e *jsontext.Encoder, v T) error {
		own, others := apart(v)
		return fast.MarshalEncode(e, struct {
			Known  K           `json:",embed"`
			Others a2a.Members `json:",embed"`
		}{own, unknownOf(others, known)})
	})
}

func unknownOf(others a2a.Members, known []string) a2a.Members {
	passes := func(name string, _ json.RawMessage) bool { return !unknownName(name, known) }
	for name, value := range others {
		if passes(name, value) {
			others = maps.Clone(others)
			maps.DeleteFunc(others, passes)
			break
		}
	}
	return others
}
