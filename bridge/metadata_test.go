package bridge_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aexec"
	"rialto/bridge"
	"rialto/bridge/directory"
)

func TestAnAgentIsToldTheUseCaseAndTheTopic(t *testing.T) {
	for name, test := range map[string]struct {
		force, topic string
		caller       directory.Caller
		want         string
		data         string
	}{
		"one use case":       {caller: directory.Caller{UseCases: []string{"sales"}}, want: "sales", data: "hr"},
		"several":            {caller: directory.Caller{UseCases: []string{"hr", "sales"}}, data: "hr"},
		"all":                {caller: directory.Caller{AllUseCases: true}, data: "hr"},
		"a topic":            {topic: "claims", caller: directory.Caller{AllUseCases: true}, data: "hr"},
		"one that is forced": {force: "usecase_abc123", caller: directory.Caller{UseCases: []string{"sales"}}, want: "usecase_abc123", data: "usecase_abc123"},
	} {
		t.Run(name, func(t *testing.T) {
			var got *a2a.Message
			agent := running(t, func(_ context.Context, turn *a2aexec.Turn) error {
				got = turn.Message
				turn.Complete("done")
				return nil
			})
			r := newRigWith(t, "", map[string]peer{"one": agent}, func(b *bridge.Bridge) {
				b.Directory.ForceUseCase, b.Directory.Topic = test.force, test.topic
				test.caller.User = "ada"
				b.Directory.Caller = func(context.Context) directory.Caller { return test.caller }
			})
			r.call("send_task", `{"message":"go","skill":"query","data":{"usecase":"hr"}}`)
			if use, _ := got.Metadata["usecase"].(string); use != test.want {
				t.Errorf("got use case %q, want %q", use, test.want)
			}
			if topic, _ := got.Metadata["topic"].(string); topic != test.topic || got.Metadata["skillId"] != "query" {
				t.Errorf("got metadata %v, want topic %q and the skill", got.Metadata, test.topic)
			}
			if data, ok := got.Parts[1].Content.(a2a.Data); !ok || !strings.Contains(string(data), `"`+test.data+`"`) {
				t.Errorf("got data %s, want the use case %q in it", data, test.data)
			}
		})
	}
}

// TestTheUseCaseThatIsForcedIsInTheWordsToo calls the tool of a skill whose arguments an
// agent gets as data and, for those that read none, as text.
func TestTheUseCaseThatIsForcedIsInTheWordsToo(t *testing.T) {
	form := a2a.SkillForm{Input: json.RawMessage(`{"type":"object","properties":{"table":{"type":"string"},"usecase":{"type":"string"}}}`)}
	r := withSkills(t, map[string]peer{"one": skilled(t, map[string]a2a.SkillForm{"peek": form}, skill("peek"))}, func(b *bridge.Bridge) { b.Directory.ForceUseCase = "law" })
	if got := r.call("peek", `{"table":"t","usecase":"hr"}`).Text; strings.Contains(got, "hr") || strings.Count(got, `"usecase":"law"`) < 2 {
		t.Errorf("the agent was sent %s", got)
	}
}
