package wire

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"rialto/a2a"
	"rialto/internal/raced"
)

// full is as much as our client reads of one answer.
const full = 16 << 20

// inTask returns a task of 1.0 with a member that is full of the same.
func inTask(before, one, after string) []byte {
	const head, tail = `{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"},`, `}}`
	many := strings.Repeat(one+",", full/(len(one)+1))
	return []byte(head + before + strings.TrimSuffix(many, ",") + after + tail)
}

// TestWhatIsDecodedHasBounds: five million empty parts are sixteen megabytes, and
// were more than a gigabyte.
func TestWhatIsDecodedHasBounds(t *testing.T) {
	raced.Skip(t)
	for name, answer := range map[string][]byte{
		"parts":                   inTask(`"artifacts":[{"artifactId":"a","parts":[`, `{}`, `]}]`),
		"texts":                   inTask(`"artifacts":[{"artifactId":"a","parts":[`, `{"text":""}`, `]}]`),
		"artifacts":               inTask(`"artifacts":[`, `{}`, `]`),
		"messages":                inTask(`"history":[`, `{}`, `]`),
		"names of extensions":     inTask(`"history":[{"messageId":"m","parts":[],"extensions":[`, `""`, `]}]`),
		"lists in metadata":       inTask(`"metadata":{"a":[`, `[]`, `]}`),
		"numbers in metadata":     inTask(`"metadata":{"a":[`, `1`, `]}`),
		"data in metadata":        inTask(`"metadata":{"data":[`, `{}`, `]}`),
		"metadata of other words": inTask(`"METADATA":{"data":[`, `{}`, `]}`),
		"metadata that is hidden": inTask(`"met\u0061data":{"data":[`, `{}`, `]}`),
		"what nobody knows":       inTask(`"later":[`, `{}`, `]`),
		"metadata after data":     inTask(`"artifacts":[{"artifactId":"a","parts":[{"data":{},"metadata":{"data":[`, `{}`, `]}}]}]`),
	} {
		for _, d := range []*Dialect{&v10, &v01} { // which all are read by one decoder
			refusesMany(t, name+" in "+string(d.Generation), d, answer)
		}
		if _, err := v10.DecodeSend(answer[len(`{"task":`):]); err == nil {
			t.Errorf("%s: taken from a caller", name)
		}
	}
	for name, b := range map[string][]byte{
		"parts":           protoOf([]protowire.Number{1, 5}, 5, ""),
		"texts":           protoOf([]protowire.Number{1, 5, 5}, 1, ""),
		"artifacts":       protoOf([]protowire.Number{1}, 4, ""),
		"messages":        protoOf([]protowire.Number{1}, 5, ""),
		"lists":           protoOf([]protowire.Number{1, 6, 1, 2, 6}, 1, "\x32\x00"),
		"nulls":           protoOf([]protowire.Number{1, 6, 1, 2, 6}, 1, ""),
		"unknown":         protoOf([]protowire.Number{1}, 15, ""),
		"metadata":        protoOf([]protowire.Number{1, 6}, 1, "\x0a\x01x"),
		"texts of a list": protoOf([]protowire.Number{1, 5}, 7, ""),
	} {
		for _, d := range GRPCDialects() {
			refusesMany(t, name+" over gRPC in "+string(d.Generation), d, b)
		}
	}
}

func refusesMany(t *testing.T, name string, d *Dialect, b []byte) {
	took, err := allocates(func() error { _, err := d.DecodeAnswer(b); return err })
	if !errors.Is(err, ErrTooMany) || took > 4*maxCost>>20 {
		t.Errorf("%s: %v, and it took %d MiB", name, err, took)
	}
}

// allocates returns how many MiB do takes.
func allocates(do func() error) (mib uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = do()
	runtime.ReadMemStats(&after)
	return (after.TotalAlloc - before.TotalAlloc) >> 20, err
}

// protoOf returns a message of protocol buffers that lies in others by their
// numbers, and is full of one field.
func protoOf(path []protowire.Number, num protowire.Number, value string) []byte {
	one := protoOf1(num, value)
	b := []byte(strings.Repeat(string(one), full/len(one)))
	for i := len(path) - 1; i >= 0; i-- {
		b = protowire.AppendBytes(protowire.AppendTag(nil, path[i], protowire.BytesType), b)
	}
	return b
}

