package events

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/sanitize"
)

// AgentsChanged says that an agent, or the list of agents, has changed. It does not wait.
func (s *Service) AgentsChanged() { s.agentsChanged.Notify() }

// watchAgents makes events of the changes of agents, until ctx ends. Changes while no server runs
// make none.
func (s *Service) watchAgents(ctx context.Context) {
	before := fingerprints(s.Directory)
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.agentsChanged.Ready():
		}
		now := fingerprints(s.Directory)
		for _, name := range changedNames(before, now) {
			e := agentEvent(name, before[name], now[name], s.Now())
			if err := s.Logs.Emit(ctx, e); err != nil && ctx.Err() == nil {
				s.Log.ErrorContext(ctx, "adding an event of an agent", "agent", name, "err", err)
			}
		}
		before = now
		s.Wake()
	}
}

// fingerprint is an agent at one moment; the zero value is none.
type fingerprint struct {
	Settings, Card string // sums; Card is "" until the card has been read
	Title          string
	Disabled       bool
	UseCases       []string
}

// same tells whether nothing has changed. That a card is read for the first time is no change.
func (f fingerprint) same(g fingerprint) bool {
	return f.Settings == g.Settings && (f.Card == g.Card || f.Card == "" || g.Card == "")
}

func fingerprints(d *directory.Directory) map[string]fingerprint {
	all := map[string]fingerprint{}
	for _, e := range d.All() {
		f := fingerprint{
			Disabled: e.Disabled,
			UseCases: e.UseCases,
			Settings: sum([]any{e.URL, e.Disabled, e.UseCases}),
		}
		if card := e.LastCard(); card != nil {
			f.Title, f.Card = sanitize.Label(card.Name), sum(card)
		}
		all[e.Name] = f
	}

	return all
}

func sum(v any) string {
	b, _ := json.Marshal(v) // always has a JSON form
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:12])
}

// changedNames returns the agents that differ.
func changedNames(before, now map[string]fingerprint) (names []string) {
	for name := range before {
		if !before[name].same(now[name]) {
			names = append(names, name)
		}
	}

	for name := range now {
		if _, known := before[name]; !known {
			names = append(names, name)
		}
	}

	return names
}

// agentEvent returns the event of a change, for those who may know of the agent. All replicas that see
// the change make the same.
func agentEvent(name string, before, now fingerprint, at time.Time) Event {
	change := "changed"
	useCases := now.UseCases
	switch {
	case now.Settings == "":
		change = "removed"
		useCases = before.UseCases
	case before.Settings == "":
		change = "added"
	case now.Disabled && !before.Disabled:
		change = "disabled"
	}

	return Event{
		ID:       "agent." + sum([]any{name, before, now}),
		Name:     agentChanged,
		At:       at,
		Agent:    name,
		State:    change,
		Text:     now.Title,
		UseCases: useCases,
	}
}
