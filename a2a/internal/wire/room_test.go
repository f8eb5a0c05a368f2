package wire

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
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
		"metadata":        protoOf([]protowire.Number{1, 6, 1}, 1, "x"),
		"texts of a list": protoOf([]protowire.Number{1, 5}, 7, ""),
	} {
		for _, d := range GRPCDialects() {
			refusesMany(t, name+" over gRPC in "+string(d.Generation), d, b)
		}
	}
}

func refusesMany(t *testing.T, name string, d *Dialect, b []byte) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := d.DecodeAnswer(b)
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; !errors.Is(err, ErrTooMany) || took > 4*maxRoom>>20 {
		t.Errorf("%s: %v, and it took %d MiB", name, err, took)
	}
}

// protoOf returns a message of protocol buffers that lies in others by their
// numbers, and is full of one field.
func protoOf(path []protowire.Number, num protowire.Number, value string) []byte {
	one := protowire.AppendString(protowire.AppendTag(nil, num, protowire.BytesType), value)
	b := []byte(strings.Repeat(string(one), full/len(one)))
	for i := len(path) - 1; i >= 0; i-- {
		b = protowire.AppendBytes(protowire.AppendTag(nil, path[i], protowire.BytesType), b)
	}
	return b
}

// TestWhatIsLargeAndFewFits: the bytes of texts, files and data are not what memory
// runs out by.
func TestWhatIsLargeAndFewFits(t *testing.T) {
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
