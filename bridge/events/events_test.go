package events

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestASubscriptionIsKnownByWhatMakesIt is a vector of SEP-3415 implementations: the arguments may be
// written in any way.
func TestASubscriptionIsKnownByWhatMakesIt(t *testing.T) {
	const want = "sub_f8a3f738386fcee69f0fcd29cc248573"
	for _, arguments := range []string{`{"agent":"table-expert"}`, "{ \"agent\" :\n\"table\\u002dexpert\" }"} {
		got, err := subscriptionID("acc_42", "https://hooks.example.com/mcp/1", "task.finished", json.RawMessage(arguments))
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", arguments, got, err, want)
		}
	}
	for _, other := range [][3]string{{"acc_43", "https://hooks.example.com/mcp/1", "task.finished"}, {"acc_42", "https://hooks.example.com/mcp/2", "task.finished"}, {"acc_42", "https://hooks.example.com/mcp/1", "task.failed"}} {
		if got, err := subscriptionID(other[0], other[1], other[2], json.RawMessage(`{"agent":"table-expert"}`)); err != nil || got == want {
			t.Errorf("%q: got %s, %v", other, got, err)
		}
	}
}

// TestABodyIsSigned is a vector of Standard Webhooks, while a secret is replaced.
func TestABodyIsSigned(t *testing.T) {
	body := []byte(`{"eventId":"tsk_7f3a.4","name":"task.finished","timestamp":"2026-11-22T09:00:00Z","data":{"task_id":"tsk_7f3a","state":"completed"},"cursor":null}`)
	now := time.Unix(1795338000, 0)
	const one, two = "v1,Ran4atmGKBofgg5ihES0ZP3tRtHOUR4pvRlcZ8z92NE=", "v1,8692GpL9kiwhEaeB3DsN9COKq4IRUn/71jQ8H2s89Lk="
	to := &target{Secret: "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=", Before: "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=", Until: now.Add(time.Minute)}
	if got, err := sign(to, now, "tsk_7f3a.4", body); err != nil || got != two+" "+one {
		t.Errorf("got %q, %v, want both signatures", got, err)
	}
	to.Until = now
	if got, err := sign(to, now, "tsk_7f3a.4", body); err != nil || got != two {
		t.Errorf("after the grace: got %q, %v, want %q", got, err, two)
	}
}

// TestAnEventIsShort has an agent that names its context by the longest ID and asks the longest question,
// in characters that JSON escapes.
func TestAnEventIsShort(t *testing.T) {
	s := &Service{TaskURL: "https://rialto.example/answer/"}
	long := func(n int) string { return strings.Repeat("<\U0010ffff", n/2) }
	form, err := json.Marshal(long(maxForm / 8))
	if err != nil {
		t.Fatal(err)
	}
	task := &Task{Title: long(80), Request: long(MaxRequest), Question: long(MaxQuestion), Form: form}
	for name, tc := range map[string]struct {
		task *Task
		most int
	}{"task.completed": {nil, 4 << 10}, "task.changed": {task, 128 << 10}} {
		b, err := json.Marshal(s.toMCP(Event{Name: name, Context: long(1000)}, tc.task, "1"))
		if err != nil || len(b) > tc.most {
			t.Errorf("%s: got %d bytes, %v", name, len(b), err)
		}
	}
}

func TestAttemptsEndAfterAQuarterOfAnHour(t *testing.T) {
	for attempts, want := range map[int]bool{1: false, 5: false, 10: false, 14: true} {
		if got := retriesExhausted(attempts); got != want {
			t.Errorf("%d attempts: got %v", attempts, got)
		}
	}
}

// TestAReceiverThatAlwaysFailsIsSuspended follows the attempts of one subscription for more than a day.
func TestAReceiverThatAlwaysFailsIsSuspended(t *testing.T) {
	now := time.Unix(1795338000, 0)
	s := &Service{Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}
	sub, d, attempts, lost := &Subscription{Active: true}, &Delivery{}, 0, int64(0)
	for sub.Active && attempts < 10_000 {
		s.failed(d, sub, "e", &answer{status: 503, retryAfter: time.Minute}, nil)(sub)
		attempts++
		if d.GivenUp {
			d = &Delivery{} // the next event
			lost++
			continue
		}
		if pause := d.Due.Sub(now); pause < time.Minute || pause > 15*time.Minute {
			t.Fatalf("attempt %d: a pause of %v, and the receiver asked for a minute", attempts, pause)
		}
		now = d.Due
	}
	if lasted := now.Sub(sub.Failing); lasted < suspendAfter || lasted > suspendAfter+time.Hour || lost == 0 || sub.Gaps != lost || sub.Failure != "http_5xx" {
		t.Errorf("suspended after %v, %d attempts, %d events, %+v", lasted, attempts, lost, sub)
	}
	if d := status(sub); d.Active || d.FailedSince == nil || *d.LastError != "http_5xx" {
		t.Errorf("got %+v, want that its client learns of it", d)
	}
	sub.Active, sub.Ending = true, true // its client lost its access meanwhile
	if s.failed(d, sub, "", &answer{status: 503}, nil)(sub); !sub.Active {
		t.Error("a subscription that ends is suspended: its receiver is not told again")
	}
}

// TestAReceiverThatRefusesMostEventsIsSuspended has receivers that refuse a share of the events within an hour.
func TestAReceiverThatRefusesMostEventsIsSuspended(t *testing.T) {
	for name, tc := range map[string]struct {
		of       int // which one is taken; 0 is none
		pause    time.Duration
		attempts int // until it is suspended; 0 is never
	}{
		"all":                    {0, time.Second, 100},
		"all but one of 50":      {50, time.Second, 101},
		"all but one of 10":      {10, time.Second, 0},
		"all, but less than 100": {0, 40 * time.Second, 0},
	} {
		now := time.Unix(1795338000, 0)
		s, sub, attempts := &Service{Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}, &Subscription{Active: true}, 0
		for sub.Active && attempts < 1000 {
			if attempts++; tc.of > 0 && attempts%tc.of == 0 {
				sub.Window.count(now, 0)
			} else {
				s.failed(&Delivery{}, sub, "e", &answer{status: http.StatusGone}, nil)(sub)
			}
			now = now.Add(tc.pause)
		}
		if sub.Active {
			attempts = 0
		}
		if attempts != tc.attempts {
			t.Errorf("%s: got %d attempts, want %d", name, attempts, tc.attempts)
		}
	}
}

func TestACursorIsNeverAnError(t *testing.T) {
	log := &Log{Epoch: 1795338000000, Last: 10, Oldest: 4}
	for c, want := range map[string]struct {
		at        int64
		truncated bool
	}{
		cursor(log.Epoch, 7): {7, false}, cursor(log.Epoch, 10): {10, false}, cursor(log.Epoch, 3): {3, false},
		cursor(log.Epoch, 2): {3, true}, cursor(log.Epoch, 11): {3, true}, cursor(1, 7): {3, true}, "118": {3, true}, "": {3, true}, "-.-": {3, true},
	} {
		if at, truncated := log.position(c); at != want.at || truncated != want.truncated {
			t.Errorf("%q: got %d, %v, want %+v", c, at, truncated, want)
		}
	}
}
