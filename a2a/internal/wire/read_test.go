package wire

import (
	"encoding/json"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// TestCommonAnswersAreReadInOnePass: a scan that turned everything down would be
// noticed by nobody else.
func TestCommonAnswersAreReadInOnePass(t *testing.T) {
	for name, answer := range answers {
		var o object
		s := scan{left: []byte(answer)}
		if o.read(&s); !s.good() {
			t.Errorf("%s is not: %s", name, answer)
		}
	}
}

// FuzzScan holds what is read in one pass to what encoding/json reads.
func FuzzScan(f *testing.F) {
	for _, answer := range answers {
		f.Add([]byte(answer))
	}
	files, err := filepath.Glob("testdata/answers/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatal(files, err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		for _, part := range a.Files {
			f.Add(part.Data)
		}
	}
	for _, in := range []string{
		`{"kind":"message","parts":[{"kind":"text","text":"a\"\\\u00e9\ud83d\ude00é\n"},{"file":{"bytes":"AA==","name":"f"}},{"data":{"a":[1,{"b":null}]}},{}]}`,
		` { "task" : { "id" : "t" , "status" : { "state" : "working" } , "history" : [ ] , "metadata" : { "k" : 1 } } } `,
		`{"artifact":{"parts":[],"extensions":["e"]},"append":true,"lastChunk":false,"taskId":"t"}`,
		`{"parts":[{"text":"\ud800"}]}`, `{"parts":[{"data":}]}`, `{"id":"t","id":"u"}`, `{"parts":[{"text":"a"}],"parts":[]}`, `{"final":tru}`,
		`{"metadata":nul,"parts":[]}`, `{"metadata":[1,2],"parts":[]}`, `{"parts":[{"url":"u"},]}`, `{"parts":[]}x`, `{,"parts":[]}`, `{"parts":[{"kind":1,"text":"x"}]}`,
	} {
		f.Add([]byte(in))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var got, want object
		s := scan{left: b}
		if got.read(&s); !s.good() {
			return
		}
		if err := json.Unmarshal(b, &want); err != nil {
			t.Fatalf("%q was read, and is %v", b, err)
		}
		gotItem, gotErr := got.item()
		wantItem, wantErr := want.item()
		if !reflect.DeepEqual(gotItem, wantItem) || (gotErr == nil) != (wantErr == nil) || gotErr != nil && gotErr.Error() != wantErr.Error() {
			t.Fatalf("%q\ngot  %#v, %v\nwant %#v, %v", b, gotItem.Event, gotErr, wantItem.Event, wantErr)
		}
	})
}
