package cli

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/store"
	"rialto/store/storetest"
)

// cardStore keeps the cards that an agent has shown.
type cardStore struct {
	db  *store.DB
	log bytes.Buffer
}

func newCardStore(t *testing.T) *cardStore {
	db, err := store.Open(t.Context(), storetest.File(t, store.Open))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return &cardStore{db: db}
}

// show notes a card that the agent shows, and returns the card that is used and
// what was logged.
func (s *cardStore) show(t *testing.T, card string, review bool) (used, logged string, err error) {
	t.Helper()
	s.log.Reset()
	log := slog.New(slog.NewTextHandler(&s.log, nil))
	cards := &directory.Cards{Store: s.db.Records, Now: time.Now, Log: log}
	got, err := cards.Record(t.Context(), "one", "https://one.test", []byte(card), review)
	return string(got), s.log.String(), err
}

func (s *cardStore) says(t *testing.T, do func(*request) error, args ...string) string {
	t.Helper()
	var out bytes.Buffer
	cmd := &cobra.Command{}
	cmd.SetContext(t.Context())
	cmd.SetOut(&out)
	if err := do(newRequest(s.operator(), cmd, args)); err != nil {
		return err.Error()
	}
	return out.String()
}

// operator looks at the cards that were shown.
func (s *cardStore) operator() *operator.Service {
	return &operator.Service{Agents: operator.Agents{Registry: &directory.Registry{Cards: s.db.Records, Now: time.Now}}}
}

func TestAChangedCardRaisesAnAlarm(t *testing.T) {
	for name, review := range map[string]bool{"and counts": false, "and waits to be accepted": true} {
		t.Run(name, func(t *testing.T) {
			s := newCardStore(t)
			list := func() string {
				return s.says(t, (*request).listCards, "one")
			}
			accept := func(digest ...string) string {
				return s.says(t, (*request).acceptCard, append([]string{"one"}, digest...)...)
			}
			if got := list(); !strings.Contains(got, "has not shown a card") {
				t.Errorf("before: got %s", got)
			}
			const one, two = `{"name":"One"}`, `{"name":"Two"}`
			if got, logged, err := s.show(t, one, review); err != nil || got != one || logged != "" {
				t.Fatalf("got %s, %v, log %s", got, err, logged)
			}
			want, remedy := two, "agents cards one"
			if review {
				want = one
			}
			got, logged, err := s.show(t, two, review)
			if err != nil || got != want || !strings.Contains(logged, "changed=name") || !strings.Contains(logged, remedy) {
				t.Errorf("got %s, %v, log %s", got, err, logged)
			}
			if _, logged, _ := s.show(t, two, review); logged != "" {
				t.Errorf("one change raised two alarms: %s", logged)
			}
			if got := list(); !strings.Contains(got, "differs in name") || strings.Contains(got, "waits for") != review || strings.Count(got, "in force") != 1 {
				t.Errorf("got %s", got)
			}
			if got := list(); strings.Contains(got, "name\n      - \"One\"\n      + \"Two\"\n") != review {
				t.Errorf("got %s, want what has changed in a card that waits", got)
			}
			before, waits, _ := strings.Cut(list(), "waits for: rialto agents accept one ")
			waits, _, _ = strings.Cut(waits, "\n")
			if got := accept("0123"); strings.Contains(got, "is in force") || strings.Contains(got, "another card") != review {
				t.Errorf("for an unknown card: got %s", got)
			}
			if review && !strings.HasPrefix(before, waits) {
				t.Errorf("got %q to accept of %q", waits, before)
			}
			if got := accept(waits); strings.Contains(got, "is in force") != review {
				t.Errorf("got %s", got)
			}
			if got, _, err := s.show(t, two, review); err != nil || got != two {
				t.Errorf("after it was accepted: got %s, %v", got, err)
			}
		})
	}
}
