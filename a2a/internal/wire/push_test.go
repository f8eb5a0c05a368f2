package wire

import (
	"encoding/json"
	"reflect"
	"testing"

	"rialto/a2a"
)

// webhook is a config with all that each generation can say.
func webhook(name a2a.TaskID) *a2a.PushConfig {
	return &a2a.PushConfig{TaskID: "t", ID: "c", URL: "https://w.example/", Token: "secret", Name: name,
		Authentication: &a2a.PushAuthentication{Schemes: []string{"Bearer"}, Credentials: "x"}}
}

func TestPushConfigsOfEachGeneration(t *testing.T) {
	const fields = `"url":"https://w.example/","token":"secret","authentication":`
	const old = fields + `{"schemes":["Bearer"],"credentials":"x"}`
	for _, c := range []struct {
		d         *Dialect
		one, none string
	}{
		{&v10, `{"taskId":"t","id":"c",` + fields + `{"scheme":"Bearer","credentials":"x"}}`, `{"configs":[]}`},
		{&v03rest, `{"name":"tasks/t/pushNotificationConfigs/c","pushNotificationConfig":{"id":"c",` + old + `}}`, `{"configs":[]}`},
		{&v03, `{"taskId":"t","pushNotificationConfig":{"id":"c",` + old + `}}`, `[]`},
		{&v02, `{"taskId":"t","pushNotificationConfig":{"id":"c",` + old + `}}`, `[]`},
		{&v01, `{"id":"t","pushNotificationConfig":{` + old + `}}`, `[]`},
	} {
		name := string(c.d.Generation)
		got, err := c.d.EncodePush(webhook(""))
		if err != nil || string(got) != c.one {
			t.Errorf("%s: got %s, %v, want %s", name, got, err, c.one)
		}
		back, err := c.d.DecodePush(got, PushID{})
		want := webhook("")
		want.Generation = c.d.Generation
		if c.d.CallersName {
			want.ID = ""
		}
		if err != nil || !reflect.DeepEqual(back, want) {
			t.Errorf("%s: got %+v, %v, want %+v", name, back, err, want)
		}
		if got, err := c.d.EncodePushes(nil); err != nil || string(got) != c.none {
			t.Errorf("%s: got %s, %v for no configs", name, got, err)
		}
	}
	if got, _ := v01.EncodePush(webhook("mine")); string(got)[:12] != `{"id":"mine"` {
		t.Errorf("got %s, want the caller's name of the task", got)
	}
}

func TestPushConfigsThatComeInOtherShapes(t *testing.T) {
	for name, c := range map[string]struct {
		d    *Dialect
		body string
		path PushID
		want PushID
	}{
		"the path names the task":       {&v10, `{"url":"u"}`, PushID{"t", ""}, PushID{"t", ""}},
		"the path wins":                 {&v10, `{"url":"u","taskId":"other","id":"c"}`, PushID{"t", ""}, PushID{"t", "c"}},
		"a create request":              {&v03rest, `{"parent":"tasks/t","config":{"name":"tasks/t/pushNotificationConfigs/c","pushNotificationConfig":{"url":"u"}}}`, PushID{}, PushID{"t", "c"}},
		"0.1 names the task by its id":  {&v01, `{"id":"t","pushNotificationConfig":{"url":"u"}}`, PushID{}, PushID{"t", ""}},
		"0.3 may leave the config's id": {&v03, `{"taskId":"t","pushNotificationConfig":{"url":"u"}}`, PushID{}, PushID{"t", ""}},
	} {
		got, err := c.d.DecodePush(json.RawMessage(c.body), c.path)
		if err != nil || (PushID{got.TaskID, got.ID}) != c.want || got.URL != "u" {
			t.Errorf("%s: got %+v, %v", name, got, err)
		}
	}
	for name, body := range map[string]string{"no task": `{"url":"u"}`, "no url": `{"taskId":"t"}`, "no object": `[]`, "a wrong type": `{"taskId":"t","url":1}`} {
		if _, err := v10.DecodePush(json.RawMessage(body), PushID{}); !a2a.Is(err, a2a.InvalidParams) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestWhichPushConfigIsMeant(t *testing.T) {
	for _, c := range []struct {
		d    *Dialect
		body string
		want PushID
	}{
		{&v10, `{"taskId":"t","id":"c"}`, PushID{"t", "c"}},
		{&v10, `{"taskId":"t"}`, PushID{"t", ""}},
		{&v03, `{"id":"t","pushNotificationConfigId":"c"}`, PushID{"t", "c"}},
		{&v02, `{"id":"t"}`, PushID{"t", ""}},
		{&v01, `{"id":"t"}`, PushID{"t", ""}},
	} {
		if got, err := c.d.DecodePushID(PushGet, json.RawMessage(c.body), PushID{}); err != nil || got != c.want {
			t.Errorf("%s %s: got %+v, %v, want %+v", c.d.Generation, c.body, got, err, c.want)
		}
	}
	if _, err := v10.DecodePushID(PushGet, json.RawMessage(`{}`), PushID{}); !a2a.Is(err, a2a.InvalidParams) {
		t.Errorf("got %v without a task", err)
	}
}

func TestAWebhookTravelsWithAMessage(t *testing.T) {
	for _, d := range append(Dialects(), &v03rest) {
		req := &a2a.SendRequest{Push: webhook(""), Message: &a2a.Message{ID: "m", TaskID: "t", Role: a2a.RoleUser, Parts: []a2a.Part{a2a.TextPart("x")}}}
		b, err := d.EncodeSend(req, Envelope{})
		if err != nil {
			t.Fatal(err)
		}
		got, err := d.DecodeSend(b)
		want := webhook("")
		want.TaskID, want.Generation = "", d.Generation
		if err != nil || !reflect.DeepEqual(got.Push, want) {
			t.Errorf("%s: got %+v, %v, want %+v, by %s", d.Generation, got.Push, err, want, b)
		}
	}
}

func FuzzDecodePush(f *testing.F) {
	f.Add([]byte(`{"taskId":"t","pushNotificationConfig":{"id":"c","url":"u","authentication":{"schemes":["Bearer"]}}}`))
	f.Add([]byte(`{"name":"tasks/t/pushNotificationConfigs/c","config":{"config":{"url":"u"}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		for _, d := range append(Dialects(), &v03rest) {
			c, err := d.DecodePush(b, PushID{})
			if err == nil && (c.TaskID == "" || c.URL == "" || c.Generation != d.Generation) {
				t.Fatalf("%s: got %+v", b, c)
			}
			if c, err := d.DecodePushSet(b, PushID{}); err == nil && (c.TaskID == "" || c.URL == "" || c.Generation != d.Generation) {
				t.Fatalf("%s: got %+v to set", b, c)
			}
			if _, err := d.DecodePushID(PushGet, b, PushID{}); err != nil && !a2a.Is(err, a2a.InvalidParams) {
				t.Fatalf("%s: got %v", b, err)
			}
		}
	})
}
