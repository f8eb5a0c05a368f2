package documents_test

import (
	"fmt"
	"strings"

	"rialto/a2a"
)

// scenarios are what the agent answers to each message, by the names of the transcripts.
var scenarios = map[string][][]a2a.Event{
	"rich":     {asking(), making()},
	"question": {asking()},
	"failed":   {failing()},
	"refused":  {{status(a2a.Rejected, "r")}},
	"message":  {{&a2a.Message{ID: "m", Role: a2a.RoleAgent, ContextID: "c", Parts: kinds()}}},
	"long":     {long(strings.Repeat("grüße <b> ", 10_000))},
	"longer":   {long(strings.Repeat("grüße ", 200_000))},
	"huge":     {huge()},
}

func status(state a2a.State, id string, parts ...a2a.Part) *a2a.StatusUpdate {
	s := a2a.Status{State: state}
	if len(parts) > 0 {
		s.Message = &a2a.Message{ID: id, Role: a2a.RoleAgent, Parts: parts}
	}
	return &a2a.StatusUpdate{TaskID: "up", ContextID: "ctx", Status: s}
}

func artifact(id string, parts ...a2a.Part) *a2a.ArtifactUpdate {
	a := a2a.Artifact{ID: id, Name: "The\n" + id, Description: "What " + id + " is\u200b.", Parts: parts}
	return &a2a.ArtifactUpdate{TaskID: "up", ContextID: "ctx", Artifact: a}
}

func file(name, mediaType, content string) a2a.Part {
	return a2a.Part{Content: a2a.Raw(content), Filename: name, MediaType: mediaType}
}

func link(name, address string) a2a.Part {
	return a2a.Part{Content: a2a.URL(address), Filename: name, MediaType: "text/html"}
}

func data(text string) a2a.Part { return a2a.Part{Content: a2a.Data(text)} }

// kinds are parts of every kind, with what has to be cleaned.
func kinds() []a2a.Part {
	return []a2a.Part{
		a2a.TextPart("# Words\n\nwith **marks** and \u202ehidden\u200b ones <b>\"\\\x00"),
		{Content: a2a.Text("one,two\n1,2\n"), Filename: "table.csv", MediaType: "text/csv"},
		data(`{"name": "a\u202eb", "rows": [1, 2], "more": "<b>"}`),
		link("page", "https://example.com/a?b=c"),
		link("", "javascript:alert(1)"),
		link("a long one", "https://example.com/"+strings.Repeat("a", 2000)),
		file("small.pdf", "application/pdf", "%PDF small"),
		file("", "image/png", "\x89PNG"),
		file("sound.wav", "audio/wav", "RIFF"),
		file("list.csv", "text/csv; charset=utf-8", "a,b\n1,2\n"),
		file("large.bin", "", strings.Repeat("\x00large", 6000)),
	}
}

// asking makes drafts that are replaced, and asks a question.
func asking() []a2a.Event {
	return []a2a.Event{
		&a2a.Task{ID: "up", ContextID: "ctx", Status: a2a.Status{State: a2a.Working}},
		artifact("draft", a2a.TextPart("first "), a2a.TextPart("draft"), data(`{"n": 1}`),
			file("draft.pdf", "application/pdf", "first"),
			link("source", "https://example.com/source"), link("", "javascript:alert(2)")),
		artifact("draft", a2a.TextPart("second "), a2a.TextPart("draft"),
			file("draft.pdf", "application/pdf", strings.Repeat("second", 1_000_000))),
		artifact("draft", a2a.TextPart("third draft")),
		status(a2a.Working, "w", a2a.TextPart("Looking …")),
		status(a2a.InputRequired, "q", a2a.TextPart("As a table,"), a2a.TextPart("or as text?"),
			data(`{"note": "b"}`), file("sample.txt", "text/plain", "a sample"),
			link("help", "https://example.com/help"), link("", "file")),
	}
}

// making makes artifacts of every kind, and closes with parts of every kind.
func making() []a2a.Event {
	var rows []string
	var table strings.Builder
	for i := range 60 {
		rows = append(rows, fmt.Sprintf(`["Row %d", %d]`, i, i))
		fmt.Fprintf(&table, "| Row %d | %d |\n", i, i)
	}
	closing := []a2a.Part{a2a.TextPart("Here "), a2a.TextPart("it is.")}
	noID := artifact("", a2a.TextPart("without an ID"))
	return []a2a.Event{
		status(a2a.Working, "w2", a2a.TextPart("Making it.")),
		artifact("streamed", a2a.TextPart("One text "), a2a.TextPart("in chunks,"), a2a.TextPart(" streamed."),
			data(`{}`), a2a.TextPart("A"), a2a.TextPart("B")),
		artifact("kinds", kinds()...),
		artifact("table", a2a.TextPart(table.String()), data(`{"rows": [`+strings.Join(rows, ", ")+`]}`)),
		artifact("big data", data(`["`+strings.Repeat("abc ", 8_500)+`"]`)),
		artifact("empty"),
		artifact(strings.Repeat("x", 201), a2a.TextPart("with a long ID")),
		noID,
		status(a2a.Completed, "c", append(closing, kinds()...)...),
	}
}

// failing makes an artifact, and fails.
func failing() []a2a.Event {
	return []a2a.Event{
		artifact("half", a2a.TextPart("Half of it.")),
		status(a2a.Failed, "f", a2a.TextPart("The disk is\u202e full.")),
	}
}

// huge makes a file that is larger than a resource can be.
func huge() []a2a.Event {
	return []a2a.Event{
		artifact("huge", a2a.TextPart("a"), file("huge.bin", "", strings.Repeat("huge", 1_250_000))),
		status(a2a.Completed, "c"),
	}
}

// long makes more text than a page has.
func long(text string) []a2a.Event {
	return []a2a.Event{
		artifact("text", a2a.TextPart(text[:50_000])),
		artifact("text again", a2a.TextPart(text), data(`{"n": 1}`), file("a.csv", "text/csv", "a,b")),
		status(a2a.Completed, "c", a2a.TextPart(text[:30_000]), data(`{"n": 2}`)),
	}
}
