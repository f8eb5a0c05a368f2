package recordsdb_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
)

// registered is a store of agents, with the ledger and the cards that belong to
// it.
type registered interface {
	directory.AgentStore
	ledger.Store
	directory.CardStore
}

// testAgents runs the contract of directory.AgentStore against the stores that open
// returns. Each must be empty.
func testAgents(t *testing.T, open func(*testing.T) registered) {
	for name, test := range map[string]func(*testing.T, *agents){
		"an agent is kept once under its name":             oneName,
		"of two who add a name one wins":                   addRace,
		"an agent is added with its card in force":         addedWithCard,
		"there is room for so many agents":                 fullList,
		"a change wins over the version that it has seen":  changedAgent,
		"an agent that was removed comes back as new":      comesBack,
		"an agent that moves shows its card as a new one":  movedAgent,
		"any name can be disabled, once":                   disabledName,
		"what was removed is forgotten when its tasks end": removedAgent,
		"a connector is kept once, and changes by version": func(t *testing.T, r *agents) { testConnectors(t, r) },
	} {
		t.Run(name, func(t *testing.T) { test(t, &agents{t, open(t)}) })
	}
}

type agents struct {
	t *testing.T
	registered
}

func record(name, url string) directory.StoredAgent {
	return directory.StoredAgent{Name: name, Settings: []byte(`{"url":"` + url + `"}`), Secret: "sealed", Created: now, Changed: now}
}

func (a *agents) is(err, want error) {
	a.t.Helper()
	if !errors.Is(err, want) {
		a.t.Fatalf("got %v, want %v", err, want)
	}
}

func (a *agents) added(name string) {
	a.t.Helper()
	a.is(a.AddAgent(a.t.Context(), record(name, "http://"+name), nil, 10), nil)
}

// kept returns what is held, and checks that its version is another than was.
func (a *agents) kept(was int64) *directory.StoredAgents {
	a.t.Helper()
	kept, err := a.KeptAgents(a.t.Context())
	if err != nil {
		a.t.Fatal(err)
	}
	version, err := a.AgentsVersion(a.t.Context())
	if err != nil || version != kept.Version || version <= was {
		a.t.Fatalf("got version %d, %d, %v, want both alike and above %d", version, kept.Version, err, was)
	}
	return kept
}

func oneName(t *testing.T, a *agents) {
	a.added("one")
	a.added("two")
	kept := a.kept(0)
	if len(kept.Records) != 2 || kept.Records[0].Name != "one" {
		t.Fatalf("got %+v", kept.Records)
	}
	got, want := kept.Records[0], record("one", "http://one")
	if string(got.Settings) != string(want.Settings) || got.Secret != "sealed" || !got.Created.Equal(now) || !got.Removed.IsZero() || got.Version == 0 {
		t.Errorf("got %+v", got)
	}
	a.is(a.AddAgent(t.Context(), record("one", "http://other"), nil, 10), directory.ErrExists)
	if again, err := a.KeptAgents(t.Context()); err != nil || again.Version != kept.Version || string(again.Records[0].Settings) != string(want.Settings) {
		t.Errorf("who was refused has changed something: %+v, %v", again, err)
	}
}

func addedWithCard(t *testing.T, a *agents) {
	card := &directory.SeenCard{Agent: "one", URL: "http://one", Digest: "aa", Card: []byte(`{"name":"one"}`), Last: now}
	a.is(a.AddAgent(t.Context(), record("one", "http://one"), card, 10), nil)
	if kept := a.kept(0); len(kept.Records) != 1 || kept.Records[0].Name != "one" {
		t.Errorf("got %+v", kept.Records)
	}
	cards, err := a.SeenCards(t.Context(), "one")
	if err != nil || len(cards) != 1 || cards[0].Digest != "aa" || cards[0].URL != "http://one" || !cards[0].InForce.Equal(now) {
		t.Fatalf("got %+v, %v, want the card in force", cards, err)
	}
	other := &directory.SeenCard{Agent: "one", URL: "http://one", Digest: "bb", Card: []byte(`{}`), Last: now.Add(time.Hour)}
	a.is(a.AddAgent(t.Context(), record("one", "http://one"), other, 10), directory.ErrExists)
	a.cards("one", 1)
}

func addRace(t *testing.T, a *agents) {
	var all sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		all.Go(func() { errs[i] = a.AddAgent(t.Context(), record("one", fmt.Sprintf("http://%d", i)), nil, 10) })
	}
	all.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, directory.ErrExists) {
			t.Error(err)
		}
	}
	if won != 1 {
		t.Errorf("got %d who added the agent, want one", won)
	}
}

