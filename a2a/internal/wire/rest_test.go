package wire

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"rialto/a2a"
)

func TestRESTRoute(t *testing.T) {
	for _, c := range []struct {
		method, path string
		op           Op
		id           a2a.TaskID
		v03          bool
	}{
		{"POST", "/message:send", Send, "", false},
		{"POST", "/a2a/acme/message:stream", Stream, "", false},
		{"POST", "/a2a/v1/message:send", Send, "", true},
		{"GET", "/tasks/t-1", Task, "t-1", false},
		{"GET", "/v1/tasks/a%2Fb%3Ac", Task, "a/b:c", true},
		{"POST", "/tasks/t:cancel", Cancel, "t", false},
		{"GET", "/tasks/t:subscribe", Subscribe, "t", false},
		{"POST", "/v1/tasks/t:subscribe", Subscribe, "t", true},
		{"GET", "/tasks", List, "", false},
		{"GET", "/v1/card", ExtendedCard, "", true},
		{"GET", "/extendedAgentCard", ExtendedCard, "", false},
		{"GET", "/agent/authenticatedExtendedCard", ExtendedCard, "", true},
		{"POST", "/tasks/t/pushNotificationConfigs", PushSet, "t", false},
		{"GET", "/tasks/t/pushNotificationConfigs", PushList, "t", false},
		{"GET", "/tasks/t/pushNotificationConfigs/c", PushGet, "t", false},
		{"DELETE", "/tasks/t/pushNotificationConfigs/c", PushDelete, "t", false},
	} {
		got, ok := RESTRoute(c.method, c.path)
		if !ok || got.Op != c.op || got.Task != c.id || got.V03 != c.v03 || (got.Push != "") != strings.HasSuffix(c.path, "/c") {
			t.Errorf("%s %s: got %+v, %v", c.method, c.path, got, ok)
		}
	}
	for _, path := range []string{"", "/", "/tasks/", "/tasks/t/x", "/message:sendx", "/tasks/%zz", "/a2a"} {
		if got, ok := RESTRoute(http.MethodGet, path); ok {
			t.Errorf("GET %s: got %+v", path, got)
		}
	}
}

func TestRESTPathsLeadWhereTheyShould(t *testing.T) {
	for _, d := range RESTDialects() {
		for _, op := range []Op{Send, Stream, Task, Cancel, Subscribe, List, ExtendedCard} {
			q := a2a.TaskQuery{}
			if op != Send && op != Stream && op != List && op != ExtendedCard {
				q.ID = "a/b:c d"
			}
			method, path := d.RESTPath(op, q, "")
			got, ok := RESTRoute(method, path)
			if !ok || got.Op != op || got.Task != q.ID || got.V03 != (d.Generation == a2a.V03) {
				t.Errorf("%s: %s %s leads to %+v", d.Generation, method, path, got)
			}
		}
	}
}

func TestRESTErrorsKeepTheirCodes(t *testing.T) {
	for _, d := range RESTDialects() {
		for _, row := range numbers {
			status, body := d.EncodeRESTError(a2a.Errorf(row.code, "no"), 0)
			if e := d.DecodeRESTError(status, body); e == nil || e.Code != row.code || e.Message != "no" || !e.Remote {
				t.Errorf("%s: %s became %+v by %s", d.Generation, row.code, e, body)
			}
		}
	}
}

func TestRESTErrorsOfOthers(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		want   a2a.Code
	}{
		{404, `{"message":"Task not found"}`, a2a.TaskNotFound},
		{400, `{"code":-32001,"message":"Task not found: x"}`, a2a.TaskNotFound},
		{409, `{"error":{"code":409,"status":"ABORTED","message":"it has ended"}}`, a2a.TaskNotCancelable},
		{415, `{"error":{"code":415,"message":"no"}}`, a2a.ContentTypeNotSupported},
		{418, `{"message":"teapot"}`, a2a.Internal},
		{200, `{"error":{"code":404,"message":"in a stream"}}`, a2a.TaskNotFound},
	} {
		if e := v10.DecodeRESTError(c.status, json.RawMessage(c.body)); e == nil || e.Code != c.want {
			t.Errorf("%d %s: got %+v, want %s", c.status, c.body, e, c.want)
		}
	}
	for _, body := range []string{`{"detail":"Not Found"}`, `[]`, `<html>`, `{}`, ``} {
		if e := v10.DecodeRESTError(404, json.RawMessage(body)); e != nil {
			t.Errorf("%s: got %+v", body, e)
		}
	}
}

func FuzzRESTRoute(f *testing.F) {
	f.Add("POST", "/v1/tasks/a%2Fb:cancel")
	f.Add("GET", "/tasks/t/pushNotificationConfigs/c")
	f.Fuzz(func(t *testing.T, method, path string) {
		if c, ok := RESTRoute(method, path); ok && c.Op == 0 {
			t.Fatalf("%s %s leads nowhere", method, path)
		}
	})
}

func FuzzDecodeRESTError(f *testing.F) {
	f.Add(404, []byte(`{"error":{"code":404,"message":"x","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"TASK_NOT_FOUND"}]}}`))
	f.Add(400, []byte(`{"code":-32001,"message":"x"}`))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if e := v03rest.DecodeRESTError(status, body); e != nil && (e.Code == "" || !e.Remote) {
			t.Fatalf("got %+v", e)
		}
	})
}

func FuzzDecodeSendOverREST(f *testing.F) {
	f.Add([]byte(`{"message":{"messageId":"d","role":"ROLE_USER","content":[{"text":"x"},{"data":{"data":{"a":1}}},{"file":{"fileWithBytes":"AAE="}}]}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		req, err := v03rest.DecodeSend(b)
		if err != nil {
			if e, ok := err.(*a2a.Error); !ok || e.Code == "" {
				t.Fatalf("%s: got %#v", b, err)
			}
			return
		}
		out, err := v03rest.EncodeSend(req, Envelope{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := v03rest.DecodeSend(out); err != nil {
			t.Fatalf("%s, which is %s, is refused: %v", out, b, err)
		}
	})
}
