package bridge_test

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/internal/raced"
	"rialto/store"
)

// A model gets an error with the state, a code and the reason, for all states without
// success.
func TestATaskThatDidNotDoWhatItShouldIsAnError(t *testing.T) {
	for name, c := range map[string]struct {
		events []any
		state  a2a.State
		code   a2a.Code
		reason string
	}{
		"failed":                  {[]any{update(a2a.Failed, "the disk is full")}, a2a.Failed, "TASK_FAILED", "the disk is full"},
		"rejected":                {[]any{update(a2a.Rejected, "not my trade")}, a2a.Rejected, "TASK_REJECTED", "not my trade"},
		"canceled":                {[]any{update(a2a.Canceled, "somebody stopped me")}, a2a.Canceled, "TASK_CANCELED", "somebody stopped me"},
		"failed without a word":   {[]any{&a2a.StatusUpdate{TaskID: "up", Status: a2a.Status{State: a2a.Failed}}}, a2a.Failed, "TASK_FAILED", "The agent gave no reason."},
		"an error on the wire":    {[]any{&a2a.Error{Code: a2a.InvalidParams, Message: "no such table", Remote: true}}, a2a.Failed, a2a.InvalidParams, "no such table"},
		"failed with an artifact": {[]any{IsChunk("a", "half of it"), update(a2a.Failed, "then the power went")}, a2a.Failed, "TASK_FAILED", "then the power went"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t, "", map[string]peer{"one": turns(c.events)})
			sent := r.call("send_task", `{"message":"go"}`)
			for tool, got := range map[string]*answer{"send_task": sent, "get_task": r.call("get_task", `{"task_id":"`+sent.TaskID+`"}`)} {
				got.want(t, c.state, true)
				if got.Error == nil || got.Error.Code != c.code || !strings.Contains(got.Error.Message, c.reason) {
					t.Errorf("%s: got %+v, want %s: %s", tool, got.Error, c.code, c.reason)
				}
				for _, want := range []string{string(c.state), string(c.code)} {
					if !strings.Contains(got.Text, want) {
						t.Errorf("%s: the text does not tell %q: %s", tool, want, got.Text)
					}
				}
			}
		})
	}
}

// The agent forgets a task after it has sent output: models that see only the text get
// the reason.
func TestWhyATaskFailedIsSaidWhateverItsAgentSaidBefore(t *testing.T) {
	large := func(id string) any { return made(id, a2a.TextPart(strings.Repeat(id, 9<<20))) }
	r := newRig(t, "", map[string]peer{"one": turns([]any{update(a2a.Working, "half of it"), large("a"), large("b")})})
	got := r.call("send_task", `{"message":"go"}`)
	got.want(t, a2a.Failed, true)
	if got.Message != "half of it" || !strings.Contains(got.Error.Message, "16 MiB") || !strings.Contains(got.Text, got.Error.Message) {
		t.Errorf("got %q, %+v, and the words do not tell why: %.300s", got.Message, got.Error, got.Text)
	}
}

func TestATaskWhoseStateNobodyKnowsIsAnErrorThatIsFollowed(t *testing.T) {
	m, p := newMute(a2a.Unknown)
	r := newRigWith(t, "", map[string]peer{"one": p}, func(b *bridge.Bridge) { hooked(&rig{Bridge: b}) })
	got := r.call("send_task", `{"message":"go","wait":0}`)
	got.want(t, a2a.Unknown, true)
	if got.Error.Code != "TASK_STATE_UNKNOWN" || !strings.Contains(got.Next, "get_task") {
		t.Errorf("got %+v, %q", got.Error, got.Next)
	}
	m.now <- &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}}
	r.Runner.Wake(got.TaskID)
	r.call("get_task", `{"task_id":"`+got.TaskID+`"}`).want(t, a2a.Completed, false)
}

func TestEachKindOfPartIsContentOfItsOwn(t *testing.T) {
	r := newRig(t, "", map[string]peer{"one": turns([]any{
		made("a", a2a.TextPart("words"), a2a.Part{Content: a2a.Data(`{"n":1}`)},
			a2a.Part{Content: a2a.Raw("\x89PNG"), MediaType: "image/png"}, a2a.Part{Content: a2a.Raw("RIFF"), MediaType: "audio/wav"},
			a2a.Part{Content: a2a.Raw("%PDF"), MediaType: "application/pdf", Filename: "a.pdf"}, a2a.Part{Content: a2a.URL("https://example.com/x"), Filename: "x"}),
		update(a2a.Completed, "closing"),
	})})
	got := r.call("send_task", `{"message":"go"}`)
	var kinds []string
	for _, item := range got.Items {
		kinds = append(kinds, fmt.Sprint(item["type"]))
	}
	want := []string{"text", "text", "image", "audio", "resource", "resource_link", "text", "text"} // the closing words and the summary last
	if !slices.Equal(kinds, want) || got.Items[1]["text"] != `{"n":1}` || got.Items[6]["text"] != "closing" {
		t.Errorf("got %v, want %v", kinds, want)
	}
	if parts := got.Artifacts[0].Parts; string(parts[1].Data) != `{"n":1}` || parts[0].Text != "words" || got.Message != "closing" {
		t.Errorf("got %+v", got.TaskInfo)
	}
}

