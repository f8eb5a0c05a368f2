package wire

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"rialto/a2a"
)

func TestListsSurviveTheTrip(t *testing.T) {
	n := 3
	f := a2a.TaskFilter{ContextID: "c", State: a2a.Working, Since: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
		PageSize: 7, PageToken: "p", HistoryLength: &n, Artifacts: true}
	b, err := v10.EncodeList(f, "acme")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := v10.DecodeList(b); err != nil || !reflect.DeepEqual(got, f) {
		t.Errorf("%s became %+v, %v", b, got, err)
	}
}

func TestListsAreRefused(t *testing.T) {
	for _, in := range []string{`{"pageSize":0}`, `{"pageSize":101}`, `{"historyLength":-1}`, `{"status":"TASK_STATE_BUSY"}`,
		`{"statusTimestampAfter":"yesterday"}`, `{"pageSize":"x"}`, `[]`} {
		if _, err := v10.DecodeList(json.RawMessage(in)); !a2a.Is(err, a2a.InvalidParams) {
			t.Errorf("%s: got %v", in, err)
		}
	}
	if f, err := v10.DecodeList(nil); err != nil || f != (a2a.TaskFilter{}) {
		t.Errorf("got %+v, %v for no parameters", f, err)
	}
}

func FuzzDecodePage(f *testing.F) {
	f.Add([]byte(`{"tasks":[{"id":"t","status":{"state":"TASK_STATE_WORKING"}}],"nextPageToken":"","pageSize":50,"totalSize":1}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := v10.DecodePage(b)
		if err != nil {
			return
		}
		if _, err := v10.EncodePage(p); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzDecodeList(f *testing.F) {
	f.Add([]byte(`{"contextId":"c","status":"TASK_STATE_WORKING","pageSize":5,"statusTimestampAfter":"2026-01-02T03:04:05Z"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		filter, err := v10.DecodeList(b)
		if err == nil {
			_, err = v10.EncodeList(filter, "")
		}
		if e, ok := err.(*a2a.Error); err != nil && (!ok || e.Code == "") {
			t.Fatalf("%s: got %#v", b, err)
		}
	})
}
