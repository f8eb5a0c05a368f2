package doctor

import (
	"strings"
	"testing"
	"time"
)

// TestFaultsOfEventsAreFound: each server leaves out one thing that a strict receiver wants.
func TestFaultsOfEventsAreFound(t *testing.T) {
	for forget, f := range map[string]fault{
		"challenge": {step: "events-challenge", client: ChatGPT},
		"secret":    {step: "events-signature", client: ChatGPT},
		"id":        {step: "events-again"},
		"retry":     {step: "events-again"},

		"secret of events": {step: "events-signature", client: ChatGPT},
	} {
		t.Run(forget, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, nil)
			g.forget = forget
			f.found(t, g.examine(t, func(d *Doctor) { d.RedeliveryTimeout = 200 * time.Millisecond }))
		})
	}
}

// TestARefusedWebhookIsAFaultUnlessLoopbackExplainsIt: a server may refuse a webhook on this computer,
// or not reach it, and no other.
func TestARefusedWebhookIsAFaultUnlessLoopbackExplainsIt(t *testing.T) {
	unreached := map[string]any{"reason": "connection_refused"}
	for _, c := range []struct {
		name     string
		code     int
		data     any
		receiver string
		want     Status
	}{
		{"its address is refused", -32602, nil, "", Skipped},
		{"it is not reached", -32015, unreached, "", Skipped},
		{"it is not reached, in numbers of SEP-3415", -32027, unreached, "", Skipped},
		{"its challenge is not understood", -32015, map[string]any{"reason": "challenge_failed"}, "", Failed},
		{"the server fails", -32603, nil, "", Failed},
		{"the address of --receiver is refused", -32602, nil, "https://hooks.example.com/", Failed},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, nil)
			r.refusal = func(x *exchange) { x.fault(200, c.code, c.data) }
			report := r.examine(t, func(d *Doctor) { d.Receiver = c.receiver })
			for _, s := range report.Results {
				if strings.Contains(s.Got, "address already in use") {
					t.Skip(s.Got) // the port of --receiver is a fixed one
				}
				if s.ID == "events-subscribe" && s.Status != c.want {
					t.Errorf("got %s: %s, want %s", s.Status, s.Got, c.want)
				}
			}
		})
	}
}

// TestThePatienceCoversTheUsualFirstRetry: servers of the field retry after 30 seconds, ±20 %.
func TestThePatienceCoversTheUsualFirstRetry(t *testing.T) {
	if v := new(Doctor).examination(t.Context(), "http://127.0.0.1:1/mcp"); v.redeliveryTimeout < 36*time.Second {
		t.Errorf("got %s", v.redeliveryTimeout)
	}
}

func extensionFaults() []fault {
	initialized := func(change func(map[string]any)) func(*exchange) {
		return when(`"method":"initialize"`, func(x *exchange) {
			x.inResult(func(m map[string]any) {
				if c, ok := m["capabilities"].(map[string]any); ok {
					change(c)
				}
			})
		})
	}
	content := func(name string, value any) func(*exchange) {
		return when(`"method":"resources/read"`, func(x *exchange) {
			x.inResult(func(m map[string]any) { m["contents"].([]any)[0].(map[string]any)[name] = value })
		})
	}
	return []fault{
		{"events are offered in one place", "events-offered", "", initialized(func(c map[string]any) { delete(c, "events") })},
		{"an event has no delivery", "events-list", ChatGPT, when(`"method":"events/list"`, func(x *exchange) {
			x.inResult(func(m map[string]any) { delete(m["events"].([]any)[0].(map[string]any), "delivery") })
		})},
		{"a subscription does not end twice", "events-unsubscribe", ChatGPT, when(`"method":"events/unsubscribe"`, func(x *exchange) { x.fault(200, -32011, nil) })},
		{"apps are not offered", "apps-offered", "", initialized(func(c map[string]any) { delete(c["extensions"].(map[string]any), appsExtension) })},
		{"an app has another type", "apps-resource", "", content("mimeType", "text/html")},
		{"an app cannot be read", "apps-resource", "", when(`"method":"resources/read"`, func(x *exchange) { x.fault(404, -32002, nil) })},
		{"a tool links in one form", "apps-link", "", func(x *exchange) {
			x.inTools(func(m map[string]any) { delete(m["_meta"].(map[string]any), "ui/resourceUri") })
		}},
		{"an app loads a foreign script", "apps-csp", "", content("text", `<!doctype html><script src="https://elsewhere.example/a.js"></script>`)},
	}
}
