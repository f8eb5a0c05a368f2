package a2aclient_test

import (
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// TestAConfigIsSetInEitherBodyOf03 has a server refuse the whole request as the
// body over HTTP+JSON, as a2a-js 1.3.0 does in 0.3, and take the config alone.
func TestAConfigIsSetInEitherBodyOf03(t *testing.T) {
	const call = "POST /rest/v1/tasks/t1/pushNotificationConfigs"
	const config = `{"name":"tasks/t1/pushNotificationConfigs/c1","pushNotificationConfig":{"id":"c1","url":"https://hooks.example/"}}`
	rogue := &a2atest.Rogue{
		Card: `{"name":"x","description":"","version":"1","protocolVersion":"0.3.0","url":"$URL/rest/","preferredTransport":"HTTP+JSON","capabilities":{"pushNotifications":true},"skills":[]}`,
		Answers: map[string][]a2atest.Answer{call: {
			{Status: 400, Body: `{"code":-32602,"message":"TaskPushNotificationConfig missing pushNotificationConfig"}`},
			{Status: 201, Body: config},
		}},
	}
	c, err := (&a2aclient.Dialer{Pause: time.Millisecond}).Dial(t.Context(), rogue.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := c.SetPush(t.Context(), &a2a.PushConfig{TaskID: "t1", ID: "c1", URL: "https://hooks.example/"})
	if err != nil || kept.TaskID != "t1" || kept.ID != "c1" || kept.URL != "https://hooks.example/" {
		t.Errorf("got %+v, %v", kept, err)
	}
	want := []string{`{"parent":"tasks/t1","configId":"c1","config":` + config + `}`, config}
	calls := rogue.Calls()
	if len(calls) != len(want) {
		t.Fatalf("got %d calls, want %d", len(calls), len(want))
	}
	for i, call := range calls {
		if string(call.Params) != want[i] {
			t.Errorf("got the body %s, want %s", call.Params, want[i])
		}
	}
}
