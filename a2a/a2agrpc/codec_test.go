package a2agrpc_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	v03 "github.com/a2aproject/a2a-go/a2apb"
	v10 "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/raced"
)

// generation is one over gRPC, with what others know of it: the generated types,
// and the JSON that they stand for.
type generation struct {
	proto, json *wire.Dialect
	event       func() proto.Message // a StreamResponse
	send        func() proto.Message // a SendMessageRequest
}

func generations() []generation {
	over := wire.GRPCDialects()
	return []generation{
		{over[0], wire.RESTDialects()[0], func() proto.Message { return &v10.StreamResponse{} }, func() proto.Message { return &v10.SendMessageRequest{} }},
		{over[1], wire.RESTDialects()[1], func() proto.Message { return &v03.StreamResponse{} }, func() proto.Message { return &v03.SendMessageRequest{} }},
	}
}

// asJSON returns what message, which m is empty for, is in JSON by the generated
// types.
func asJSON(message []byte, m proto.Message) ([]byte, error) {
	if err := proto.Unmarshal(message, m); err != nil {
		return nil, err
	}
	return protojson.Marshal(m)
}

// random makes words up.
type random struct{ *rand.Rand }

func (r random) text() string {
	return []string{"", "a", "é ☃ 𝄞", "\"<\\>\n", strings.Repeat("long ", 60)}[r.IntN(5)]
}

func (r random) value(depth int) any {
	switch n := r.IntN(7); {
	case n == 0:
		return nil
	case n == 1:
		return r.Float64() * 1e9
	case n == 2:
		return float64(r.IntN(100))
	case n == 3:
		return r.IntN(2) == 0
	case n == 4 && depth > 0:
		return []any{r.value(depth - 1), r.value(depth - 1)}
	case n == 5 && depth > 0:
		return map[string]any{"k": r.value(depth - 1), r.text(): r.value(depth - 1)}
	default:
		return r.text()
	}
}

func (r random) metadata() a2a.Metadata {
	if r.IntN(2) == 0 {
		return nil
	}
	return a2a.Metadata{"k": r.value(3), r.text() + "é": r.value(1)}
}

func list[T any](r random, one func() T) (all []T) {
	for range r.IntN(3) {
		all = append(all, one())
	}
	return all
}

// part is one that every generation has a place for.
func (r random) part() a2a.Part {
	switch r.IntN(4) {
	case 0:
		return a2a.Part{Content: a2a.Raw([]byte("\x00\xff" + r.text())), MediaType: r.text()}
	case 1:
		return a2a.Part{Content: a2a.URL("https://example.com/" + r.text()), MediaType: r.text()}
	case 2:
		b, err := json.Marshal(map[string]any{"k": r.value(3)})
		if err != nil {
			panic(err)
		}
		return a2a.Part{Content: a2a.Data(b)}
	default:
		return a2a.Part{Content: a2a.Text(r.text())}
	}
}

func (r random) message() a2a.Message {
	return a2a.Message{ID: "m" + r.text(), ContextID: r.text(), TaskID: a2a.TaskID(r.text()), Role: []a2a.Role{a2a.RoleUser, a2a.RoleAgent}[r.IntN(2)],
		Parts: append(list(r, r.part), r.part()), Metadata: r.metadata(), Extensions: list(r, r.text)}
}

func (r random) artifact() a2a.Artifact {
	return a2a.Artifact{ID: "a" + r.text(), Name: r.text(), Description: r.text(), Parts: list(r, r.part), Metadata: r.metadata(), Extensions: list(r, r.text)}
}

func (r random) status() a2a.Status {
	s := a2a.Status{State: []a2a.State{a2a.Submitted, a2a.Working, a2a.InputRequired, a2a.AuthRequired, a2a.Completed, a2a.Canceled, a2a.Failed,
		a2a.Rejected, a2a.Unknown}[r.IntN(9)]}
	if r.IntN(2) == 0 {
		m := r.message()
		s.Message = &m
	}
	if r.IntN(2) == 0 {
		s.Timestamp = time.UnixMilli(r.Int64N(4e12) - 2e12).UTC()
	}
	return s
}

func (r random) event() a2a.Event {
	switch r.IntN(4) {
	case 0:
		return &a2a.Task{ID: "t" + a2a.TaskID(r.text()), ContextID: r.text(), Status: r.status(), Artifacts: list(r, r.artifact),
			History: list(r, r.message), Metadata: r.metadata()}
	case 1:
		m := r.message()
		return &m
	case 2:
		return &a2a.StatusUpdate{TaskID: a2a.TaskID(r.text()), ContextID: r.text(), Status: r.status(), Metadata: r.metadata()}
	default:
		return &a2a.ArtifactUpdate{TaskID: a2a.TaskID(r.text()), ContextID: r.text(), Artifact: r.artifact(),
			Append: r.IntN(2) == 0, LastChunk: r.IntN(2) == 0, Metadata: r.metadata()}
	}
}

// TestProtobufSaysWhatJSONSays writes the same words as protocol buffers and as
// JSON, and reads both: the words are the same, and the generated types say that
// each is the form of the other.
func TestProtobufSaysWhatJSONSays(t *testing.T) {
	raced.Skip(t)
	r := random{rand.New(rand.NewPCG(5, 10))}
	for _, g := range generations() {
		for range 2000 {
			e := r.event()
			got, want := crossed(t, g.proto, e), crossed(t, g.json, e)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: got\n%s\nwant\n%s", g.proto.Generation, shown(got), shown(want))
			}
			message, err := g.proto.EncodeEvent(e)
			if err != nil {
				t.Fatal(err)
			}
			foreign, err := asJSON(message, g.event())
			if err != nil {
				t.Fatalf("%s: the generated types refuse %x: %v", g.proto.Generation, message, err)
			}
			read, err := g.json.DecodeEvent(foreign)
			if err != nil || !reflect.DeepEqual(plain(read), plain(want)) {
				t.Fatalf("%s: the generated types read %s, %v\nwant %s", g.proto.Generation, foreign, err, shown(want))
			}
		}
	}
}

