package a2a_test

import (
	"encoding/json"
	"errors"
	"io"
	"reflect"
	"testing"
	"time"

	"rialto/a2a"
)

func said(id, text string) *a2a.Message {
	return &a2a.Message{ID: id, Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart(text)}}
}

func TestStatesKnowWhetherMoreWillCome(t *testing.T) {
	for s, want := range map[a2a.State][3]bool{
		a2a.Submitted:     {false, false, false},
		a2a.Working:       {false, false, false},
		a2a.Unknown:       {false, false, false},
		a2a.InputRequired: {false, true, true},
		a2a.AuthRequired:  {false, true, true},
		a2a.Completed:     {true, false, true},
		a2a.Canceled:      {true, false, true},
		a2a.Failed:        {true, false, true},
		a2a.Rejected:      {true, false, true},
	} {
		if got := [3]bool{s.Terminal(), s.Interrupted(), s.Idle()}; got != want {
			t.Errorf("%s: got terminal, interrupted, settled = %v, want %v", s, got, want)
		}
	}
}

func TestApplyKeepsWhatWasSaidBefore(t *testing.T) {
	task := &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working, Message: said("1", "one")}}
	for _, u := range []*a2a.StatusUpdate{
		{TaskID: "t", ContextID: "c", Status: a2a.Status{State: a2a.Working, Message: said("2", "two")}, Metadata: a2a.Metadata{"a": 1}},
		{TaskID: "t", Status: a2a.Status{State: a2a.Completed}, Metadata: a2a.Metadata{"b": 2}},
	} {
		if !task.Apply(u) {
			t.Fatalf("%+v changed nothing", u)
		}
	}
	if len(task.History) != 2 || task.History[0].Text() != "one" || task.History[1].Text() != "two" {
		t.Errorf("got history %+v, want one and two", task.History)
	}
	if task.ContextID != "c" || task.Status.State != a2a.Completed {
		t.Errorf("got %+v", task)
	}
	if want := (a2a.Metadata{"a": 1, "b": 2}); !reflect.DeepEqual(task.Metadata, want) {
		t.Errorf("got metadata %v, want %v", task.Metadata, want)
	}
}

func TestApplyDoesNotRepeatAMessageThatTheHistoryHolds(t *testing.T) {
	task := &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working, Message: said("1", "one")}, History: []a2a.Message{*said("1", "one")}}
	task.Apply(&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Completed}})
	if len(task.History) != 1 {
		t.Errorf("got %d messages, want 1", len(task.History))
	}
}

func TestApplyBuildsArtifactsOfChunks(t *testing.T) {
	task := &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}}
	chunk := func(id, text string, more bool) {
		a := a2a.Artifact{ID: id, Parts: []a2a.Part{a2a.TextPart(text)}}
		if !task.Apply(&a2a.ArtifactUpdate{TaskID: "t", Artifact: a, Append: more}) {
			t.Fatalf("chunk %q of %s changed nothing", text, id)
		}
	}
	chunk("a", "1", false)
	chunk("b", "x", true) // the first chunk was lost, or never sent as such
	chunk("a", "2", true)
	if got := task.Artifacts[0].Text(); got != "1\n2" {
		t.Errorf("got %q, want both chunks", got)
	}
	chunk("a", "3", false)
	if got := task.Artifacts[0].Text(); got != "3" || len(task.Artifacts) != 2 {
		t.Errorf("got %q in %d artifacts, want the artifact replaced", got, len(task.Artifacts))
	}
}

func TestApplyIgnores(t *testing.T) {
	for name, e := range map[string]a2a.Event{
		"a task of another id":     &a2a.Task{ID: "other"},
		"a status of another task": &a2a.StatusUpdate{TaskID: "other", Status: a2a.Status{State: a2a.Failed}},
		"an artifact of another":   &a2a.ArtifactUpdate{TaskID: "other"},
		"a message":                said("1", "hello"),
		"nothing":                  nil,
	} {
		task := &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}}
		if task.Apply(e) || !reflect.DeepEqual(task, &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}}) {
			t.Errorf("%s changed the task to %+v", name, task)
		}
	}
	ended := &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}}
	if ended.Apply(&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Working}}) {
		t.Error("a task that had ended went on")
	}
}