// TestNoResultExceedsWhatClientsTake has agents that say as much as they can of
// what grows when it is written as JSON.
func TestNoResultExceedsWhatClientsTake(t *testing.T) {
	raced.Skip(t)
	long := strings.Repeat(`<"`, 3_000)
	hits := []map[string]string{}
	for i := range 10 {
		hits = append(hits, map[string]string{"id": fmt.Sprint(i, long[:1500]), "title": long, "url": "https://example.com/" + strings.Repeat("a", 1900)})
	}
	wordy := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		switch turn.Skill {
		case "search", "fetch":
			part, err := a2a.DataPart(map[string]any{"results": hits, "title": long, "text": strings.Repeat(long, 20), "metadata": map[string]string{"a": long, "b": long}})
			turn.Artifact(a2a.Artifact{ID: "r", Parts: []a2a.Part{part}})
			return err
		}
		return fmt.Errorf("%s", long)
	}, "search", "fetch")
	for i := range 10 {
		wordy.card.Skills = append(wordy.card.Skills, a2a.Skill{ID: fmt.Sprint(i), Name: long, Description: long, Tags: []string{long, long}, Examples: []string{long, long, long}})
	}
	wordy.card.Name, wordy.card.Description = long, long
	agents := map[string]peer{}
	for i := range 30 {
		agents[fmt.Sprint("agent", i)] = wordy
	}
	r := newRig(t, store.Memory, agents)
	for range 80 {
		r.call("send_task", `{"message":"go","agent":"agent0"}`)
	}
	for tool, args := range map[string]string{
		"list_agents": `{}`, "get_agent": `{"agent":"agent0"}`, "list_tasks": `{"limit":100}`, "search": `{"query":"x"}`,
		"fetch": `{"id":"doc:agent0:1"}`, "send_task": `{"message":"go","agent":"agent0"}`,
	} {
		got := r.call(tool, args)
		items, err := json.Marshal(got.Items)
		if err != nil {
			t.Fatal(err)
		}
		if n := len([]rune(string(items))) + len([]rune(string(got.raw))); n > 100_000 || len(got.raw) == 0 {
			t.Errorf("%s: got %d characters, %d of structure", tool, n, len(got.raw))
		}
	}
	var list struct {
		Agents []directory.Info
	}
	if err := json.Unmarshal(r.call("list_agents", `{}`).raw, &list); err != nil || len(list.Agents) != 30 {
		t.Errorf("got %d agents, %v, want each of them, though little of it", len(list.Agents), err)
	}
}

// TestAnAgentIsToldOfWithItsExamples reads the words, which are all that some clients
// show a model.
func TestAnAgentIsToldOfWithItsExamples(t *testing.T) {
	p := turns()
	p.card.Skills = []a2a.Skill{{ID: "count", Name: "Count", Examples: []string{"How many are there?"}}}
	if got := newRig(t, "", map[string]peer{"one": p}).call("get_agent", `{}`); !strings.Contains(got.Text, "Example of count: How many are there?") {
		t.Errorf("got %s", got.Text)
	}
}

// TestAFileWhoseAddressIsItsContentIsSentAsThat: agents got a data: URL as an address to
// fetch.
func TestAFileWhoseAddressIsItsContentIsSentAsThat(t *testing.T) {
	got := make(chan a2a.Part, 1)
	r := newRig(t, "", map[string]peer{"one": running(t, func(_ context.Context, turn *a2aexec.Turn) error {
		got <- turn.Message.Parts[1]
		turn.Complete("done")
		return nil
	})})
	for file, want := range map[string]a2a.Part{
		`{"name":"a","url":"data:text/csv;base64,YSxi"}`:                       {Filename: "a", MediaType: "text/csv", Content: a2a.Raw("a,b")},
		`{"url":"data:,a%2Cb"}`:                                                {Content: a2a.Raw("a,b")},
		`{"media_type":"text/plain","url":"DATA:text/csv;x=y;base64,YSxi"}`:    {MediaType: "text/plain", Content: a2a.Raw("a,b")},
		`{"name":"a","url":"https://example.com/a?b=data:text/csv;base64,YQ"}`: {Filename: "a", Content: a2a.URL("https://example.com/a?b=data:text/csv;base64,YQ")},
	} {
		r.call("send_task", `{"message":"go","files":[`+file+`]}`).want(t, a2a.Completed, false)
		if p := <-got; p.Filename != want.Filename || p.MediaType != want.MediaType || !reflect.DeepEqual(p.Content, want.Content) {
			t.Errorf("%s: got %+v, want %+v", file, p, want)
		}
	}
	for _, url := range []string{"data:text/csv", "data:text/csv;base64,?", "data:text/csv;base64,YSx"} {
		r.call("send_task", fmt.Sprintf(`{"message":"go","files":[{"url":%q}]}`, url)).refused(t, "give its content as \"bytes\"")
	}
}

