package store_test

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"rialto/internal/audit"
	"rialto/internal/usage"
)

// records stores usage and the audit log.
type records interface {
	usage.Store
	audit.Store
}

func TestRecords(t *testing.T) {
	for engine, dsn := range engines {
		t.Run(engine, func(t *testing.T) {
			testRecords(t, func(t *testing.T) records { return open(t, dsn(t)).Records })
		})
	}
}

// testRecords tests the contracts of usage.Store and audit.Store.
func testRecords(t *testing.T, open func(*testing.T) records) {
	for name, test := range map[string]func(*testing.T, records){
		"calls are read in pages, the earliest first":        callPages,
		"calls are chosen by each of their marks":            callFilters,
		"calls are added up, over batches, by what is asked": callSums,
		"sums come by hours and days":                        callSeries,
		"charges are added up, each once":                    chargeSums,
		"old records are deleted, and no others":             recordsDropped,
		"what is recorded again is there once":               recordedAgain,
		"events are read in pages, the latest first":         eventPages,
		"events are chosen by each of their marks":           eventFilters,
		"events of one moment keep their order":              eventsOfOneMoment,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// call returns the i-th call: one a minute.
func call(i int, change ...func(*usage.Record)) usage.Record {
	c := usage.Record{
		ID: fmt.Sprintf("c%02d", i), At: now.Add(time.Duration(i) * time.Minute), UserID: "alice", Client: "chat", UseCase: "sales",
		Door: "mcp", Tool: "send_task", Agent: "tables", Took: 40 * time.Millisecond, Millis: 40, BytesIn: 10, BytesOut: 100, Outcome: usage.OK, Task: "t",
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func callPages(t *testing.T, s records) {
	var all []usage.Record
	for i := range 45 { // more than one statement takes
		all = append(all, call(i))
	}
	must(t, s.AddCalls(t.Context(), all))
	var f usage.Filter
	var got []usage.Record
	for f.Limit = 20; ; {
		page, err := s.Calls(t.Context(), f)
		must(t, err)
		got = append(got, page...)
		if len(page) < f.Limit {
			break
		}
		f.After = usage.Mark{At: page[len(page)-1].At, ID: page[len(page)-1].ID}
	}
	if len(got) != len(all) {
		t.Fatalf("got %d calls, want %d", len(got), len(all))
	}
	for i := range all {
		if all[i].At = all[i].At.UTC(); got[i] != all[i] {
			t.Errorf("got  %+v\nwant %+v", got[i], all[i])
		}
	}
}

func callFilters(t *testing.T, s records) {
	must(t, s.AddCalls(t.Context(), []usage.Record{
		call(0),
		call(1, func(c *usage.Record) { c.Agent = "other" }),
		call(2, func(c *usage.Record) { c.Tool = "search" }),
		call(3, func(c *usage.Record) { c.UseCase = "" }),
		call(4, func(c *usage.Record) { c.Client = "cli" }),
		call(5, func(c *usage.Record) { c.UserID = "bob" }),
	}))
	for want, f := range map[string]usage.Filter{
		"c01":                 {Agent: "other"},
		"c02":                 {Tool: "search"},
		"c00 c01 c02 c04 c05": {UseCase: "sales"},
		"c04":                 {Clients: []string{"cli"}},
		"c01 c02 c03 c04 c05": {Clients: []string{"cli", "chat"}, Since: now.Add(time.Minute)},
		"c05":                 {User: "bob"},
		"c02 c03":             {Since: now.Add(2 * time.Minute), Until: now.Add(4 * time.Minute)},
	} {
		f.Limit = 10
		calls, err := s.Calls(t.Context(), f)
		must(t, err)
		var ids []string
		for _, c := range calls {
			ids = append(ids, c.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%+v: got %s, want %s", f, got, want)
		}
	}
}

func callSums(t *testing.T, s records) {
	must(t, s.AddCalls(t.Context(), []usage.Record{call(0), call(1, func(c *usage.Record) { c.Outcome = usage.Failed })}))
	must(t, s.AddCalls(t.Context(), []usage.Record{call(2), call(3, func(c *usage.Record) { c.Agent, c.Millis, c.UserID = "slow", 90_000, "bob" })}))
	for by, want := range map[usage.By]string{
		usage.ByAgent: "tables 3 1 30 300 120, slow 1 0 10 100 90000",
		usage.ByUser:  "alice 3 1 30 300 120, bob 1 0 10 100 90000",
		usage.ByTool:  "send_task 4 1 40 400 90120",
		"":            " 4 1 40 400 90120",
	} {
		tallies, err := s.Tallies(t.Context(), usage.Filter{Limit: 10}, by, 0)
		must(t, err)
		var got []string
		for _, s := range tallies {
			got = append(got, fmt.Sprint(s.Key, " ", s.Calls, s.Errors, s.BytesIn, s.BytesOut, s.Millis))
			if s.Key == "slow" && s.Counts[len(s.Counts)-3] != 1 {
				t.Errorf("got the counts %v of a call that took 90 seconds", s.Counts)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("by %q: got %s, want %s", by, strings.Join(got, ", "), want)
		}
	}
	if _, err := s.Tallies(t.Context(), usage.Filter{Limit: 10}, "agent; DROP TABLE usage_hours", 0); err == nil {
		t.Error("got sums by what is not there")
	}
}

func callSeries(t *testing.T, s records) {
	day := now.Truncate(24 * time.Hour)
	when := func(at time.Time) func(*usage.Record) { return func(c *usage.Record) { c.At = at } }
	must(t, s.AddCalls(t.Context(), []usage.Record{
		call(0, when(day.Add(time.Minute))), call(1, when(day.Add(59*time.Minute))), call(2, when(day.Add(5*time.Hour))), call(3, when(day.Add(30*time.Hour))),
	}))
	for step, want := range map[time.Duration]string{time.Hour: "0:2 5:1 30:1", 24 * time.Hour: "0:3 24:1"} {
		tallies, err := s.Tallies(t.Context(), usage.Filter{Limit: 100}, usage.ByAgent, step)
		must(t, err)
		var got []string
		for _, s := range tallies {
			got = append(got, fmt.Sprint(int(s.From.Sub(day).Hours()), ":", s.Calls))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("every %v: got %s, want %s", step, strings.Join(got, " "), want)
		}
	}
	tallies, err := s.Tallies(t.Context(), usage.Filter{Since: day.Add(5*time.Hour + 30*time.Minute), Limit: 100}, "", 0)
	must(t, err)
	if len(tallies) != 1 || tallies[0].Calls != 2 {
		t.Errorf("got %+v from half past five on, want the whole hour and what follows", tallies)
	}
}

// charge is a call of an agent for alice, one a minute.
func charge(i int, change ...func(*usage.Charge)) usage.Charge {
	c := usage.Charge{
		ID: fmt.Sprintf("c%02d", i), At: now.Add(time.Duration(i) * time.Minute), UserID: "alice", Client: "chat", UseCase: "sales",
		Agent: "tables", Item: usage.ItemCall, Currency: "EUR", Price: "0.05", Quantity: 1,
	}
	for _, f := range change {
		f(&c)
	}
	return c
}

func chargeSums(t *testing.T, s records) {
	all := []usage.Charge{
		charge(0), charge(1),
		charge(2, func(c *usage.Charge) { c.Price = "0.06" }),
		charge(3, func(c *usage.Charge) { c.Item, c.Price, c.Quantity = "tokens", "0.000002", 1200 }),
		charge(4, func(c *usage.Charge) { c.UserID, c.Client, c.UseCase = "bob", "cli", "" }),
		charge(5, func(c *usage.Charge) { c.Agent, c.Currency = "slow", "JPY" }),
	}
	for i := range 40 { // more than one statement takes
		all = append(all, charge(10+i, func(c *usage.Charge) { c.At, c.UserID = now.AddDate(0, 1, 0), "carol" }))
	}
	must(t, s.AddCharges(t.Context(), all[:30]))
	must(t, s.AddCharges(t.Context(), all))
	until := now.Add(time.Hour)
	for _, tc := range []struct {
		by   usage.By
		f    usage.Filter
		want string
	}{
		{usage.ByUser, usage.Filter{}, "alice tables call 2×0.05 EUR, alice tables call 1×0.06 EUR, alice tables tokens 1200×0.000002 EUR, " +
			"alice slow call 1×0.05 JPY, bob tables call 1×0.05 EUR, carol tables call 40×0.05 EUR"},
		{usage.ByUser, usage.Filter{User: "alice", Agent: "slow"}, "alice slow call 1×0.05 JPY"},
		{usage.ByClient, usage.Filter{Until: until, UseCase: "sales", Agent: "slow"}, "chat slow call 1×0.05 JPY"},
		{usage.ByUseCase, usage.Filter{Until: until, Clients: []string{"cli"}}, " tables call 1×0.05 EUR"},
		{"", usage.Filter{Since: until}, " tables call 40×0.05 EUR"},
	} {
		tc.f.Limit = 10
		costs, err := s.Costs(t.Context(), tc.f, tc.by)
		must(t, err)
		var got []string
		for _, c := range costs {
			got = append(got, fmt.Sprintf("%s %s %s %d×%s %s", c.Key, c.Agent, c.Item, c.Quantity, c.Price, c.Currency))
		}
		if strings.Join(got, ", ") != tc.want {
			t.Errorf("by %q %+v: got %s, want %s", tc.by, tc.f, strings.Join(got, ", "), tc.want)
		}
	}
	if _, err := s.Costs(t.Context(), usage.Filter{Limit: 10}, usage.ByTool); err == nil {
		t.Error("got costs by tool")
	}
}

func recordsDropped(t *testing.T, s records) {
	must(t, s.AddCalls(t.Context(), []usage.Record{call(0), call(1), call(200)}))
	must(t, s.AddCharges(t.Context(), []usage.Charge{charge(0), charge(1), charge(200)}))
	must(t, s.AddEvents(t.Context(), []audit.Event{event(0), event(1), event(200)}))
	before := now.Add(2 * time.Hour)
	for range 3 {
		_, err := s.DropCalls(t.Context(), before, 1)
		must(t, err)
		_, err = s.DropEvents(t.Context(), before, 1)
		must(t, err)
	}
	calls, err := s.Calls(t.Context(), usage.Filter{Limit: 10})
	must(t, err)
	sums, err := s.Tallies(t.Context(), usage.Filter{Limit: 10}, "", 0)
	must(t, err)
	events, err := s.Events(t.Context(), audit.Filter{Limit: 10})
	must(t, err)
	costs, err := s.Costs(t.Context(), usage.Filter{Limit: 10}, "")
	must(t, err)
	if len(calls) != 1 || len(sums) != 1 || sums[0].Calls != 1 || len(events) != 1 {
		t.Errorf("got %d calls, the sums %+v and %d events, want what is from after", len(calls), sums, len(events))
	}
	if len(costs) != 1 || costs[0].Quantity != 1 {
		t.Errorf("got the costs %+v, want what is from after", costs)
	}
}

// recordedAgain is what a log does that did not hear of its commit.
func recordedAgain(t *testing.T, s records) {
	var calls []usage.Record
	var events []audit.Event
	for i := range 50 {
		calls, events = append(calls, call(i)), append(events, event(i))
	}
	must(t, s.AddCalls(t.Context(), calls[:30]))
	must(t, s.AddCalls(t.Context(), calls))
	must(t, s.AddCalls(t.Context(), calls[25:]))
	must(t, s.AddEvents(t.Context(), events[:30]))
	must(t, s.AddEvents(t.Context(), events))
	kept, err := s.Calls(t.Context(), usage.Filter{Limit: 100})
	must(t, err)
	sums, err := s.Tallies(t.Context(), usage.Filter{Limit: 10}, usage.ByUser, 0)
	must(t, err)
	all, err := s.Tallies(t.Context(), usage.Filter{Limit: 10}, usage.ByAgent, 0)
	must(t, err)
	log, err := s.Events(t.Context(), audit.Filter{Limit: 100})
	must(t, err)
	if len(kept) != 50 || len(sums) != 1 || sums[0].Calls != 50 || all[0].Calls != 50 || len(log) != 50 {
		t.Errorf("got %d calls, the sums %+v and %+v, and %d events, want 50 of each", len(kept), sums, all, len(log))
	}
}

func event(i int, change ...func(*audit.Event)) audit.Event {
	e := audit.Event{
		ID: fmt.Sprintf("e%02d", i), At: now.Add(time.Duration(i) * time.Minute).UTC(), Kind: audit.SignIn, Outcome: audit.OK,
		ActorID: "id of alice", Actor: "alice", Address: "192.0.2.1", Target: "t", Detail: "password",
	}
	for _, f := range change {
		f(&e)
	}
	return e
}

func eventPages(t *testing.T, s records) {
	var all []audit.Event
	for i := range 5 {
		all = append(all, event(i))
	}
	must(t, s.AddEvents(t.Context(), all))
	f := audit.Filter{Limit: 2}
	for i := len(all) - 1; i >= 0; {
		page, err := s.Events(t.Context(), f)
		must(t, err)
		if len(page) == 0 {
			t.Fatalf("the list ends before the event %d", i)
		}
		for _, e := range page {
			if e != all[i] {
				t.Errorf("got  %+v\nwant %+v", e, all[i])
			}
			f.After = audit.Mark{At: e.At, ID: e.ID}
			i--
		}
	}
}

func eventFilters(t *testing.T, s records) {
	must(t, s.AddEvents(t.Context(), []audit.Event{
		event(0),
		event(1, func(e *audit.Event) { e.Kind = audit.AccountAdded }),
		event(2, func(e *audit.Event) { e.Kind = audit.AccountAdmin }),
		event(3, func(e *audit.Event) { e.ActorID, e.Actor = "id of bob", "bob" }),
		event(4, func(e *audit.Event) { e.ActorID, e.Outcome = "", audit.Failed }),
		event(5, func(e *audit.Event) { e.Target = "another" }),
	}))
	for _, c := range []struct {
		want string
		f    audit.Filter
	}{
		{"e05 e04 e03 e00", audit.Filter{Kind: audit.SignIn}},
		{"e02 e01", audit.Filter{Kind: "account"}},
		{"e02", audit.Filter{Kind: audit.AccountAdmin}},
		{"", audit.Filter{Kind: "%"}},
		{"e03", audit.Filter{Actor: "bob"}},
		{"e03", audit.Filter{Actor: "id of bob"}},
		{"e05 e04 e02 e01 e00", audit.Filter{Actor: "alice"}},
		{"e04", audit.Filter{Outcome: audit.Failed}},
		{"e05", audit.Filter{Target: "another"}},
		{"e02 e01", audit.Filter{Since: now.Add(time.Minute), Until: now.Add(3 * time.Minute)}},
	} {
		c.f.Limit = 10
		events, err := s.Events(t.Context(), c.f)
		must(t, err)
		var ids []string
		for _, e := range events {
			ids = append(ids, e.ID)
		}
		if got := strings.Join(ids, " "); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.f, got, c.want)
		}
	}
}

// eventsOfOneMoment are written by a log whose clock stands still.
func eventsOfOneMoment(t *testing.T, s records) {
	const n = 50
	l := (&audit.Log{Store: s, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}).Open()
	for i := range n {
		l.Record(t.Context(), event(i, func(e *audit.Event) { e.Detail = fmt.Sprintf("%02d", i) }))
	}
	l.Flush(t.Context())
	page, err := s.Events(t.Context(), audit.Filter{Limit: n})
	must(t, err)
	if len(page) != n {
		t.Fatalf("got %d events, want %d", len(page), n)
	}
	slices.Reverse(page)
	if !slices.IsSortedFunc(page, func(a, b audit.Event) int { return strings.Compare(a.Detail, b.Detail) }) {
		t.Error("the events of one millisecond are not in the order in which they happened")
	}
}
