package wire

import (
	"testing"

	fast "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// FuzzData: data becomes the JSON of what is read where metadata is, and nothing
// that readers may not agree upon.
func FuzzData(f *testing.F) {
	member := func(name, value string) string {
		return string(protoOf1(1, string(protoOf1(1, name))+string(protoOf1(2, value))))
	}
	inner := protoOf1(5, member("z", string(protoOf1(3, "\"\n\u2028")))+member("y", "\x20\x01")+member("z", ""))
	list := protoOf1(6, string(protoOf1(1, string(inner)))+string(protoOf1(1, "\x11\x00\x00\x00\x00\x00\x00\xf8\xbf")))
	f.Add([]byte(inner))
	f.Add([]byte(list))
	f.Add([]byte("\x08\x00\x11\xff\xff\xff\xff\xff\xff\xef\x7f"))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := fields{bytes: b}
		got := in.data()
		if in.err == nil && !jsontext.Value(got).IsValid() {
			t.Fatalf("%q became %s", b, got)
		}
		v, err := readValue(fields{left: b}, maxDepth)
		if err != nil {
			return
		}
		want, err := fast.Marshal(v, fast.Deterministic(true))
		if err != nil || in.err != nil || string(got) != string(want) {
			t.Fatalf("%q became %s, %v, want %s, %v", b, got, in.err, want, err)
		}
	})
}
