package wire

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"rialto/a2a"
	"rialto/internal/jsonrpc"
	"rialto/internal/transcript"
)

// golden runs each transcript of a folder: the section "in" is decoded, and what comes
// of it is the other sections. The comment says what it pins.
func golden(t *testing.T, folder string, run func(in json.RawMessage) []txtar.File) {
	transcript.Run(t, filepath.Join("testdata", folder, "*.txtar"), func(t *testing.T, a *txtar.Archive) []txtar.File {
		return append(a.Files[:1:1], run(a.Files[0].Data)...)
	})
}

func section(name string, v any, err error) txtar.File {
	if err != nil {
		return txtar.File{Name: "error", Data: []byte(err.Error() + "\n")}
	}
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return txtar.File{Name: "error", Data: []byte(err.Error() + "\n")}
	}
	return txtar.File{Name: name, Data: append(b, '\n')}
}

func TestAnswers(t *testing.T) {
	golden(t, "answers", func(in json.RawMessage) []txtar.File {
		item, err := v10.DecodeAnswer(in)
		if err != nil {
			return []txtar.File{section("", nil, err)}
		}
		out := []txtar.File{section(fmt.Sprintf("%T final=%v done=%v", item.Event, item.Final, item.Done()), item.Event, nil)}
		for _, d := range Dialects() {
			b, err := d.EncodeEvent(item.Event)
			out = append(out, section(string(d.Generation), json.RawMessage(b), err))
		}
		return out
	})
}

func TestRequests(t *testing.T) {
	golden(t, "requests", func(in json.RawMessage) []txtar.File {
		req, err := v10.DecodeSend(in)
		if err != nil {
			return []txtar.File{section("", nil, err)}
		}
		out := []txtar.File{section("words", req, nil)}
		for _, d := range Dialects() {
			b, err := d.EncodeSend(req, Envelope{Tenant: "acme", NewTask: "new"})
			out = append(out, section(string(d.Generation), json.RawMessage(b), err))
		}
		return out
	})
}

func TestCards(t *testing.T) {
	golden(t, "cards", func(in json.RawMessage) []txtar.File {
		card, err := DecodeCard(in)
		if err != nil {
			return []txtar.File{section("", nil, err)}
		}
		pure, pureErr := EncodeCard(card)
		hybrid, hybridErr := EncodeHybridCard(card)
		return []txtar.File{section("words", card, nil), section("1.0", pure, pureErr), section("hybrid", hybrid, hybridErr)}
	})
}

func TestEachDialectReadsWhatItWrites(t *testing.T) {
	task := &a2a.Task{ID: "t", ContextID: "c", Metadata: a2a.Metadata{"k": "v"},
		Status:  a2a.Status{State: a2a.Working, Message: &a2a.Message{ID: "m", Role: a2a.RoleAgent, Parts: []a2a.Part{a2a.TextPart("x")}}},
		History: []a2a.Message{{ID: "h", Role: a2a.RoleUser, TaskID: "t", ContextID: "c", Parts: []a2a.Part{{Content: a2a.Data("[1]")}}}},
		Artifacts: []a2a.Artifact{{ID: "a", Name: "n", Description: "d", Extensions: []string{"e"},
			Parts: []a2a.Part{{Content: a2a.Raw{0xfb, 0xff}, Filename: "f", MediaType: "m/x"}, {Content: a2a.URL("u:x")}}}}}
	for _, d := range []*Dialect{&v10, &v03, &v02} {
		for _, e := range []a2a.Event{task, &task.History[0],
			&a2a.StatusUpdate{TaskID: "t", ContextID: "c", Status: task.Status, Metadata: task.Metadata},
			&a2a.ArtifactUpdate{TaskID: "t", ContextID: "c", Artifact: task.Artifacts[0], Append: true, LastChunk: true},
		} {
			b, err := d.EncodeEvent(e)
			if err != nil {
				t.Fatal(err)
			}
			item, err := v10.DecodeAnswer(b)
			if err != nil || !reflect.DeepEqual(item.Event, e) {
				t.Errorf("%s: %s became %+v, %v, want %+v", d.Generation, b, item.Event, err, e)
			}
		}
	}
}

func TestEachDialectWritesEachState(t *testing.T) {
	for _, d := range Dialects() {
		for _, s := range []a2a.State{a2a.Submitted, a2a.Working, a2a.InputRequired, a2a.AuthRequired, a2a.Completed, a2a.Canceled, a2a.Failed, a2a.Rejected, a2a.Unknown} {
			b, err := d.EncodeTask(&a2a.Task{ID: "t", Status: a2a.Status{State: s}})
			if err != nil {
				t.Fatal(err)
			}
			want := s
			if lost, ok := map[a2a.State]a2a.State{a2a.Rejected: a2a.Failed, a2a.AuthRequired: a2a.InputRequired}[s]; ok && d == &v01 {
				want = lost
			}
			if task, err := d.DecodeTask(b); err != nil || task.Status.State != want {
				t.Errorf("%s: %s became %+v, %v, want %s", d.Generation, b, task, err, want)
			}
		}
	}
}

