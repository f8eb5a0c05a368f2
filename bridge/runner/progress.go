package runner

import (
	"cmp"
	"time"

	"rialto/a2a"
	"rialto/bridge/ledger"
	"rialto/bridge/sanitize"
)

// pieceEvery is the time between two pieces of results: some agents send single words.
const pieceEvery = 250 * time.Millisecond

// lineOf returns what waiters are shown of an event, and whether it is a piece of a result,
// which they get whole at the end.
func lineOf(e a2a.Event) (line string, piece bool) {
	switch e := e.(type) {
	case *a2a.Task: // some agents begin with the status, which is then the first of the task
		return statusLine(e.Status), false
	case *a2a.StatusUpdate:
		return statusLine(e.Status), false
	case *a2a.ArtifactUpdate:
		if line := receivedLine(&e.Artifact); line != "" && !e.Append {
			return line, false
		}
		return sanitize.Short(e.Artifact.Text(), 500), true
	}
	return "", false
}

// receivedLine says that an artifact has come; "" for one without a name.
func receivedLine(a *a2a.Artifact) string {
	name := sanitize.Text(a.Name)
	if name == "" {
		return ""
	}
	return "Received " + sanitize.Truncate(name, 200)
}

func statusLine(s a2a.Status) string {
	if s.State != a2a.Working {
		return ""
	}
	return sanitize.Short(s.Message.Text(), 500)
}

// progressLine returns what waiters are shown of an event that the record has taken in; "" for
// none. Pieces of a result come at intervals.
func (f *Follower) progressLine(e a2a.Event) string {
	line, piece := lineOf(e)
	if line == "" || line == f.lastLine { // a look at the task tells it again
		return ""
	}
	if now := f.r.Now(); piece {
		if now.Sub(f.lastPiece) < pieceEvery {
			return ""
		}
		f.lastPiece = now
		if u, ok := e.(*a2a.ArtifactUpdate); ok && u.Append {
			line = cmp.Or(textSoFar(f.record.Task, u.Artifact.ID), line)
		}
	}

	f.lastLine = line
	return line
}

// textSoFar returns the end of the text of an artifact so far, because a single chunk means little.
func textSoFar(t *a2a.Task, id string) string {
	a, _ := ledger.ArtifactOf(t, id)
	if a == nil || len(a.Parts) == 0 {
		return ""
	}

	last := a.Parts[max(0, len(a.Parts)-50):]
	for len(last) > 1 && ledger.PartsSize(last[1:]) > 4<<10 { // what comes before is not shown
		last = last[1:]
	}

	parts := ledger.JoinTexts(last)
	text, _ := parts[len(parts)-1].Content.(a2a.Text)
	end := []rune(sanitize.Text(string(text[max(0, len(text)-4<<10):])))
	if n := len(end) - 200; n > 0 {
		return "…" + string(end[n:])
	}

	return string(end)
}
