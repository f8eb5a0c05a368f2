package jsonrpc_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"rialto/internal/jsonrpc"
)

func TestDecodeKeepsWhatTheCallerWrote(t *testing.T) {
	for name, c := range map[string]struct {
		in     string
		id     jsonrpc.ID
		method string
		params string
	}{
		"a number keeps its spelling":      {`{"jsonrpc":"2.0","id":1.0,"method":"a"}`, "1.0", "a", ""},
		"a large number is not rounded":    {`{"jsonrpc":"2.0","id":9007199254740993,"method":"a"}`, "9007199254740993", "a", ""},
		"a string keeps its quotes":        {`{"jsonrpc":"2.0","id":"1","method":"a"}`, `"1"`, "a", ""},
		"no id is a notification":          {`{"jsonrpc":"2.0","method":"a","params":{"b": 1}}`, "", "a", `{"b": 1}`},
		"null params are no params":        {`{"jsonrpc":"2.0","id":0,"method":"a","params":null}`, "0", "a", ""},
		"an array of params is allowed":    {`{"jsonrpc":"2.0","id":0,"method":"a","params":[1]}`, "0", "a", "[1]"},
		"unknown members are ignored":      {`{"jsonrpc":"2.0","id":0,"method":"a","x":{}}`, "0", "a", ""},
		"space around it does not matter":  {"\r\n {\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"a\"}\n", "0", "a", ""},
		"an unpaired surrogate is let by":  {`{"jsonrpc":"2.0","id":0,"method":"a","params":{"b":"\ud800"}}`, "0", "a", `{"b":"\ud800"}`},
		"brackets in strings do not count": {`{"jsonrpc":"2.0","id":0,"method":"a","params":["` + strings.Repeat("[", 500) + `"]}`, "0", "a", `["` + strings.Repeat("[", 500) + `"]`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := jsonrpc.DecodeRequest([]byte(c.in))
			if err != nil {
				t.Fatal(err)
			}
			if r.ID != c.id || r.Method != c.method || string(r.Params) != c.params {
				t.Errorf("got %q %q %q, want %q %q %q", r.ID, r.Method, r.Params, c.id, c.method, c.params)
			}
			if r.IsNotification() != (c.id == "") {
				t.Errorf("got notification %v for id %q", r.IsNotification(), c.id)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		in   string
		code int
		id   jsonrpc.ID // "" when it cannot be known
	}{
		"nothing":                     {"", jsonrpc.CodeParse, ""},
		"half a message":              {`{"jsonrpc":"2.0"`, jsonrpc.CodeParse, ""},
		"two messages":                {`{"jsonrpc":"2.0","id":1,"method":"a"}{}`, jsonrpc.CodeParse, ""},
		"a batch":                     {` [{"jsonrpc":"2.0","id":1,"method":"a"}]`, jsonrpc.CodeInvalidRequest, ""},
		"a scalar":                    {`7`, jsonrpc.CodeInvalidRequest, ""},
		"another version":             {`{"jsonrpc":"1.0","id":1,"method":"a"}`, jsonrpc.CodeInvalidRequest, "1"},
		"no version":                  {`{"id":1,"method":"a"}`, jsonrpc.CodeInvalidRequest, "1"},
		"no method":                   {`{"jsonrpc":"2.0","id":1}`, jsonrpc.CodeInvalidRequest, "1"},
		"an empty method":             {`{"jsonrpc":"2.0","id":1,"method":""}`, jsonrpc.CodeInvalidRequest, "1"},
		"a method in another case":    {`{"jsonrpc":"2.0","id":1,"Method":"a"}`, jsonrpc.CodeInvalidRequest, "1"},
		"a null id":                   {`{"jsonrpc":"2.0","id":null,"method":"a"}`, jsonrpc.CodeInvalidRequest, "null"},
		"an object as id":             {`{"jsonrpc":"2.0","id":{},"method":"a"}`, jsonrpc.CodeInvalidRequest, ""},
		"true as id":                  {`{"jsonrpc":"2.0","id":true,"method":"a"}`, jsonrpc.CodeInvalidRequest, ""},
		"a string as params":          {`{"jsonrpc":"2.0","id":1,"method":"a","params":"b"}`, jsonrpc.CodeInvalidRequest, "1"},
		"a name twice":                {`{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}`, jsonrpc.CodeInvalidRequest, ""},
		"a name twice far inside":     {`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":{"y":1,"y":2}}}`, jsonrpc.CodeInvalidRequest, ""},
		"what nests too deep":         {`{"jsonrpc":"2.0","id":1,"method":"a","params":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, jsonrpc.CodeInvalidRequest, ""},
		"a million brackets":          {strings.Repeat(`{"a":`, 1_000_000), jsonrpc.CodeInvalidRequest, ""},
		"a response where none is ok": {`{"jsonrpc":"2.0","id":4,"result":{}}`, jsonrpc.CodeInvalidRequest, "4"},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := jsonrpc.DecodeRequest([]byte(c.in))
			var e *jsonrpc.Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if e.Code != c.code {
				t.Errorf("got code %d (%s), want %d", e.Code, e.Message, c.code)
			}
			var id jsonrpc.ID
			if r != nil {
				id = r.ID
			}
			if id != c.id {
				t.Errorf("got id %q, want %q", id, c.id)
			}
		})
	}
}

func TestDecodeTellsResponsesFromRequests(t *testing.T) {
	_, resp, err := jsonrpc.Decode([]byte(`{"jsonrpc":"2.0","id":"e1","error":{"code":-1,"message":"no","data":[1]}}`))
	if err != nil || resp == nil {
		t.Fatalf("got %v, %v, want a response", resp, err)
	}
	if resp.ID != `"e1"` || resp.Error.Code != -1 || string(resp.Error.Data) != "[1]" {
		t.Errorf("got %+v %+v", resp, resp.Error)
	}
}

func TestDecodeResponseForgives(t *testing.T) {
	r, err := jsonrpc.DecodeResponse([]byte(`{"id":1,"result":{"a":1,"a":2}}`))
	if err != nil || string(r.Result) != `{"a":1,"a":2}` {
		t.Errorf("got %+v, %v", r, err)
	}
	if r, err = jsonrpc.DecodeResponse([]byte(`{"jsonrpc":"2.0","id":1,"result":null}`)); err != nil || string(r.Result) != "null" {
		t.Errorf("got %+v, %v, want the result null", r, err)
	}
	if r, err = jsonrpc.DecodeResponse([]byte(`{"jsonrpc":null,"method":null,"id":1,"error":null,"result":[]}`)); err != nil || string(r.Result) != "[]" || r.Error != nil {
		t.Errorf("got %+v, %v, want what is null to be absent", r, err)
	}
	if _, err = jsonrpc.DecodeResponse([]byte(`{"jsonrpc":"2.0","id":1}`)); err == nil {
		t.Error("got no error for a response that says nothing")
	}
}

func TestAppendWritesOneLine(t *testing.T) {
	for want, m := range map[string]interface{ Append([]byte) []byte }{
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{}}`: &jsonrpc.Request{ID: jsonrpc.IntID(1), Method: "a", Params: json.RawMessage("{}")},
		`{"jsonrpc":"2.0","method":"a\"b"}`:                 &jsonrpc.Request{Method: `a"b`},
		`{"jsonrpc":"2.0","id":"x","result":{}}`:            &jsonrpc.Response{ID: jsonrpc.StringID("x"), Result: json.RawMessage("{}")},
		`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"n\no","data":1}}`: &jsonrpc.Response{
			Error: &jsonrpc.Error{Code: -32700, Message: "n\no", Data: json.RawMessage("1")}},
		`{"jsonrpc":"2.0","id":2,"result":null}`: &jsonrpc.Response{ID: "2"},
	} {
		if got := string(m.Append(nil)); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if got, err := json.Marshal(m); err != nil || string(got) != want {
			t.Errorf("json.Marshal: got %s, %v, want %s", got, err, want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"a","params":{"b":[1,"\ud800"]}}`,
		`{"jsonrpc":"2.0","id":"x","result":{}}`, `[]`, `{"id":{}}`, ``, `{"jsonrpc":"2.0","method":"a"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		req, resp, err := jsonrpc.Decode(b)
		if err != nil {
			if e := new(jsonrpc.Error); !errors.As(err, &e) || resp != nil {
				t.Fatalf("got %v, %v, want only an *Error", resp, err)
			}
			return
		}
		if (req == nil) == (resp == nil) {
			t.Fatalf("got %v and %v, want one of them", req, resp)
		}
		if req == nil {
			return
		}
		again, err := jsonrpc.DecodeRequest(req.Append(nil))
		if err != nil || again.ID != req.ID || again.Method != req.Method || string(again.Params) != string(req.Params) {
			t.Fatalf("%q became %+v, which became %+v (%v)", b, req, again, err)
		}
	})
}

func TestAppendStringRepairsWhatIsNotUTF8(t *testing.T) {
	if got, want := string(jsonrpc.AppendString(nil, "a\xffb\"\n<é")), `"a`+"\ufffd"+`b\"\n<é"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
