package doctor

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Status is how a check ended.
type Status string

// The ends of a check.
const (
	Passed  Status = "ok"
	Failed  Status = "failed"
	Skipped Status = "skipped" // not tried
)

// Mark returns the sign for a status in a text.
func (s Status) Mark() string {
	switch s {
	case Passed:
		return "✓"
	case Failed:
		return "✗"
	}
	return "–"
}

// Report is the transcript of an examination, with the conclusion first.
type Report struct {
	URL      string   `json:"url"`
	Client   Client   `json:"client,omitempty"`
	Account  string   `json:"account,omitempty"` // with whose token the server was examined, if known
	Verdict  Cause    `json:"verdict"`
	Causes   []Cause  `json:"causes,omitempty"` // why checks failed; the first is the verdict
	Stops    []Client `json:"stops,omitempty"`  // the apps that cannot use the server
	Requests int      `json:"requests"`
	CutShort bool     `json:"cut_short,omitempty"` // time or requests ran out
	Results  []Result `json:"steps"`
}

// Result is what one check found. Expected, Breaks and Fix are given for checks
// that failed; an empty Breaks means that no client is known to break on it.
type Result struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Status Status `json:"status"`
	Got    string `json:"got,omitempty"`
	// Sentence is Got for a page that translates it; without a key, Got is data.
	Sentence Sentence `json:"-"`
	Expected string   `json:"expected,omitempty"`
	Breaks   []Client `json:"breaks,omitempty"`
	Minor    bool     `json:"minor,omitempty"` // the apps in Breaks work all the same
	Fix      string   `json:"fix,omitempty"`
	Cause    string   `json:"cause,omitempty"` // the ID of the cause that explains the failure
}

// Usable tells whether no app is stopped, as far as was examined.
func (r *Report) Usable() bool { return r.Verdict.ID == Works }

// Absent tells whether there is no MCP server to examine.
func (r *Report) Absent() bool {
	return slices.ContainsFunc(causes(), func(c cause) bool { return c.Final && c.ID == r.Verdict.ID })
}

// With returns the results that ended in one way.
func (r *Report) With(s Status) []Result {
	return slices.DeleteFunc(
		slices.Clone(r.Results), func(result Result) bool { return result.Status != s },
	)
}

// Of returns the failures that a cause explains; "" are those that none explains, beginning with
// those that stop an app.
func (r *Report) Of(cause string) []Result {
	list := slices.DeleteFunc(
		r.With(Failed), func(result Result) bool { return result.Cause != cause },
	)
	others := slices.DeleteFunc(slices.Clone(list), Result.stops)
	stops := slices.DeleteFunc(list, func(result Result) bool { return !result.stops() })
	return append(stops, others...)
}

// WriteText writes the report for people: the verdict, what follows from each cause, and the
// other failures. All lists every check after that. Mark returns the sign for a status.
func (r *Report) WriteText(w io.Writer, all bool, mark func(Status) string) error {
	var b strings.Builder
	r.Verdict.text(&b, r.Usable(), mark)
	if len(r.Stops) > 0 && !r.Absent() {
		fmt.Fprintf(&b, "\nCannot connect: %s\n", Names(r.Stops))
	}

	for i, c := range r.Causes {
		if i > 0 {
			b.WriteString("\n")
			c.text(&b, false, mark)
		}
		if list := r.Of(c.ID); len(list) > 0 && !r.Absent() {
			fmt.Fprintf(&b, "\nBecause of it (%d):\n", len(list))
			for _, s := range list {
				fmt.Fprintf(&b, "  %s %s: %s (%s)\n", mark(Failed), s.Title, s.Got, s.ID)
			}
		}
	}

	if list := r.Of(""); len(list) > 0 {
		fmt.Fprintf(&b, "\nOther findings (%d):\n", len(list))
		for _, s := range list {
			s.text(&b, mark)
		}
	}

	r.rest(&b, all, mark)
	_, err := io.WriteString(w, b.String())
	return err
}

func (c Cause) text(b *strings.Builder, works bool, mark func(Status) string) {
	status := Failed
	if works {
		status = Passed
	}

	fmt.Fprintf(b, "%s %s\n", mark(status), strings.TrimSpace(c.Text.Error()+" "+c.Check))
	if c.Do.Key != "" {
		fmt.Fprintf(b, "  %s\n", c.Do.Error())
	}

	for _, s := range c.Lines {
		if s.For != "" {
			fmt.Fprintf(b, "\n  %s:\n", s.For)
		}
		b.WriteString("\n")
		for line := range strings.Lines(s.Text) {
			b.WriteString("    " + line)
		}
	}
}

// rest writes the checks that passed or were not tried, or only their numbers.
func (r *Report) rest(b *strings.Builder, all bool, mark func(Status) string) {
	passed := r.With(Passed)
	skipped := r.With(Skipped)
	if all {
		b.WriteString("\n")
		for _, s := range r.Results {
			s.text(b, mark)
		}
	}

	fmt.Fprintf(
		b,
		"\n%d checks passed, %d failed, %d were not tried; %d requests.",
		len(passed),
		len(r.With(Failed)),
		len(skipped),
		r.Requests,
	)
	if !all {
		b.WriteString(" --verbose shows every check.")
	}

	b.WriteString("\n")
}

func (r Result) text(b *strings.Builder, mark func(Status) string) {
	fmt.Fprintf(b, "  %s %s (%s)", mark(r.Status), r.Title, r.ID)
	if r.Status == Skipped {
		fmt.Fprintf(b, ": not tried, %s", r.Got)
	}
	b.WriteString("\n")
	if r.Status != Failed {
		return
	}

	affects := "breaks"
	if r.Minor {
		affects = "affects"
	}

	for _, line := range [][2]string{
		{"expected", r.Expected},
		{"got", r.Got},
		{affects, Names(r.Breaks)},
		{"fix", r.Fix},
	} {
		if line[1] != "" {
			fmt.Fprintf(b, "      %-9s %s\n", line[0], line[1])
		}
	}
}

// Names returns the names of apps as people know them.
func Names(clients []Client) string {
	var words []string
	for _, c := range clients {
		words = append(words, c.Name())
	}
	return strings.Join(words, ", ")
}

var clientNames = map[Client]string{
	ChatGPT:    "ChatGPT",
	Claude:     "Claude",
	ClaudeCode: "Claude Code",
	Codex:      "Codex",
	VSCode:     "VS Code",
	Inspector:  "MCP Inspector",
}

// Name returns the name of the app as people know it.
func (c Client) Name() string { return clientNames[c] }
