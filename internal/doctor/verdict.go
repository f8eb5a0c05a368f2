package doctor

import (
	"fmt"
	"slices"
	"strings"

	"rialto/internal/i18n"
)

// Sentence is words with {} for their values. The words are the key by which a page translates
// them.
type Sentence = i18n.Message

func say(key string, values ...any) Sentence {
	s := Sentence{Key: key}
	for _, v := range values {
		s.Values = append(s.Values, i18n.Value{Text: fmt.Sprint(v)})
	}
	return s
}

// Snippet is lines of a configuration that remove a cause.
type Snippet struct {
	For  string `json:"for"` // a program or a file
	Text string `json:"text"`
}

// Cause is one reason why apps fail, with what removes it. As the verdict it may also say that the
// server works; ID is then "works".
type Cause struct {
	ID    string    `json:"id"`
	Text  Sentence  `json:"text"`
	Check string    `json:"check,omitempty"` // ends the text: the title of the check that fails
	Do    Sentence  `json:"do,omitzero"`
	Lines []Snippet `json:"lines,omitempty"`
}

// The causes that decide exit codes and colors.
const (
	Works      = "works"
	Unfinished = "unfinished"
	OneCheck   = "check" // the first failed check is all that is known
)

// because returns a cause with a text.
func because(key string, values ...any) Cause { return Cause{Text: say(key, values...)} }

// matches returns the cause, if it is the reason.
func (c cause) matches(o *observation) (Cause, bool) {
	if o.cut {
		return Cause{}, false
	}

	found := detectors[c.ID](o)
	if found.Text.Key == "" {
		return Cause{}, false
	}

	found.ID = c.ID
	if found.Do.Key == "" {
		found.Do.Key = c.Do
	}
	if c.Nginx != "" {
		found.Lines = o.snippets(c.Nginx, c.Caddy)
	}

	return found, true
}

func (c cause) covers(id string) bool {
	return c.Final || slices.ContainsFunc(c.Explains, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		if open {
			return strings.HasPrefix(id, prefix)
		}
		return id == pattern
	})
}

// finalCause returns the cause that makes the examination pointless, if there is one.
func finalCause(o *observation) (Cause, bool) {
	for _, c := range causes() {
		if found, ok := c.matches(o); ok && c.Final {
			return found, true
		}
	}
	return Cause{}, false
}

// conclude names the causes of the failures, marks their consequences, and sets the verdict.
func (r *Report) conclude(o *observation, clean func(string) string) {
	for _, c := range causes() {
		found, ok := c.matches(o)
		if !ok {
			continue
		}
		found.clean(clean)
		r.Causes = append(r.Causes, found)
		for i := range r.Results {
			if s := &r.Results[i]; s.Status == Failed && s.Cause == "" && c.covers(s.ID) {
				s.Cause = c.ID
			}
		}
		if c.Final {
			break
		}
	}

	r.Stops = r.stoppedClients()
	r.Verdict = r.verdict(o)
	r.Verdict.clean(clean)
}

func (c *Cause) clean(clean func(string) string) {
	cleanValues(c.Text, clean)
	cleanValues(c.Do, clean)
}

// cleanValues cleans the values of a sentence in place.
func cleanValues(s Sentence, clean func(string) string) {
	for i := range s.Values {
		s.Values[i].Text = clean(s.Values[i].Text)
	}
}

// verdict is the first cause, or else the first check that stops an app, or else that it works.
func (r *Report) verdict(o *observation) Cause {
	if len(r.Causes) > 0 {
		return r.Causes[0]
	}
	if i := slices.IndexFunc(r.Results, Result.stops); i >= 0 {
		return Cause{
			ID:    OneCheck,
			Text:  say("{} cannot use this server. It fails at:", Names(r.Stops)),
			Check: r.Results[i].Title,
			Do:    Sentence{Key: r.Results[i].Fix},
		}
	}
	if r.CutShort {
		return Cause{
			ID:   Unfinished,
			Text: say("The checks stopped early. They found nothing wrong so far."),
			Do:   say("Run it again with a longer --timeout."),
		}
	}

	works := Names(r.Works())
	c := Cause{ID: Works}
	switch {
	case o.open:
		c.Text = say("This server works with {}. It asks for no login.", works)
		return c
	case o.token:
		c.Text = say("This server works with {}.", works)
		return c
	}

	c.Text = say("{} can reach this server and start its login.", works)
	c.Do = say("To test past the login, run:")
	c.Lines = o.command("rialto doctor", " --login")
	if host := o.loginHost(); host != "" {
		c.Text = say("{} can reach this server and start its login at {}.", works, host)
	}

	return c
}

// command is a command line with the examined address.
func (o *observation) command(before, after string) []Snippet {
	return []Snippet{{"", before + " " + o.url.String() + after + "\n"}}
}

// Works returns the apps that nothing stops.
func (r *Report) Works() []Client {
	return slices.DeleteFunc(Clients(), func(c Client) bool {
		return slices.Contains(r.Stops, c) || r.Client != "" && c != r.Client
	})
}

func (r *Report) stoppedClients() []Client {
	return slices.DeleteFunc(Clients(), func(c Client) bool {
		return !slices.ContainsFunc(
			r.Results, func(s Result) bool { return s.stops() && slices.Contains(s.Breaks, c) },
		)
	})
}

// stops tells whether a result keeps an app from working.
func (r Result) stops() bool { return r.Status == Failed && len(r.Breaks) > 0 && !r.Minor }
