package doctor

import (
	"slices"
	"time"
)

// AddSilentClaude adds what no examination from outside sees: Claude logged in to this address at a
// time, and has called nothing since. Path is that of the address, and connector its name at the
// server, "" for the server as a whole. It is the verdict if no other cause was found.
func (r *Report) AddSilentClaude(since time.Time, path, connector string) {
	found := Cause{
		ID: "silent",
		Text: say(
			"Claude logged in at {}, and has called nothing since.",
			since.UTC().Format("2006-01-02 15:04 UTC"),
		),
		Do: say(
			"Register a client for Claude. In Claude, remove the connector, add it again, and paste the client's ID and secret under Advanced settings.",
		),
		Lines: []Snippet{{Text: "rialto clients add --app claude\n"}},
	}
	if connector != "" {
		found.Lines[0].Text = "rialto clients add --app claude --connector " + connector + "\n"
	}
	if path != "/mcp" {
		found.Do = say(
			"Give the connector a host of its own: Claude may call only addresses whose path is /mcp. If it has one, register a client for Claude, and paste its ID and secret under Advanced settings.",
		)
	}

	r.Causes = append(r.Causes, found)
	if !slices.Contains(r.Stops, Claude) {
		r.Stops = append(r.Stops, Claude)
	}
	if r.Usable() {
		r.Verdict = found
	}
}
