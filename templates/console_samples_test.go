package templates_test

import (
	"time"

	"rialto/templates"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func frame() templates.Frame {
	return templates.Frame{
		Product: "Rialto", User: "ada", SignOut: "/signout",
		Areas: []templates.Way{{Href: "/account", Name: "Language"}, {Href: "/admin", Name: "Areas", Here: true}},
		Ways:  []templates.Way{{Href: "/admin/agents", Name: "Views", Here: true}, {Href: "/admin/tasks", Name: "Pages"}},
	}
}

// consoleSample is a page with every part.
func consoleSample() templates.Console {
	var bars []templates.Bar
	for i := range int64(24) {
		bars = append(bars, templates.Bar{Label: templates.When(now.Add(-time.Duration(24-i)*time.Hour), now), Value: i * i, Part: i, Before: 200 - i, Tick: templates.Hour(now), Href: "/admin/usage"})
	}
	f := frame()
	f.Done = templates.Textf("just now")
	return templates.Console{
		Frame: f, Title: "Views", Heading: templates.Verbatim("expert"), Lead: templates.Textf("in {}", "<b>"),
		Up: &templates.Way{Href: "/admin/agents", Name: "Pages"}, Live: "/admin/agents/events",
		Actions: []templates.Button{{Action: "/admin/agents/new", Get: true, Word: "Show"}},
		Sections: []templates.Section{
			{ID: "list", Ways: []templates.Way{{Href: "/a", Name: "Views", Here: true}, {Href: "/b", Name: "Pages"}},
				Filter: &templates.Filter{Action: "/admin/agents", Clear: "/admin/agents", Fields: []templates.Field{
					{Name: "q", Kind: "search", Label: "Time"}, {Name: "state", Kind: "choice", Label: "Errors", Value: "b", Options: []templates.Option{{Value: "", Word: "Show all"}, {Value: "b"}}}}},
				Table: &templates.Table{Columns: []templates.Column{{Name: "Pages"}, {Name: "Time"}, {Name: "Errors", Right: true}}, Prev: "/x", Next: "/x?after=y", Rows: []templates.Entry{
					{Cells: []templates.Text{templates.Lines(templates.Link("/admin/agents/expert", templates.Verbatim("Table Expert")), templates.Code("expert")), templates.Badge(templates.Good, "Show"), templates.Number(1234567)}, Actions: []templates.Button{{Action: "/x", Word: "Show", About: "expert"}, {Action: "/y", Word: "Show all", Grave: true, Hidden: []templates.Value{{Name: "id", Value: "1"}}}}},
					{Cells: []templates.Text{templates.Verbatim("a-very-long-name-that-does-not-end-before-the-column-does-and-goes-on"), templates.Row(templates.Badge(templates.Bad, "Errors"), templates.Badge(templates.Note, "Time"), templates.Badge(templates.Plain, "Pages")), templates.When(now.Add(-time.Hour), now)}, Actions: []templates.Button{{Action: "/x", Word: "Show"}}},
				}}},
			{ID: "empty", Title: "Pages", Lead: templates.Textf("never"), Table: &templates.Table{}, Notes: []templates.Remark{{Tone: templates.Note, Text: templates.Textf("never")}, {Tone: templates.Bad, Text: templates.Textf("never")}}},
			{ID: "facts", Title: "Areas", Facts: []templates.Fact{{Name: "Time", Value: templates.When(now.AddDate(-1, 0, 0), now)}, {Name: "Errors", Value: templates.Verbatim("12")}}},
			{ID: "charts", Title: "Errors", Charts: []templates.Chart{{ID: "calls", Title: "Errors", Whole: "Pages", Part: "Errors", Before: "Time", Grave: true, Bars: bars, Total: templates.Number(9000)}, {ID: "latency", Title: "Time"}}},
			{ID: "steps", Title: "Views", Steps: []templates.Step{{Tone: templates.Good, Mark: "✓", Title: templates.Verbatim("The name resolves")}, {Tone: templates.Bad, Mark: "✗", Title: templates.Verbatim("TLS"), Facts: []templates.Fact{{Name: "Time", Value: templates.Verbatim("x")}}}}},
			{ID: "text", Title: "Language", Pages: []templates.Block{{Title: templates.Textf("never"), Text: "a\nb"}, {Text: "rialto", Copy: "copy-1"}}},
			{ID: "form", Title: "Time", Form: &templates.Form{Action: "/x", Word: "Show", Error: templates.Textf("never"), Cancel: "/y", Fields: []templates.Field{
				{Name: "url", Kind: "url", Label: "Pages", Help: "never", Required: true, Bad: true}, {Name: "more", Kind: "area", Label: "Views", Value: "a"}, {Name: "yes", Kind: "check", Label: "Language", Help: "never"},
				{Name: "secret", Kind: "password", Label: "Errors", Min: 8, Max: 1024, Complete: "new-password"}}}},
			{ID: "remove", Title: "Errors", Grave: true, Lead: templates.Textf("never"), Form: &templates.Form{Action: "/z", Word: "Show", Grave: true, Hidden: []templates.Value{{Name: "confirm", Value: "yes"}}}},
		},
	}
}
