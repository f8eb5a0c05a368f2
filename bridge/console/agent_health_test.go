package console

import (
	"strings"
	"testing"
	"time"

	"rialto/store/recordsdb"
)

// TestAnAgentHasAHistory shows an agent that was down for one of nine hours, of which the server ran seven.
func TestAnAgentHasAHistory(t *testing.T) {
	r := newRig(t)
	b := r.as("root")
	p := b.get("/admin/agents/one?name=expert")
	if len(p.all("#health .strip .plain")) != 84 || len(p.all("#health .empty")) != 0 || strings.Contains(words(p.all("#health")[0]), "%") {
		t.Errorf("without probes: got %s", words(p.all("#health")[0]))
	}

	slot := time.Now().Truncate(2 * time.Hour)
	probe := func(from, until time.Duration, cause string) {
		t.Helper()
		for at := slot.Add(-from); !at.After(slot.Add(-until)); at = at.Add(time.Minute) {
			r.must(recordsdb.Probes{Store: r.db.Records}.Add(t.Context(), "r", "expert", "https://expert.example", cause, at))
		}
	}
	probe(10*time.Hour, 8*time.Hour+time.Minute, "")
	probe(6*time.Hour, 5*time.Hour+time.Minute, "")
	probe(5*time.Hour, 4*time.Hour+time.Minute, "its certificate is not valid: <b>")
	probe(4*time.Hour, 3*time.Hour, "nothing listens there. Is it running, and is the port right?")

	p = b.get("/admin/agents/one?name=expert")
	var tones []string
	for n := range p.all("#health .strip")[0].ChildNodes() {
		tones = append(tones, attr(n, "class"))
	}
	if got := strings.Join(tones[78:], " "); got != "good plain note bad plain plain" {
		t.Errorf("got slots that end with %s", got)
	}
	var rows []string
	for _, row := range p.all("#health tbody tr") {
		rows = append(rows, words(row))
	}
	if len(rows) != 1 || !strings.HasSuffix(rows[0], "no data since its certificate is not valid: <b>") {
		t.Errorf("got %q", rows)
	}
	if got := words(p.all("#health p strong")[0]); got != "59.86%" {
		t.Errorf("got %s", got)
	}
}