func TestCloneSharesNothingThatApplyWritesTo(t *testing.T) {
	task := &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}, Metadata: a2a.Metadata{"a": 1},
		Artifacts: []a2a.Artifact{{ID: "a", Parts: make([]a2a.Part, 0, 8)}}, History: make([]a2a.Message, 0, 8)}
	c := task.Clone()
	for _, e := range []a2a.Event{
		&a2a.ArtifactUpdate{TaskID: "t", Artifact: a2a.Artifact{ID: "a", Parts: []a2a.Part{a2a.TextPart("x")}}, Append: true},
		&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Working, Message: said("1", "x")}, Metadata: a2a.Metadata{"a": 2}},
		&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.Completed}},
	} {
		task.Apply(e)
	}
	if len(c.Artifacts[0].Parts) != 0 || len(c.History) != 0 || c.Metadata["a"] != 1 || c.Status.State != a2a.Working {
		t.Errorf("the copy became %+v", c)
	}
}

func TestWithHistoryKeepsTheLatest(t *testing.T) {
	task := &a2a.Task{History: []a2a.Message{*said("1", ""), *said("2", ""), *said("3", "")}}
	for n, want := range map[int]int{-1: 0, 0: 0, 2: 2, 3: 3, 9: 3} {
		got := task.WithHistory(&n).History
		if len(got) != want || want > 0 && got[want-1].ID != "3" {
			t.Errorf("with %d: got %+v", n, got)
		}
	}
	if len(task.WithHistory(nil).History) != 3 || len(task.History) != 3 {
		t.Error("the history was cut where nothing was asked")
	}
}

func TestTaskSurvivesStorage(t *testing.T) {
	for name, p := range map[string]a2a.Part{
		"text":                  a2a.TextPart("a <b> & \u2028"),
		"empty text":            a2a.TextPart(""),
		"bytes":                 {Content: a2a.Raw{0, 1, 255}, Filename: "f", MediaType: "image/png"},
		"no bytes":              {Content: a2a.Raw{}, MediaType: "image/png"},
		"a link":                {Content: a2a.URL("https://a.example/f"), Metadata: a2a.Metadata{"k": "v"}},
		"an object":             {Content: a2a.Data(`{"n":9007199254740993}`)},
		"the value null":        {Content: a2a.Data("null")},
		"the value false":       {Content: a2a.Data("false")},
		"an array":              {Content: a2a.Data("[1,2]"), MediaType: "application/json"},
		"text that looks like ": a2a.TextPart(`{"data":1}`),
	} {
		t.Run(name, func(t *testing.T) {
			in := &a2a.Task{ID: "t", ContextID: "c",
				Status:    a2a.Status{State: a2a.Working, Timestamp: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC), Message: said("1", "x")},
				Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{p}}},
				History:   []a2a.Message{{ID: "m", Role: a2a.RoleUser, Parts: []a2a.Part{p}, ReferenceTaskIDs: []a2a.TaskID{"r"}}}}
			b, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			var out a2a.Task
			if err := json.Unmarshal(b, &out); err != nil {
				t.Fatalf("%s: %v", b, err)
			}
			if !reflect.DeepEqual(&out, in) {
				t.Errorf("got %+v, want %+v (%s)", out, in, b)
			}
		})
	}
}

