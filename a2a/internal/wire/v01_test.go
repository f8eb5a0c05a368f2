package wire

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"rialto/a2a"
	"rialto/internal/jsonrpc"
	"rialto/internal/transcript"
)

// TestSamplesOfTheFirstGeneration reads each sample of the specification of
// 0.1. The sections of a transcript are the sample and what it says.
func TestSamplesOfTheFirstGeneration(t *testing.T) {
	transcript.Run(t, "testdata/0.1/*.txtar", func(_ *testing.T, archive *txtar.Archive) (got []txtar.File) {
		op := Op(0)
		for _, f := range archive.Files {
			if f.Name != "says" && f.Name != "error" {
				says, next, err := sample(f, op)
				op, got = next, append(got, f, section("says", says, err))
			}
		}
		return got
	})
}

// sample reads a sample. The operation is that of the request which it is, or
// which it answers.
func sample(f txtar.File, op Op) (any, Op, error) {
	var says any
	var err error
	switch f.Name {
	case "card":
		says, err = DecodeCard(f.Data)
	case "request":
		says, op, err = sampleRequest(f.Data)
	case "response":
		says, err = sampleResponse(f.Data, op)
	default:
		says, err = sampleStream(f.Data)
	}
	return says, op, err
}

func sampleRequest(b []byte) (says any, op Op, err error) {
	var in struct {
		Method string
		Params json.RawMessage
	}
	if err := json.Unmarshal(b, &in); err != nil {
		return nil, 0, err
	}
	d, op, err := Route("0.1", in.Method)
	switch {
	case err != nil:
	case op == Send || op == Stream:
		says, err = d.DecodeSend(in.Params)
	case op == PushSet:
		says, err = d.DecodePush(in.Params, PushID{})
	case op == PushGet:
		says, err = d.DecodePushID(op, in.Params, PushID{})
	default:
		says, err = d.DecodeQuery(in.Params)
	}
	return says, op, err
}

func sampleResponse(b []byte, op Op) (any, error) {
	answer, err := jsonrpc.DecodeResponse(b)
	if err != nil {
		return nil, err
	}
	if op.Push() {
		return v01.DecodePush(answer.Result, PushID{})
	}
	return v01.DecodeTask(answer.Result)
}

// TestEverySampleHasATranscript lists what the specification of 0.1 shows, on its
// page of samples and in its text.
func TestEverySampleHasATranscript(t *testing.T) {
	const turn = "request response "
	samples := map[string]string{
		"sample-agent-card": "card ", "send-a-task": turn, "get-a-task": turn, "cancel-a-task": turn,
		"set-task-push-notifications": turn, "get-task-push-notifications": turn,
		"multi-turn-conversations": turn + turn, "streaming-support": "request stream ", "resubscribe-to-task": "request stream ",
		"non-textual-media": turn + turn, "structured-output": turn,
	}
	for name, want := range samples {
		for _, where := range []string{"page-", "text-"} {
			archive, err := txtar.ParseFile("testdata/0.1/" + where + name + ".txtar")
			if err != nil {
				t.Error(err)
				continue
			}
			shown := ""
			for _, f := range archive.Files {
				if f.Name != "says" && f.Name != "error" {
					shown += f.Name + " "
				}
			}
			if shown != want {
				t.Errorf("%s%s: got transcripts of %s, want %s", where, name, shown, want)
			}
		}
	}
}

// sampleStream reads events that show their data over many lines, which only
// the first of them says.
func sampleStream(b []byte) (any, error) {
	type said struct {
		Kind  string
		Final bool
		Event a2a.Event
	}
	var all []said
	for data := range strings.SplitSeq(strings.TrimPrefix(string(b), "data:"), "\ndata:") {
		answer, err := jsonrpc.DecodeResponse([]byte(data))
		if err != nil {
			return nil, err
		}
		item, err := v01.DecodeEvent(answer.Result)
		if err != nil {
			return nil, err
		}
		all = append(all, said{fmt.Sprintf("%T", item.Event), item.Final, item.Event})
	}
	return all, nil
}