// crossed encodes e and decodes it again.
func crossed(t *testing.T, d *wire.Dialect, e a2a.Event) wire.Item {
	b, err := d.EncodeEvent(e)
	if err != nil {
		t.Fatal(err)
	}
	i, err := d.DecodeEvent(b)
	if err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return plain(i)
}

// plain returns i with its data as one writes it who has no other wish, and without
// ids that are made of it.
func plain(i wire.Item) wire.Item {
	each := func(parts []a2a.Part) {
		for n, p := range parts {
			if d, ok := p.Content.(a2a.Data); ok {
				var v any
				if err := json.Unmarshal(d, &v); err != nil {
					panic(err)
				}
				b, err := json.Marshal(v)
				if err != nil {
					panic(err)
				}
				parts[n].Content = a2a.Data(b)
			}
		}
	}
	message := func(m *a2a.Message) {
		if m == nil {
			return
		}
		each(m.Parts)
		if strings.HasPrefix(m.ID, "message-") {
			m.ID = "made of its content"
		}
	}
	switch e := i.Event.(type) {
	case *a2a.Message:
		message(e)
	case *a2a.ArtifactUpdate:
		each(e.Artifact.Parts)
	case *a2a.StatusUpdate:
		message(e.Status.Message)
	case *a2a.Task:
		message(e.Status.Message)
		for _, a := range e.Artifacts {
			each(a.Parts)
		}
		for n := range e.History {
			message(&e.History[n])
		}
	}
	return i
}

func shown(v any) string {
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err.Error()
	}
	return string(b)
}

func TestSendsSurviveTheTripAsProtobuf(t *testing.T) {
	raced.Skip(t)
	r := random{rand.New(rand.NewPCG(6, 10))}
	for _, g := range generations() {
		for range 500 {
			m, n := r.message(), r.IntN(4)+1
			in := &a2a.SendRequest{Message: &m, AcceptedOutputModes: list(r, r.text), ReturnImmediately: r.IntN(2) == 0, HistoryLength: &n, Metadata: r.metadata(),
				Push: &a2a.PushConfig{ID: r.text(), URL: "https://hook.example", Token: r.text(), Generation: g.proto.Generation,
					Authentication: &a2a.PushAuthentication{Schemes: []string{"Bearer"}, Credentials: r.text()}}}
			message, err := g.proto.EncodeSend(in, wire.Envelope{})
			if err != nil {
				t.Fatal(err)
			}
			plain(wire.Item{Event: in.Message})
			got, err := g.proto.DecodeSend(message)
			if err != nil || !reflect.DeepEqual(sent(got), sent(in)) {
				t.Fatalf("%s: got %s, %v\nwant %s", g.proto.Generation, shown(got), err, shown(in))
			}
			foreign, err := asJSON(message, g.send())
			if err != nil {
				t.Fatal(err)
			}
			if got, err := g.json.DecodeSend(foreign); err != nil || !reflect.DeepEqual(sent(got), sent(in)) {
				t.Fatalf("%s: the generated types read %s, %v\nwant %s", g.proto.Generation, foreign, err, shown(in))
			}
		}
	}
}

func sent(r *a2a.SendRequest) a2a.SendRequest {
	if r == nil {
		return a2a.SendRequest{}
	}
	plain(wire.Item{Event: r.Message})
	return *r
}

// FuzzProtobufIsReadAsByTheGeneratedTypes reads any bytes without harm, and what
// the generated types read and write again as they do.
func FuzzProtobufIsReadAsByTheGeneratedTypes(f *testing.F) {
	r := random{rand.New(rand.NewPCG(7, 10))}
	for _, g := range generations() {
		for range 20 {
			b, err := g.proto.EncodeEvent(r.event())
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	f.Add([]byte("\x12\x02\x20\x30")) // a message without an id
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, g := range generations() {
			_, _ = g.proto.DecodeEvent(b)
			_, _ = g.proto.DecodeSend(b)
			_, _ = g.proto.DecodePage(b)
			_, _ = g.proto.DecodeList(b)
			_, _ = g.proto.DecodePushSet(b, wire.PushID{})
			_, _ = g.proto.DecodePushes(b, "")
			m := g.event()
			if proto.Unmarshal(b, m) != nil {
				continue
			}
			whole, err := proto.Marshal(m) // without what came in pieces
			if err != nil {
				t.Fatal(err)
			}
			foreign, err := protojson.Marshal(m)
			if err != nil || bytes.Contains(foreign, []byte("{}")) { // what says nothing has several forms
				continue
			}
			want, wantErr := g.json.DecodeEvent(foreign)
			got, gotErr := g.proto.DecodeEvent(whole)
			if (gotErr == nil) != (wantErr == nil) {
				t.Fatalf("%s: got %v, want %v: %s", g.proto.Generation, gotErr, wantErr, foreign)
			}
			if wantErr == nil && !reflect.DeepEqual(plain(got), plain(want)) {
				t.Fatalf("%s: got\n%s\nwant\n%s\nof %s", g.proto.Generation, shown(got), shown(want), foreign)
			}
		}
	})
}