func fullList(t *testing.T, a *agents) {
	a.added("one")
	a.is(a.AddAgent(t.Context(), record("two", ""), nil, 1), directory.ErrTooMany)
	a.is(a.RemoveAgent(t.Context(), "one", now), nil)
	a.is(a.AddAgent(t.Context(), record("two", ""), nil, 1), nil)
}

func changedAgent(t *testing.T, a *agents) {
	a.added("one")
	kept := a.kept(0)
	next := record("one", "http://next")
	next.Version, next.Secret, next.Changed = kept.Records[0].Version, "other", now.Add(time.Hour)
	a.is(a.ChangeAgent(t.Context(), next, false), nil)
	after := a.kept(kept.Version).Records[0]
	if string(after.Settings) != string(next.Settings) || after.Secret != "other" || !after.Changed.Equal(next.Changed) || !after.Created.Equal(now) || after.Version == next.Version {
		t.Errorf("got %+v", after)
	}
	a.is(a.ChangeAgent(t.Context(), next, false), directory.ErrChanged)
	next.Name = "two"
	a.is(a.ChangeAgent(t.Context(), next, false), directory.ErrNoAgent)
}

func comesBack(t *testing.T, a *agents) {
	a.added("one")
	a.see("one")
	if did, err := a.DisableAgent(t.Context(), "one", now); err != nil || !did {
		t.Fatalf("got %v, %v", did, err)
	}
	was := a.kept(0).Version
	a.is(a.RemoveAgent(t.Context(), "one", now), nil)
	if kept := a.kept(was); len(kept.Records) != 1 || !kept.Records[0].Removed.Equal(now) {
		t.Fatalf("got %+v", kept.Records)
	}
	a.is(a.RemoveAgent(t.Context(), "one", now), directory.ErrNoAgent)
	a.is(a.AddAgent(t.Context(), record("one", "http://new"), nil, 10), nil)
	if kept := a.kept(was + 1); len(kept.Records) != 1 || !kept.Records[0].Removed.IsZero() || string(kept.Records[0].Settings) != `{"url":"http://new"}` || len(kept.Disabled) != 0 {
		t.Errorf("got %+v", kept)
	}
	a.cards("one", 0)
}

func movedAgent(t *testing.T, a *agents) {
	a.added("one")
	for _, moved := range []bool{false, true} {
		a.see("one")
		r := record("one", "")
		r.Version = a.kept(0).Records[0].Version
		a.is(a.ChangeAgent(t.Context(), r, moved), nil)
		a.cards("one", map[bool]int{false: 1, true: 0}[moved])
	}
}

func disabledName(t *testing.T, a *agents) {
	for i, step := range []struct {
		disable, did bool
		left         []string
	}{
		{true, true, []string{"any"}}, {true, false, []string{"any"}}, {false, true, nil}, {false, false, nil},
	} {
		did, err := false, error(nil)
		if step.disable {
			did, err = a.DisableAgent(t.Context(), "any", now)
		} else {
			did, err = a.EnableAgent(t.Context(), "any")
		}
		if kept := a.kept(int64(i)); err != nil || did != step.did || !slices.Equal(kept.Disabled, step.left) {
			t.Errorf("step %d: got %v, %v, %v", i, did, err, kept.Disabled)
		}
	}
}

func removedAgent(t *testing.T, a *agents) {
	a.added("busy")
	a.added("idle")
	a.added("there")
	e := &ledger.Record{Handle: "h", Owner: "alice", Agent: "busy", Created: now, Updated: now}
	a.is(a.AddTask(t.Context(), e, "r", 10), nil)
	for _, name := range []string{"busy", "idle"} {
		a.is(a.RemoveAgent(t.Context(), name, now), nil)
	}
	left := func() (names []string) {
		t.Helper()
		a.is(a.DropAgents(t.Context()), nil)
		for _, r := range a.kept(0).Records {
			names = append(names, r.Name)
		}
		return names
	}
	if got := left(); !slices.Equal(got, []string{"busy", "there"}) {
		t.Errorf("while a task runs: got %v", got)
	}
	e.Task, e.Idle = &a2a.Task{ID: "t", Status: a2a.Status{State: a2a.Completed}}, true
	a.is(a.SaveTask(t.Context(), e, "r"), nil)
	if got := left(); !slices.Equal(got, []string{"there"}) {
		t.Errorf("after it has ended: got %v", got)
	}
}

// see notes a card of the agent's.
func (a *agents) see(name string) {
	a.t.Helper()
	a.is(a.SeeCard(a.t.Context(), directory.SeenCard{Agent: name, Digest: "d", Card: []byte(`{}`), Last: now}, false), nil)
}

func (a *agents) cards(name string, want int) {
	a.t.Helper()
	if cards, err := a.SeenCards(a.t.Context(), name); err != nil || len(cards) != want {
		a.t.Errorf("got %d cards, %v, want %d", len(cards), err, want)
	}
}
