package jsonrpc_test

import (
	"bytes"
	"encoding/json"
	"testing"

	"rialto/internal/jsonrpc"
)

// FuzzMembers compares what is found in an object with what encoding/json
// finds.
func FuzzMembers(f *testing.F) {
	for _, s := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a" : [1, {"b":"]},\"{"}] , "c\u0041\"":"x\\" }`, `{"":null,"n":-1.5e3 ,"t":true}`, `{"é":"\ud800"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var want map[string]json.RawMessage
		v := bytes.TrimSpace(b)
		if len(v) == 0 || v[0] != '{' || json.Unmarshal(v, &want) != nil {
			for range jsonrpc.Members(append([]byte("{"), b...)) { // what is not valid must do no harm
			}
			return
		}
		got := map[string]json.RawMessage{}
		for name, value := range jsonrpc.Members(v) {
			got[string(name)] = value
		}
		if len(got) != len(want) {
			t.Fatalf("got %d members of %s, want %d", len(got), v, len(want))
		}
		for name, value := range want {
			if !bytes.Equal(got[name], value) {
				t.Errorf("%s: got %q of %s, want %q", name, got[name], v, value)
			}
		}
	})
}