// TestDataOverGRPCIsBounded fills one part with the worst data there is. It is refused
// before it takes memory.
func TestDataOverGRPCIsBounded(t *testing.T) {
	raced.Skip(t)
	toData := map[a2a.Generation][]protowire.Number{a2a.V10: {4, 3, 4, 4}, a2a.V03: {4, 3, 5, 3, 1, 1, 2}}
	for name, c := range map[string]struct {
		inside []protowire.Number
		num    protowire.Number
		value  string
	}{
		"lists":              {[]protowire.Number{6}, 1, "\x32\x00"},
		"nulls":              {[]protowire.Number{6}, 1, ""},
		"objects":            {[]protowire.Number{6}, 1, "\x2a\x00"},
		"members":            {[]protowire.Number{5}, 1, ""},
		"members of members": {[]protowire.Number{6, 1, 5}, 1, "\x0a\x01x\x12\x02\x2a\x00"},
		"numbers":            {[]protowire.Number{6}, 1, "\x11\x18\x2d\x44\x54\xfb\x21\x09\x40"},
		"values of a value":  {nil, 5, ""},
		"control characters": {nil, 3, strings.Repeat("\x01", full-16)},
	} {
		for _, d := range GRPCDialects() {
			b := protoOf(slices.Concat(toData[d.Generation], c.inside), c.num, c.value)
			refusesMany(t, name, d, b)
		}
	}
}

// TestATableCrossesOverGRPC: 120,000 rows are four megabytes, and no more than data
// in JSON may be.
func TestATableCrossesOverGRPC(t *testing.T) {
	raced.Skip(t)
	const row = `{"id":7,"name":"row"}`
	want := a2a.Data(`{"rows":[` + strings.Repeat(row+",", 119_999) + row + `]}`)
	task := &a2a.Task{ID: "t", Artifacts: []a2a.Artifact{{ID: "a", Parts: []a2a.Part{{Content: want}}}}}
	for _, d := range append(GRPCDialects(), &v10) {
		b, err := d.EncodeTask(task)
		if err != nil {
			t.Fatal(err)
		}
		var got *a2a.Task
		took, err := allocates(func() error { got, err = d.DecodeTask(b); return err })
		if err != nil || took > 300 || string(got.Artifacts[0].Parts[0].Content.(a2a.Data)) != string(want) {
			t.Errorf("%s: %d bytes did not cross: %v, and it took %d MiB", d.Generation, len(b), err, took)
		}
	}
}

// TestDataOverGRPCIsSorted: peers write the members of an object in any order, and a
// name twice, where the last counts.
func TestDataOverGRPCIsSorted(t *testing.T) {
	member := func(name, value string) string {
		return string(protoOf1(1, string(protoOf1(1, name))+string(protoOf1(2, value))))
	}
	text := func(s string) string { return string(protoOf1(3, s)) }
	inner := string(protoOf1(5, member("z", text("\"\n"))+member("y", "\x20\x01")))
	object := member("b", text("old")) + member("c", "\x08\x00") + member("a", inner) + member("b", text("new")) + member("", "\x08\x00") +
		member("n", "\x11\x00\x00\x00\x00\x00\x00\xf8\xbf")
	const want = `{"":null,"a":{"y":true,"z":"\"\n"},"b":"new","c":null,"n":-1.5}`
	data := map[*Dialect]string{
		&v10grpc: string(protoOf1(4, string(protoOf1(5, object)))),
		&v03grpc: string(protoOf1(3, string(protoOf1(1, object)))),
	}
	for d, part := range data {
		m, err := d.DecodeEvent(protoOf1(2, string(written("m", "", "", "", part))))
		if err != nil {
			t.Fatal(err)
		}
		if got := m.Event.(*a2a.Message).Parts[0].Content.(a2a.Data); string(got) != want {
			t.Errorf("%s: got %s, want %s", d.Generation, got, want)
		}
	}
}

func protoOf1(num protowire.Number, value string) []byte {
	return protowire.AppendString(protowire.AppendTag(nil, num, protowire.BytesType), value)
}

// TestWhatIsLargeAndFewFits: the bytes of texts, files and data are not what memory
// runs out by.
func TestWhatIsLargeAndFewFits(t *testing.T) {
	raced.Skip(t)
	for name, answer := range map[string][]byte{
		"a text":         inTask(`"artifacts":[{"artifactId":"a","parts":[{"text":"`, `{[x\"`, `"}]}]`),
		"a file":         inTask(`"artifacts":[{"artifactId":"a","parts":[{"raw":"AAAA"},{"url":"`, `x`, `"}]}]`),
		"data":           inTask(`"artifacts":[{"artifactId":"a","parts":[{"data" : [`, `{}`, `]}]}]`),
		"data, and more": inTask(`"metadata":{"a":1},"artifacts":[{"metadata":null,"artifactId":"a","parts":[{"metadata":{"a":[{}]},"data":{"metadata":[`, `1`, `]}}]}]`),
	} {
		if _, err := v10.DecodeAnswer(answer); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