func TestErrorsKeepTheirCodes(t *testing.T) {
	for _, d := range Dialects() {
		for _, row := range numbers {
			if row.code.Broader() == a2a.Unavailable && d.reasons == noReason {
				continue // it has no number of its own
			}
			out := d.EncodeError(a2a.Errorf(row.code, "no"))
			in := d.DecodeError(out)
			if in.Code != row.code || in.Number != row.number && d != &v01 || !in.Remote || in.Message != "no" {
				t.Errorf("%s: %s became %+v", d.Generation, row.code, in)
			}
		}
	}
}

func TestErrorDataIsPassedOnWhereItMayBe(t *testing.T) {
	e := a2a.Errorf(a2a.TaskNotFound, "no")
	e.Data = json.RawMessage(`{"taskId":"t"}`)
	if got := string(v03.EncodeError(e).Data); got != `{"taskId":"t"}` {
		t.Errorf("0.3: got %s", got)
	}
	info := `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]`
	if got := string(v10.EncodeError(e).Data); got != info {
		t.Errorf("1.0: got %s, want an array of typed objects", got)
	}
	e.Data = json.RawMessage(`[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"a":"b"}}]`)
	if got := string(v10.EncodeError(e).Data); got != string(e.Data) {
		t.Errorf("1.0: got %s, want what came", got)
	}
}

// TestErrorDataHasTheShapeOfTheCaller: a2a-go 2.4.0 cannot read an error whose
// data is no array, and a2a-go 0.3.15 none whose data is no object.
func TestErrorDataHasTheShapeOfTheCaller(t *testing.T) {
	const info = `{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org","metadata":{"a":"b"}}`
	const retry = `{"@type":"type.googleapis.com/google.rpc.RetryInfo"}`
	const own = `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND","domain":"a2a-protocol.org"}]`
	for came, want := range map[string]struct{ v03, v10 string }{
		"":                             {"", own},
		info:                           {info, "[" + info + "]"},
		"[" + info + "]":               {info, "[" + info + "]"},
		"[" + retry + "," + info + "]": {info, "[" + info + "," + retry + "]"},
		"[" + retry + "]":              {`{"details":[` + retry + "]}", own},
		`"the task is over"`:           {`{"details":"the task is over"}`, own},
	} {
		e := a2a.Errorf(a2a.TaskNotFound, "no")
		e.Data = json.RawMessage(came)
		if got := string(v03.EncodeError(e).Data); got != want.v03 {
			t.Errorf("%s in 0.3: got %s, want %s", came, got, want.v03)
		}
		if got := string(v10.EncodeError(e).Data); got != want.v10 {
			t.Errorf("%s in 1.0: got %s, want %s", came, got, want.v10)
		}
	}
}

func TestAReasonOfSomebodyElseDecidesNothing(t *testing.T) {
	e := v10.DecodeError(&jsonrpc.Error{Code: -32001, Message: "no",
		Data: json.RawMessage(`[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"QUOTA","domain":"googleapis.com"}]`)})
	if e.Code != a2a.TaskNotFound {
		t.Errorf("got %s", e.Code)
	}
}

func TestMethodUnknown(t *testing.T) {
	remote := func(c a2a.Code) error { return fmt.Errorf("x: %w", &a2a.Error{Code: c, Remote: true}) }
	for _, c := range []struct {
		d    *Dialect
		err  error
		want bool
	}{
		{&v10, remote(a2a.MethodNotFound), true},
		{&v10, remote(a2a.VersionNotSupported), true},
		{&v10, remote(a2a.InvalidRequest), false},
		{&v03, remote(a2a.InvalidRequest), true},
		{&v03, remote(a2a.InvalidParams), false},
		{&v03, remote(a2a.Internal), false},
		{&v03, a2a.Errorf(a2a.MethodNotFound, "we say so"), false},
		{&v03, nil, false},
	} {
		if got := c.d.MethodUnknown(c.err); got != c.want {
			t.Errorf("%s, %v: got %v", c.d.Generation, c.err, got)
		}
	}
}

