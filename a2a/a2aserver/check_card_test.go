package a2aserver_test

import (
	"strings"
	"testing"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/a2a/a2atest"
)

func TestACardPromisesOnlyWhatIsServed(t *testing.T) {
	agent := a2atest.NewAgent()
	defer agent.Close()
	s := &a2aserver.Server{Agent: agent, Card: agent.Card(), URL: "https://agent.example"}
	for name, c := range map[string]struct {
		change func(*a2a.Card)
		want   string
	}{
		"what the server offers": {func(*a2a.Card) {}, ""},
		"an unknown binding":     {func(c *a2a.Card) { c.Interfaces = []a2a.Interface{{URL: s.URL, Binding: "SMTP", Version: a2a.V10}} }, `the binding "SMTP"`},
		"an unknown version":     {func(c *a2a.Card) { c.Interfaces = []a2a.Interface{{URL: s.URL, Binding: a2a.JSONRPC, Version: "2.0"}} }, `A2A "2.0"`},
		"no address": {func(c *a2a.Card) {
			c.Interfaces = []a2a.Interface{{URL: "/a2a", Binding: a2a.JSONRPC, Version: a2a.V10}}
		}, `"/a2a"`},
		"push notifications": {func(c *a2a.Card) { c.Capabilities.PushNotifications = true }, "push notifications"},
		"an extended card":   {func(c *a2a.Card) { c.Capabilities.ExtendedAgentCard = true }, "extended card"},
		"a required extension": {func(c *a2a.Card) {
			c.Capabilities.Extensions = []a2a.Extension{{URI: "https://x.example/1", Required: true}}
		}, "https://x.example/1"},
		"a scheme not explained":  {func(c *a2a.Card) { c.Security = []a2a.SecurityRequirement{{"oauth": nil}} }, `"oauth"`},
		"an extension one may do": {func(c *a2a.Card) { c.Capabilities.Extensions = []a2a.Extension{{URI: "https://x.example/1"}} }, ""},
	} {
		card := agent.Card()
		c.change(card)
		if err := s.Check(card); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}
