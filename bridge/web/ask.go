package web

import (
	"crypto/rand"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rialto/bridge/documents"
	"rialto/bridge/form"
	"rialto/bridge/sanitize"
	"rialto/templates"
)

// pageState is what the page shows in addition to the task: the result of a form, and the
// values of the answer.
type pageState struct {
	notice   templates.TaskNotice
	values   map[string]string // by the name of the field; nil shows the defaults
	problems map[string]form.Problem
	files    string // what is wrong with the files
	sharing  templates.Sharing
}

// millis formats a time for the scripts of the page.
func millis(t time.Time) string { return strconv.FormatInt(t.UnixMilli(), 10) }

// grant returns the form for a task in auth-required: a visit to the agent, or a connection to it.
func grant(v *documents.TaskView) *templates.Grant {
	g := &templates.Grant{
		Pause:   v.Pause,
		Once:    rand.Text(),
		Visit:   v.Visit,
		Connect: v.Connect,
	}
	if u, err := url.Parse(v.Visit); err == nil {
		g.Host = u.Host
	}
	if m := v.Record.Sentence(); m != nil { // its first sentence; the others are about the address
		g.Why = templates.Message(
			m, func(s string) string { return strings.SplitAfter(sanitize.Text(s), ". ")[0] },
		)
	}

	return g
}

// ask returns the form for the answer to a task in input-required, with the values and problems of a
// form that was sent before.
func ask(s *documents.TaskView, about pageState) *templates.Ask {
	a := &templates.Ask{
		Pause:       s.Pause,
		Once:        rand.Text(),
		Title:       s.Form.Title,
		Description: s.Form.Description,
		Files:       s.Files,
		FilesWrong:  about.files,
	}
	marked := false
	for _, f := range s.Form.Fields {
		value := f.Default
		if about.values != nil {
			value = about.values[f.Name]
		}
		field := askField(f, value, s.Open)
		field.Wrong = about.problems[f.Name].Sentence
		field.WrongValue = about.problems[f.Name].Value
		if !marked && field.Wrong != "" {
			field.First = true
			marked = true
		}
		a.Fields = append(a.Fields, field)
	}

	return a
}

// askField returns one field of the form. open says that the agent takes any text.
func askField(f form.Field, value string, open bool) templates.AskField {
	label := templates.Verbatim
	if open { // the form is ours
		label = func(s string) templates.Text { return templates.Textf(s) }
	}
	field := templates.AskField{
		Name:        f.Name,
		Label:       label(f.Label()),
		Description: f.Description,
		Input:       inputType(f, open),
		Value:       value,
		Required:    f.Required,
		Least:       formatLimit(f.Minimum),
		Most:        formatLimit(f.Maximum),
	}
	switch f.Kind {
	case form.Number:
		field.Step = "any"
	case form.Integer:
		field.Step = "1"
	case form.Text:
		field.Shortest = valueOr(f.MinLength, 0)
		field.Longest = min(valueOr(f.MaxLength, form.MaxText), form.MaxText)
	}
	if f.Format == form.DateTime {
		field.At = value
		field.Value = pickerValue(value)
	}

	chosen := strings.Split(value, "\n")
	for _, c := range f.Choices {
		field.Choices = append(field.Choices, templates.AskChoice{
			Value: c.Value,
			Title: c.Title,
			On:    slices.Contains(chosen, c.Value),
		})
	}

	return field
}

// longLine is the most that fits into one line of a form.
const longLine = 200

func inputType(f form.Field, open bool) string {
	switch {
	case f.Kind == form.Boolean:
		return "checkbox"
	case f.Many && len(f.Choices) > 0:
		return "checks"
	case f.Many:
		return "lines"
	case len(f.Choices) > 0:
		return "select"
	case f.Kind != form.Text:
		return "number"
	case f.Format == form.Email:
		return "email"
	case f.Format == form.URI:
		return "url"
	case f.Format == form.Date:
		return "date"
	case f.Format == form.DateTime:
		return "datetime-local"
	case open, f.MaxLength != nil && *f.MaxLength > longLine:
		return "textarea"
	default:
		return "text"
	}
}

// pickerTime is how a browser's picker of date and time says a moment.
const pickerTime = "2006-01-02T15:04"

// pickerValue returns a moment of RFC 3339 as pickers take it, in UTC; another text as it is.
func pickerValue(moment string) string {
	if t, err := time.Parse(time.RFC3339, moment); err == nil {
		return t.UTC().Format(pickerTime)
	}
	return moment
}

func formatLimit(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

func valueOr(n *int, none int) int {
	if n == nil {
		return none
	}
	return *n
}
