package wire

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"rialto/a2a"
)

// written returns a message whose fields, numbered from 1, are texts.
func written(texts ...string) []byte {
	var b []byte
	for i, s := range texts {
		b = protowire.AppendString(protowire.AppendTag(b, protowire.Number(i+1), protowire.BytesType), s)
	}
	return b
}

// TestResourceNames reads the names that stand for tasks and configs in 0.3 over
// gRPC.
func TestResourceNames(t *testing.T) {
	for name, want := range map[string]PushID{"tasks/t/pushNotificationConfigs/c": {"t", "c"}, "tasks/t": {"t", ""}} {
		if got, err := v03grpc.DecodePushID(PushGet, written(name), PushID{}); err != nil || got != want {
			t.Errorf("%s: got %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, set := range [][]byte{
		written("tasks/t", "c", string(written("", string(written("", "https://hook.example"))))),
		written("tasks/t", "", string(written("", string(written("c", "https://hook.example"))))),
		written("tasks/t", "", string(written("tasks/t/pushNotificationConfigs/c", string(written("", "https://hook.example"))))),
	} {
		got, err := v03grpc.DecodePushSet(set, PushID{})
		if err != nil || got.TaskID != "t" || got.ID != "c" || got.URL != "https://hook.example" {
			t.Errorf("%q: got %+v, %v", set, got, err)
		}
	}
	if q, err := v03grpc.DecodeQuery(written("tasks/t")); err != nil || q.ID != "t" {
		t.Errorf("got %+v, %v, want the task t", q, err)
	}
	if _, op, ok := GRPCRoute("/a2a/x/a2a.v1.A2AService/TaskSubscription"); !ok || op != Subscribe {
		t.Errorf("got %v, %v, want a subscription", op, ok)
	}
	if _, _, ok := GRPCRoute("/other.a2a.v1.A2AService/GetTask"); ok {
		t.Error("the service of another was taken for ours")
	}
}

func TestTenantOfACallOverGRPC(t *testing.T) {
	for path, want := range map[string]string{
		"/lf.a2a.v1.A2AService/GetTask":                         "first",
		"/lf.a2a.v1.A2AService/ListTaskPushNotificationConfigs": "fourth",
		"/a2a.v1.A2AService/GetTask":                            "",
		"/lf.a2a.v1.A2AService/Nothing":                         "",
	} {
		if got := GRPCTenant(path, written("first", "second", "third", "fourth")); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}

// TestWhatIsNoMessageIsRefused checks that errors about requests say what to fix, and
// errors about answers what is wrong.
func TestWhatIsNoMessageIsRefused(t *testing.T) {
	message := func(fields ...string) []byte { return written("", string(written(fields...))) }
	for why, params := range map[string][]byte{
		"params: not a valid message of protocol buffers":              []byte("\x12\x7f"),
		"message is missing":                                           nil,
		"message.messageId is missing":                                 message(""),
		"message.parts must hold at least one part":                    message("m"),
		"message is invalid: parts[0]: it holds no text, file or data": message("m", "", "", "", ""),
	} {
		_, err := v10grpc.DecodeSend(params)
		if !a2a.Is(err, a2a.InvalidParams) || err.Error() != why {
			t.Errorf("got %v, want %s", err, why)
		}
	}
	for name, params := range map[string][]byte{"not UTF-8": message("\xff"), "too deep": message("m", "", "", "", deepPart())} {
		if _, err := v10grpc.DecodeSend(params); !a2a.Is(err, a2a.InvalidParams) || err.Error() != "params: "+errNotProtobuf.Error() {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := v10grpc.DecodeEvent(nil); err != errNoEvent {
		t.Errorf("got %v, want that it is no event", err)
	}
	if _, err := v10grpc.DecodeTask(nil); err != errNoTaskID {
		t.Errorf("got %v, want that the id is missing", err)
	}
	if _, err := v10grpc.DecodeEvent([]byte("\x22\x00")); err != errNoArtifact {
		t.Errorf("got %v, want that the artifact is missing", err)
	}
}

// deepPart returns a Part whose data is a list in a list, and so on.
func deepPart() string {
	field := func(num protowire.Number, b []byte) []byte {
		return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), b)
	}
	var value []byte
	for range maxDepth + 1 {
		value = field(6, field(1, value))
	}
	return string(field(4, value))
}

// entry returns an entry of a google.protobuf.Struct whose value is a number.
func entry(n float64) []byte {
	value := protowire.AppendFixed64(protowire.AppendTag(nil, 2, protowire.Fixed64Type), math.Float64bits(n))
	return written("k", string(value))
}

// TestANumberThatJSONDoesNotHaveCanBeWrittenDown: JSON has no number for NaN and the
// infinities. A task that has one is refused, or gets text instead.
func TestANumberThatJSONDoesNotHaveCanBeWrittenDown(t *testing.T) {
	for _, n := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		for _, d := range GRPCDialects() {
			b := written("t", "", "", "", "", string(written(string(entry(n)))))
			task, err := d.DecodeTask(b)
			if err == nil {
				_, err = json.Marshal(task)
			} else if d == &v03grpc && err == errNotProtobuf {
				err = nil
			}
			if err != nil {
				t.Errorf("%v in %s: got %v", n, d.Generation, err)
			}
		}
	}
}

// TestArtifactsWithoutIDs has an agent of JSON and one of gRPC tell artifacts that
// have none, few and so many that each cannot be looked for among all others.
func TestArtifactsWithoutIDs(t *testing.T) {
	var texts, frames []byte
	var want []string
	add := func(id, name, becomes string) {
		texts = fmt.Appendf(texts, `,{"artifactId":%q,"name":%q,"parts":[]}`, id, name)
		frames = protowire.AppendBytes(protowire.AppendTag(frames, 4, protowire.BytesType), written(id, name))
		want = append(want, becomes)
	}
	add("", "one", "one")
	add("", "one", NumberedArtifact(1))
	add("two", "", "two")
	add("", "two", NumberedArtifact(3))
	add("", "", NumberedArtifact(4))
	add("two", "", "two") // its agent's own matter
	for i := range 100_000 {
		name := fmt.Sprint("named ", i)
		add("", name, name)
	}
	for name, decode := range map[string]func() (*a2a.Task, error){
		"JSON": func() (*a2a.Task, error) {
			return v10.DecodeTask(fmt.Appendf(nil, `{"id":"t","status":{},"artifacts":[%s]}`, texts[1:]))
		},
		"gRPC": func() (*a2a.Task, error) { return v10grpc.DecodeTask(append(frames, written("t")...)) },
	} {
		task, err := decode()
		if err != nil || len(task.Artifacts) != len(want) {
			t.Fatalf("%s: got %v", name, err)
		}
		for i, a := range task.Artifacts {
			if a.ID != want[i] {
				t.Errorf("%s: artifact %d is %q, want %q", name, i, a.ID, want[i])
			}
		}
	}
}