func TestTheFirstGenerationHasFewerKindsOfThings(t *testing.T) {
	for name, c := range map[string]struct {
		event a2a.Event
		want  string
	}{
		"a message without a task is a task that is completed": {
			&a2a.Message{TaskID: "t", ContextID: "c", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("x")}},
			`{"id":"t","sessionId":"c","status":{"state":"completed","message":{"role":"agent","parts":[{"type":"text","text":"x"}]}}}`},
		"an artifact is numbered by its place": {
			&a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Working}, Artifacts: []a2a.Artifact{{ID: "a"}, {ID: "b", Name: "n"}}},
			`{"id":"t","status":{"state":"working"},"artifacts":[{"parts":[],"index":0},{"name":"n","parts":[],"index":1}]}`},
		"a chunk says so within its artifact": {
			&a2a.ArtifactUpdate{TaskID: "t", Artifact: a2a.Artifact{ID: NumberedArtifact(3)}, Append: true, LastChunk: true},
			`{"id":"t","artifact":{"parts":[],"index":3,"append":true,"lastChunk":true}}`},
		"a question ends the stream": {
			&a2a.StatusUpdate{TaskID: "t", Status: a2a.Status{State: a2a.AuthRequired}},
			`{"id":"t","status":{"state":"input-required"},"final":true}`},
		"data that is no object is wrapped in one": {
			&a2a.ArtifactUpdate{TaskID: "t", Artifact: a2a.Artifact{Parts: []a2a.Part{{Content: a2a.Data("[1]")}}}},
			`{"id":"t","artifact":{"parts":[{"type":"data","data":{"value":[1]},"metadata":{"data_part_compat":true}}],"index":0}}`},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := v01.EncodeEvent(c.event); err != nil || string(got) != c.want {
				t.Errorf("got %s, %v, want %s", got, err, c.want)
			}
		})
	}
}

func TestChunksOfTheFirstGeneration(t *testing.T) {
	item, err := v01.DecodeEvent(json.RawMessage(`{"id":"t","artifact":{"name":"n","index":2,"append":true,"lastChunk":true,"parts":[]}}`))
	u, ok := item.Event.(*a2a.ArtifactUpdate)
	if err != nil || !ok || !u.Append || !u.LastChunk || u.Artifact.ID != NumberedArtifact(2) || u.Artifact.Name != "n" {
		t.Errorf("got %+v, %v", item.Event, err)
	}
}

func TestNumbersOfTheFirstGeneration(t *testing.T) {
	for number, want := range map[int]a2a.Code{-32006: a2a.StreamingNotSupported, -32007: a2a.Unauthenticated, -32008: a2a.Forbidden,
		-32009: a2a.InvalidTaskState, -32010: a2a.RateLimited, -32011: a2a.Unavailable, -32050: a2a.Internal} {
		if got := v01.DecodeError(&jsonrpc.Error{Code: number}).Code; got != want {
			t.Errorf("%d: got %s, want %s", number, got, want)
		}
	}
	wrapped := `{"id":3,"error":{"code":-32601,"message":"Method not found"}}`
	if got := v01.DecodeError(&jsonrpc.Error{Code: -32603, Data: json.RawMessage(wrapped)}); got.Code != a2a.MethodNotFound {
		t.Errorf("got %s for an error within an error", got.Code)
	}
}

func FuzzDecodeSendOfTheFirstGeneration(f *testing.F) {
	f.Add([]byte(`{"id":"t","sessionId":"s","message":{"role":"user","parts":[{"type":"text","text":"x"}]},"historyLength":3}`))
	f.Add([]byte(`{"id":"t","message":{"parts":[{"text":"x"},{"type":"file","file":{"data":"eA=="}}]},"pushNotification":{}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		req, err := v01.DecodeSend(b)
		if err != nil {
			if e, ok := err.(*a2a.Error); !ok || e.Code == "" {
				t.Fatalf("%s: got %#v", b, err)
			}
			return
		}
		out, err := v01.EncodeSend(req, Envelope{})
		if err != nil {
			t.Fatal(err)
		}
		again, err := v01.DecodeSend(out)
		if err != nil || again.Message.TaskID != req.Message.TaskID {
			t.Fatalf("%s, which is %s, became %+v, %v", out, b, again, err)
		}
	})
}

func FuzzDecodeEvent(f *testing.F) {
	f.Add([]byte(`{"id":1,"artifact":{"parts":[{"type":"text","text":"x"}],"index":0,"append":true}}`))
	f.Add([]byte(`{"id":"t","status":{"state":"working"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		item, err := v01.DecodeEvent(b)
		if err != nil {
			return
		}
		out, err := v01.EncodeEvent(item.Event)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = v01.DecodeEvent(out)
	})
}
