package runner

import (
	"cmp"

	"rialto/bridge/ledger"
)

// ledgerProgress makes progress lines of the versions of a record, for callers that wait for a task
// of another replica. It reports the latest change between two versions. The zero value is
// ready.
type ledgerProgress struct {
	status string
	sizes  map[string]int // the size of each artifact, by id
}

// lines returns what is new in a record.
func (p *ledgerProgress) lines(e *ledger.Record) (lines []string) {
	if e.Task == nil {
		return nil
	}
	if line := statusLine(e.Task.Status); line != "" && line != p.status {
		p.status = line
		lines = append(lines, line)
	}
	if p.sizes == nil {
		p.sizes = map[string]int{}
	}

	for i := range e.Task.Artifacts {
		a := &e.Task.Artifacts[i]
		size := len(a.Text())
		was, known := p.sizes[a.ID]
		if known && was == size {
			continue
		}
		p.sizes[a.ID] = size
		line := ""
		if !known {
			line = receivedLine(a)
		}
		line = cmp.Or(line, textSoFar(e.Task, a.ID))
		if line != "" {
			lines = append(lines, line)
		}
	}

	return lines
}
