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

// Report is the transcript of an examination.
type Report struct {
	URL      string   `json:"url"`
	Client   Client   `json:"client,omitempty"`
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
	// GotKey and GotValues are Got as a sentence with {} in place of the values, for a
	// page that translates the sentence.
	GotKey    string   `json:"-"`
	GotValues []string `json:"-"`
	Expected  string   `json:"expected,omitempty"`
	Breaks    []Client `json:"breaks,omitempty"`
	Fix       string   `json:"fix,omitempty"`
}

// Healthy tells whether the doctor came to the end and no check failed.
func (r *Report) Healthy() bool { return !r.CutShort && r.count(Failed) == 0 }

func (r *Report) count(s Status) (n int) {
	for _, result := range r.Results {
		if result.Status == s {
			n++
		}
	}
	return n
}

// Broken returns the clients that break on a check that failed.
func (r *Report) Broken() []Client {
	return slices.DeleteFunc(Clients(), func(c Client) bool {
		return !slices.ContainsFunc(r.Results, func(s Result) bool { return slices.Contains(s.Breaks, c) })
	})
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, s := range r.Results {
		s.text(&b)
	}
	fmt.Fprintf(&b, "\n%d ✓  %d ✗  %d –   %d requests\n", r.count(Passed), r.count(Failed), r.count(Skipped), r.Requests)
	if r.CutShort {
		b.WriteString("The examination was cut short.\n")
	}
	if broken := r.Broken(); len(broken) > 0 {
		fmt.Fprintf(&b, "Clients that break: %s\n", names(broken))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (r *Result) text(b *strings.Builder) {
	fmt.Fprintf(b, "%s %s (%s)", r.Status.Mark(), r.Title, r.ID)
	if r.Status == Skipped {
		fmt.Fprintf(b, ": not tried, %s", r.Got)
	}
	b.WriteString("\n")
	if r.Status != Failed {
		return
	}
	for _, line := range [][2]string{{"expected", r.Expected}, {"got", r.Got}, {"breaks", names(r.Breaks)}, {"fix", r.Fix}} {
		fmt.Fprintf(b, "    %-9s %s\n", line[0], line[1])
	}
}

func names(clients []Client) string {
	if len(clients) == 0 {
		return "no client that is known"
	}
	words := make([]string, len(clients))
	for i, c := range clients {
		words[i] = string(c)
	}
	return strings.Join(words, ", ")
}