// The agent follows from the skill or the conversation of a call.
func TestACallThatLeavesTheAgentOutIsHelped(t *testing.T) {
	agent := func(skill string) peer {
		p := turns([]any{update(a2a.Completed, skill+" did it")}, []any{update(a2a.Completed, skill+" did it again")})
		p.card.Skills = []a2a.Skill{{ID: skill, Name: skill}}
		return p
	}
	r := newRigWith(t, "", map[string]peer{"one": agent("count"), "two": agent("draw")}, func(b *bridge.Bridge) { b.Directory.Default = "one" })
	r.call("send_task", `{"message":"go","skill":"draw"}`).refused(t, `This skill is there with "agent": "two".`)
	r.call("send_task", `{"message":"go","skill":"draw","agent":"one"}`).refused(t, `This skill is there with "agent": "two".`)
	r.call("send_task", `{"message":"go","skill":"sing"}`).refused(t, `get_agent tells which it has.`)
	first := r.call("send_task", `{"message":"go","agent":"two"}`)
	r.call("send_task", fmt.Sprintf(`{"message":"go","task_id":%q}`, first.TaskID)).refused(t, fmt.Sprintf("with agent \"two\" and context_id %q", first.ContextID))
	if next := r.call("send_task", fmt.Sprintf(`{"message":"again","context_id":%q}`, first.ContextID)); next.Agent != "two" || next.ContextID != first.ContextID {
		t.Errorf("got %+v, want it with the agent of the conversation", next.TaskInfo)
	}
	r.call("send_task", `{"message":"again","context_id":"never was"}`).refused(t, "no conversation")
	anothers := fmt.Sprintf(`{"message":"x","agent":"two","context_id":%q}`, first.ContextID)
	r.callAs("bob", "send_task", anothers, func(string) {}).refused(t, "no conversation")
	if got := r.call("list_tasks", `{"agent":"tow"}`); !strings.Contains(got.Text, `no agent named "tow"`) {
		t.Errorf("got %s", got.Text)
	}
}

// TestOfConversationsThatAreCalledAlikeTheDefaultAgentsIsMeant: agents that count their
// conversations call them alike, and what is said in one is not for the other.
func TestOfConversationsThatAreCalledAlikeTheDefaultAgentsIsMeant(t *testing.T) {
	agent := func() peer {
		done := &a2a.Task{ID: "t", ContextID: "1", Status: a2a.Status{State: a2a.Completed}}
		return turns([]any{done}, []any{done})
	}
	r := newRigWith(t, "", map[string]peer{"one": agent(), "two": agent()}, func(b *bridge.Bridge) { b.Directory.Default = "two" })
	r.call("send_task", `{"message":"go","agent":"one"}`)
	r.call("send_task", `{"message":"go"}`)
	if next := r.call("send_task", `{"message":"again","context_id":"1"}`); next.Agent != "two" {
		t.Errorf("it went to %q", next.Agent)
	}
}

// TestWhatAnAgentWouldNotUnderstandIsNotSent has a model name a skill that is none,
// and a file's address that is none.
func TestWhatAnAgentWouldNotUnderstandIsNotSent(t *testing.T) {
	p := turns([]any{update(a2a.InputRequired, "which?")}, []any{update(a2a.Completed, "done")})
	p.card.Skills = []a2a.Skill{{ID: "count", Name: "Count"}}
	r := newRig(t, "", map[string]peer{"one": p})
	r.call("send_task", `{"message":"go","skill":"counting"}`).refused(t, "has no skill counting")
	for _, url := range []string{"report.csv", "https://", "/etc/report.csv", "https:// example.com"} {
		r.call("send_task", fmt.Sprintf(`{"message":"go","files":[{"url":%q}]}`, url)).refused(t, "files[0] has a \"url\" that is none")
	}
	id := r.call("send_task", `{"message":"go","skill":"count","files":[{"url":"gs://bucket/report.csv"}]}`).TaskID
	r.call("send_task", fmt.Sprintf(`{"message":"go","task_id":%q,"skill":"counting"}`, id)).refused(t, "has no skill counting")
	r.call("send_task", fmt.Sprintf(`{"message":"go","task_id":%q,"skill":"count"}`, id)).want(t, a2a.Completed, false)
	p = turns([]any{update(a2a.Completed, "done")})
	p.card.Skills, p.card.Capabilities.ExtendedAgentCard = []a2a.Skill{{ID: "count", Name: "Count"}}, true
	newRig(t, "", map[string]peer{"one": p}).call("send_task", `{"message":"go","skill":"of the extended card"}`).want(t, a2a.Completed, false)
}
