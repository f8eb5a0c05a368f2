package a2aclient

import (
	"reflect"
	"slices"
	"strings"

	"rialto/a2a"
)

// maxCumulative bounds how many artifacts of a stream are checked for cumulative chunks.
const maxCumulative = 100

// splitCumulative detects cumulative chunks: the first sample server says "append" and
// sends the whole artifact so far. A chunk that begins with the artifact so far replaces
// it. That is a guess, so the stream counts as lossy and the task is read at its end.
func (s *stream) splitCumulative(e a2a.Event) {
	u, ok := e.(*a2a.ArtifactUpdate)
	if !ok || !s.dialect.CallersName {
		return
	}
	if s.whole == nil {
		s.whole = map[string][]a2a.Part{}
	}

	so, known := s.whole[u.Artifact.ID]
	switch {
	case !known && len(s.whole) == maxCumulative:
		s.lossy = true
		return
	case u.Append && continues(u.Artifact.Parts, so):
		u.Append = false
		s.lossy = true
	case u.Append:
		s.whole[u.Artifact.ID] = append(so, u.Artifact.Parts...)
		return
	}

	s.whole[u.Artifact.ID] = slices.Clone(u.Artifact.Parts)
}

// continues reports whether parts are all of so and more: further parts, or
// further text in the last one.
func continues(parts, so []a2a.Part) bool {
	if len(so) == 0 || len(parts) < len(so) {
		return false
	}

	last := len(so) - 1
	if !reflect.DeepEqual(parts[:last], so[:last]) {
		return false
	}
	if reflect.DeepEqual(parts[last], so[last]) {
		return len(parts) > len(so)
	}

	before, was := so[last].Content.(a2a.Text)
	now, is := parts[last].Content.(a2a.Text)
	return was && is && before != "" && strings.HasPrefix(string(now), string(before))
}
