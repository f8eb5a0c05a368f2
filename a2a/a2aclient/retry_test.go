package a2aclient_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2aclient"
	"rialto/a2a/a2atest"
)

// TestAnAgentSaysWhenToCallAgain reads both forms of Retry-After.
func TestAnAgentSaysWhenToCallAgain(t *testing.T) {
	in := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	for name, c := range map[string]struct {
		status      int
		header      string
		least, most time.Duration
	}{
		"seconds":           {429, "30", 30 * time.Second, 30 * time.Second},
		"a moment":          {503, in(time.Minute), 58 * time.Second, time.Minute},
		"one that is past":  {429, in(-time.Minute), 0, 0},
		"longer than we do": {429, "86400", 10 * time.Minute, 10 * time.Minute},
		"nonsense":          {429, "soon", 0, 0},
		"less than nothing": {429, "-5", 0, 0},
		"nothing":           {429, "", 0, 0},
		"to another status": {400, "30", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			busy := []a2atest.Answer{{Status: c.status, Header: http.Header{"Retry-After": {c.header}}}}
			rogue := &a2atest.Rogue{Card: cardV10, Answers: map[string][]a2atest.Answer{"SendMessage": busy, "SendStreamingMessage": busy}}
			client, err := (&a2aclient.Dialer{}).Dial(t.Context(), rogue.Serve(t))
			if err != nil {
				t.Fatal(err)
			}
			_, err = client.Send(t.Context(), a2atest.Say("x"))
			if got := a2a.RetryAfter(err); got < c.least || got > c.most {
				t.Errorf("got %s in %v, want %s to %s", got, err, c.least, c.most)
			}
			for _, streamed := range client.Stream(t.Context(), a2atest.Say("x")) {
				err = errors.Join(err, streamed)
			}
			if said, want := strings.Count(err.Error(), "retry after "), map[bool]int{true: 2}[c.most > 0]; said != want {
				t.Errorf("it says so %d times, want %d: %v", said, want, err)
			}
		})
	}
}

// TestAnAgentThatAsksForPeaceIsNotPolled: a look before it wants one keeps it busy, and
// counts against us.
func TestAnAgentThatAsksForPeaceIsNotPolled(t *testing.T) {
	busy := a2atest.Answer{Status: http.StatusTooManyRequests, Header: http.Header{"Retry-After": {"1"}}}
	rogue := &a2atest.Rogue{Card: strings.Replace(cardV10, `"streaming":true`, `"streaming":false`, 1), Answers: map[string][]a2atest.Answer{
		"SendMessage": {{Body: strings.Replace(completed, "COMPLETED", "WORKING", 1)}},
		"GetTask":     {busy, busy, {Body: `{"jsonrpc":"2.0","id":$ID,"result":{"id":"t1","status":{"state":"TASK_STATE_COMPLETED"}}}`}},
	}}
	client, err := (&a2aclient.Dialer{Pause: time.Millisecond}).Dial(t.Context(), rogue.Serve(t))
	if err != nil {
		t.Fatal(err)
	}
	begun := time.Now()
	e, err := client.Send(t.Context(), a2atest.Say("x"))
	if task, ok := e.(*a2a.Task); err != nil || !ok || task.Status.State != a2a.Completed {
		t.Fatalf("got %+v, %v", e, err)
	}
	if took := time.Since(begun); took < 2*time.Second {
		t.Errorf("it was asked again after %s, want a second after each time", took)
	}
}