func TestWhateverAPartSaysIsStoredAsJSON(t *testing.T) {
	for _, text := range []string{"", "\"quoted\" \\ <b>&</b>", "line\r\n\ttab\x00\x7f", "ünïcödé \u2028 😀"} {
		for _, c := range []a2a.Content{a2a.Text(text), a2a.URL(text), a2a.Raw(text)} {
			in := a2a.Part{Content: c, Filename: text, MediaType: text, Metadata: a2a.Metadata{text: text}}
			b, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			var out a2a.Part
			if err := json.Unmarshal(b, &out); err != nil || !reflect.DeepEqual(out, in) {
				t.Errorf("%s: got %#v, %v", b, out, err)
			}
		}
	}
	if _, err := json.Marshal(a2a.Part{Content: a2a.Data("{")}); err == nil {
		t.Error("data that is no JSON was stored")
	}
	if b, err := json.Marshal(a2a.TextPart("\xff")); err != nil || !json.Valid(b) {
		t.Errorf("a byte that is no text: got %q, %v", b, err)
	}
}

func TestPartsWithoutValuesAreStoredAsEmptyOnes(t *testing.T) {
	for _, c := range []struct{ in, want a2a.Content }{{a2a.Raw(nil), a2a.Raw{}}, {a2a.Data(nil), a2a.Data("null")}} {
		b, err := json.Marshal(a2a.Part{Content: c.in})
		if err != nil {
			t.Fatal(err)
		}
		var out a2a.Part
		if err := json.Unmarshal(b, &out); err != nil || !reflect.DeepEqual(out.Content, c.want) {
			t.Errorf("%s: got %#v, %v, want %#v", b, out.Content, err, c.want)
		}
	}
	if _, err := json.Marshal(a2a.Part{}); err == nil {
		t.Error("a part without content was stored")
	}
	if err := json.Unmarshal([]byte(`{"filename":"f"}`), new(a2a.Part)); err == nil {
		t.Error("a part without content was read")
	}
}

func TestDataPartNeedsAJSONForm(t *testing.T) {
	p, err := a2a.DataPart(map[string]int{"a": 1})
	if err != nil || string(p.Content.(a2a.Data)) != `{"a":1}` || p.MediaType != "application/json" {
		t.Errorf("got %+v, %v", p, err)
	}
	if _, err := a2a.DataPart(make(chan int)); err == nil {
		t.Error("a channel became JSON")
	}
}

func TestTextJoinsTextParts(t *testing.T) {
	m := &a2a.Message{Parts: []a2a.Part{a2a.TextPart("a"), {Content: a2a.Data("1")}, a2a.TextPart("b")}}
	if got := m.Text(); got != "a\nb" {
		t.Errorf("got %q", got)
	}
	if got := (*a2a.Message)(nil).Text(); got != "" {
		t.Errorf("got %q of no message", got)
	}
}

func TestErrorsAreFoundByCodeAndCause(t *testing.T) {
	err := errors.Join(errors.New("x"), &a2a.Error{Code: a2a.Unavailable, Cause: io.ErrUnexpectedEOF})
	if !a2a.Is(err, a2a.Unavailable) || a2a.Is(err, a2a.Internal) || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got the wrong answers about %v", err)
	}
	if got := (&a2a.Error{Code: a2a.Unavailable}).Error(); got != "UNAVAILABLE" {
		t.Errorf("got %q for an error without a message", got)
	}
}

func TestCardFindsItsSkills(t *testing.T) {
	c := &a2a.Card{Skills: []a2a.Skill{{ID: "a"}, {ID: "b", Name: "B"}}}
	if s, ok := c.Skill("b"); !ok || s.Name != "B" {
		t.Errorf("got %+v, %v", s, ok)
	}
	if _, ok := c.Skill("c"); ok {
		t.Error("found a skill that is not there")
	}
}

func TestDataThatIsNotJSONIsNotStored(t *testing.T) {
	for _, data := range []string{`1,"text":"x"`, `{`, `1 2`, `}`} {
		if b, err := json.Marshal(a2a.Part{Content: a2a.Data(data)}); err == nil {
			t.Errorf("%s: got %s, want an error", data, b)
		}
	}
}
