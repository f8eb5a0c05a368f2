package web

import (
	"cmp"
	"crypto/rand"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/documents"
	"rialto/bridge/form"
	"rialto/bridge/sanitize"
	"rialto/templates"
)

// pageState is what the page shows in addition to the task: the result of an answer, and the
// values of the form.
type pageState struct {
	notice   string
	wrong    bool
	reason   string            // why an answer was not taken, in the agent's words
	first    string            // where the person connects the agent before it takes the answer
	values   map[string]string // by the name of the field; nil shows the defaults
	problems map[string]form.Problem
	files    string // what is wrong with the files
}

func (t *Tasks) page(s *documents.TaskView, about pageState) templates.Task {
	path := documents.TaskPath + url.PathEscape(s.TaskID)
	if s.Unsure && about.notice == "" {
		about.notice, about.wrong = "We don't know if the agent received the last answer. Check before you send it again.", true
	}
	p := templates.Task{
		Product: t.Product, Agent: s.Agent, ID: s.TaskID, Path: path, State: stateWords[s.State], Message: s.Message,
		Updated: strconv.FormatInt(s.Updated.UnixMilli(), 10), Lives: s.Lives, Notice: about.notice, Wrong: about.wrong, First: about.first, Reason: about.reason,
	}
	if s.Sentence != nil {
		p.Said = templates.Sentence(s.Sentence, sanitize.Text)
	}
	switch {
	case s.Form != nil:
		p.Ask = ask(s, about)
	case s.Grant:
		p.Grant = &templates.Grant{Pause: s.Pause, Once: rand.Text(), Visit: s.Visit}
		p.Grant.Connect = s.Connect
		if u, err := url.Parse(s.Visit); err == nil {
			p.Grant.Host = u.Host
		}
	}
	if with := slices.DeleteFunc(slices.Clone(s.MessageParts), func(part documents.PartInfo) bool {
		return s.Form != nil && !s.Open && part.Kind != "file" // the data is the form
	}); len(with) > 0 {
		p.Results = append(p.Results, result(documents.ArtifactInfo{Parts: with}))
	}
	for _, a := range s.Artifacts {
		p.Results = append(p.Results, result(a))
	}
	if s.Cursor != "" {
		p.More = path + "?cursor=" + url.QueryEscape(s.Cursor)
	}
	p.Past = past(&s.TaskInfo)
	for _, turn := range s.History {
		p.History = append(p.History, templates.TaskTurn{Yours: turn.Role != a2a.RoleAgent, Text: turn.Text})
	}
	return p
}

// past returns the earlier states and results of a task.
func past(s *documents.TaskInfo) *templates.TaskPast {
	var p templates.TaskPast
	for _, state := range s.Statuses {
		p.States = append(p.States, templates.TaskState{State: stateWords[state.State], Since: second(state.Since)})
	}
	for _, v := range s.Versions {
		version := templates.TaskVersion{Name: cmp.Or(v.Name, v.ID), Until: second(v.Until), Text: v.Text}
		for _, f := range v.Files {
			if f.URL != "" {
				version.Files = append(version.Files, templates.TaskPart{URL: f.URL, Name: f.Filename, Kind: f.MediaType})
			}
		}
		p.Replaced = append(p.Replaced, version)
	}
	if s.Dropped > 0 {
		p.Dropped = strconv.Itoa(s.Dropped)
	}
	if len(p.States)+len(p.Replaced)+s.Dropped == 0 {
		return nil
	}
	return &p
}

func second(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func result(a documents.ArtifactInfo) templates.TaskResult {
	r := templates.TaskResult{Name: a.Name, Description: a.Description}
	for _, p := range a.Parts {
		part := templates.TaskPart{Text: p.Text, URL: p.URL, Name: p.Filename, Kind: p.MediaType}
		if p.Kind == "data" {
			part.Text = string(p.Data)
		}
		r.Parts = append(r.Parts, part)
	}
	return r
}

func ask(s *documents.TaskView, about pageState) *templates.Ask {
	a := &templates.Ask{Pause: s.Pause, Once: rand.Text(), Title: s.Form.Title, Description: s.Form.Description, Files: s.Files, FilesWrong: about.files}
	for _, f := range s.Form.Fields {
		value := f.Default
		if about.values != nil {
			value = about.values[f.Name]
		}
		problem := about.problems[f.Name]
		field := templates.AskField{
			Name: f.Name, Label: f.Label(), Description: f.Description, Input: input(f, s.Open), Value: value, Required: f.Required,
			Least: limit(f.Minimum), Most: limit(f.Maximum), Wrong: problem.Sentence, WrongValue: problem.Value,
		}
		switch f.Kind {
		case form.Number:
			field.Step = "any"
		case form.Integer:
			field.Step = "1"
		case form.Text:
			field.Shortest, field.Longest = orNone(f.MinLength, 0), min(orNone(f.MaxLength, form.MaxText), form.MaxText)
		}
		if f.Format == form.DateTime {
			field.Hint = "2026-01-31T09:30:00Z"
		}
		chosen := strings.Split(value, "\n")
		for _, c := range f.Choices {
			field.Choices = append(field.Choices, templates.AskChoice{Value: c.Value, Title: c.Title, On: slices.Contains(chosen, c.Value)})
		}
		a.Fields = append(a.Fields, field)
	}
	return a
}

// longLine is the most that fits into one line of a form.
const longLine = 200

func input(f form.Field, open bool) string {
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
	case open, f.MaxLength != nil && *f.MaxLength > longLine:
		return "textarea"
	default:
		return "text"
	}
}

func limit(n *float64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatFloat(*n, 'f', -1, 64)
}

func orNone(n *int, none int) int {
	if n == nil {
		return none
	}
	return *n
}