func TestRoute(t *testing.T) {
	for _, c := range []struct {
		version, method string
		dialect         a2a.Generation
		op              Op
		code            a2a.Code
	}{
		{"1.0", "SendMessage", a2a.V10, Send, ""},
		{"1.0.1", "SubscribeToTask", a2a.V10, Subscribe, ""},
		{"1", "ListTasks", a2a.V10, List, ""},
		{" 0.3 ", "message/stream", a2a.V03, Stream, ""},
		{"0.3.0", "tasks/pushNotificationConfig/delete", a2a.V03, PushDelete, ""},
		{"", "GetTask", a2a.V10, Task, ""},
		{"", "tasks/get", a2a.V03, Task, ""},
		{"", "tasks/send", a2a.V01, Send, ""},
		{"", "tasks/pushNotification/get", a2a.V01, PushGet, ""},
		{"0.1", "tasks/get", a2a.V01, Task, ""},
		{"0.2.5", "message/send", a2a.V02, Send, ""},
		{"0.2", "agent/getAuthenticatedExtendedCard", a2a.V02, 0, a2a.MethodNotFound},
		{"0.3", "tasks/send", a2a.V03, 0, a2a.MethodNotFound},
		{"", "tasks/list", a2a.V03, 0, a2a.MethodNotFound},
		{"1.0", "message/send", a2a.V10, 0, a2a.MethodNotFound},
		{"0.3", "SendMessage", a2a.V03, 0, a2a.MethodNotFound},
		{"2.0", "SendMessage", a2a.V10, 0, a2a.VersionNotSupported},
		{"latest", "message/send", a2a.V10, 0, a2a.VersionNotSupported},
	} {
		d, op, err := Route(c.version, c.method)
		if d.Generation != c.dialect || op != c.op || (err != nil) != (c.code != "") || c.code != "" && !a2a.Is(err, c.code) {
			t.Errorf("%q %q: got %s, %d, %v", c.version, c.method, d.Generation, op, err)
		}
	}
}

func TestGuessesBeginWithTheNearest(t *testing.T) {
	for claim, want := range map[a2a.Generation]string{
		"1.0": "1.0 0.3 0.2 0.1", "0.3": "0.3 1.0 0.2 0.1", "0.2": "0.2 0.3 0.1 1.0", "0.1": "0.1 0.2 0.3 1.0",
		"0.5": "0.3 1.0 0.2 0.1", "1.4": "1.0 0.3 0.2 0.1", "": "1.0 0.3 0.2 0.1"} {
		var got []string
		for _, d := range ByLikelihood(claim) {
			got = append(got, string(d.Generation))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: got %v, want %s", claim, got, want)
		}
	}
}

func TestQueries(t *testing.T) {
	for in, want := range map[string]string{
		`{"id":"t"}`:                    "t",
		`{"id":"t","historyLength":0}`:  "t",
		`{"id":"t","historyLength":-1}`: "historyLength must not be negative",
		`{"id":""}`:                     "id is missing: it names the task",
		`{"id":7}`:                      "id must not be a JSON number",
		`{"name":"tasks/t"}`:            "id is missing: it names the task",
		`["t"]`:                         "params must be an object",
		``:                              "params must be an object",
	} {
		q, err := v10.DecodeQuery(json.RawMessage(in))
		got := string(q.ID)
		if err != nil {
			got = err.Error()
			if !a2a.Is(err, a2a.InvalidParams) {
				t.Errorf("%s: got %#v", in, err)
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func FuzzDecodeItem(f *testing.F) {
	seed(f, "answers")
	f.Fuzz(func(t *testing.T, b []byte) {
		item, err := v10.DecodeAnswer(b)
		if err != nil {
			return
		}
		for _, d := range Dialects() {
			out, err := d.EncodeEvent(item.Event)
			if err != nil {
				t.Fatalf("%s cannot be written in %s: %v", b, d.Generation, err)
			}
			if d == &v01 {
				continue // it has fewer kinds of things; see TestTheFirstGeneration
			}
			if again, err := v10.DecodeAnswer(out); err != nil || reflect.TypeOf(again.Event) != reflect.TypeOf(item.Event) {
				t.Fatalf("%s, which is %s, cannot be read in %s: %v", out, b, d.Generation, err)
			}
		}
	})
}

func FuzzDecodeSend(f *testing.F) {
	seed(f, "requests")
	f.Fuzz(func(t *testing.T, b []byte) {
		req, err := v10.DecodeSend(b)
		if err != nil {
			if e, ok := err.(*a2a.Error); !ok || e.Code == "" {
				t.Fatalf("%s: got %#v", b, err)
			}
			return
		}
		for _, d := range Dialects() {
			out, err := d.EncodeSend(req, Envelope{NewTask: "new"})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := d.DecodeSend(out); err != nil {
				t.Fatalf("%s, which is %s, is refused: %v", out, b, err)
			}
		}
	})
}

func FuzzDecodeCard(f *testing.F) {
	seed(f, "cards")
	f.Fuzz(func(t *testing.T, b []byte) {
		card, err := DecodeCard(b)
		if err != nil {
			return
		}
		out, err := EncodeHybridCard(card)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := DecodeCard(out); err != nil {
			t.Fatalf("%s, which is %s, is refused: %v", out, b, err)
		}
	})
}

func FuzzDecodeError(f *testing.F) {
	f.Add(-32001, `[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND"}]`)
	f.Add(-32603, `{"error":{"code":-32601,"message":"x"}}`)
	f.Fuzz(func(t *testing.T, number int, data string) {
		for _, d := range Dialects() {
			if e := d.DecodeError(&jsonrpc.Error{Code: number, Data: json.RawMessage(data)}); e.Code == "" || !e.Remote {
				t.Fatalf("got %+v", e)
			}
		}
	})
}

func seed(f *testing.F, folder string) {
	files, _ := filepath.Glob(filepath.Join("testdata", folder, "*.txtar"))
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(archive.Files[0].Data)
	}
}
