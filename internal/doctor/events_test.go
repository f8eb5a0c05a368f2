package doctor

import (
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
	} {
		t.Run(forget, func(t *testing.T) {
			t.Parallel()
			g := newRig(t, nil)
			g.forget = forget
			f.found(t, g.examine(t, func(d *Doctor) { d.Patience = 200 * time.Millisecond }))
		})
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
