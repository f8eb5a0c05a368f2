package a2aclient_test

import (
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

func TestAnAgentThatDoesNotWorkIsLeftInPeace(t *testing.T) {
	for name, c := range map[string]struct {
		answer a2atest.Answer
		broken bool
	}{
		"a gateway answers":              {a2atest.Answer{Status: 502, Body: "<html>"}, true},
		"the connection breaks":          {a2atest.Answer{Cut: true}, true},
		"the answer breaks off":          {a2atest.Answer{Body: `{"jsonrpc":`, Cut: true}, true},
		"the agent says that it failed":  {a2atest.Answer{Status: 500, Body: `{"jsonrpc":"2.0","id":$ID,"error":{"code":-32603,"message":"no"}}`}, false},
		"the agent says no":              {a2atest.Answer{Status: 403}, false},
		"the agent's task fails":         {a2atest.Answer{Body: `{"jsonrpc":"2.0","id":$ID,"result":{"task":{"id":"t1","status":{"state":"TASK_STATE_FAILED"}}}}`}, false},
		"the agent writes what is wrong": {a2atest.Answer{Body: `{"jsonrpc":"2.0","id":$ID,"result":{"x":1}}`}, false},
	} {
		t.Run(name, func(t *testing.T) {
			rogue := &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{"SendMessage": {c.answer}}}
			client, err := (&a2aclient.Dialer{Pause: time.Millisecond}).Dial(t.Context(), rogue.Serve(t))
			if err != nil {
				t.Fatal(err)
			}
			for range 8 {
				_, err = client.Send(t.Context(), a2atest.Say("x"))
			}
			said := err != nil && strings.Contains(err.Error(), "next attempt in")
			if want := map[bool]int{true: 5, false: 8}[c.broken]; said != c.broken || len(rogue.Calls()) != want {
				t.Errorf("got %v after %d calls, want %d", err, len(rogue.Calls()), want)
			}
			if c.broken && !a2a.Is(err, a2a.Unavailable) {
				t.Errorf("got %v, want that it is not available", err)
			}
		})
	}
}
