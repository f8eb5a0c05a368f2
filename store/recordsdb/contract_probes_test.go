package recordsdb_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rialto/store"
	"rialto/store/recordsdb"
)

// probed is a database with two replicas, of which the first one's probes count.
type probed struct {
	*store.DB
	t *testing.T
}

func newProbed(t *testing.T, open func(*testing.T) *store.DB) probed {
	t.Helper()
	db := probed{open(t), t}
	for _, replica := range []string{"A", "B"} {
		if _, err := db.Ledger.Heartbeat(t.Context(), replica, 1); err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// began is the first second of the slot that the tests begin in.
var began = now.Truncate(2 * time.Hour)

func second(s int) time.Time { return began.Add(time.Duration(s) * time.Second) }

// probe notes how probes of an agent ended.
func (db probed) probe(replica, url, cause string, seconds ...int) {
	db.t.Helper()
	for _, s := range seconds {
		err := recordsdb.Probes{Store: db.Records}.Add(db.t.Context(), replica, "maps", url, cause, second(s))
		if err != nil {
			db.t.Fatal(err)
		}
	}
}

// want compares the history of the agent, as it is at a second: the slots with their seconds up and down,
// and the outages.
func (db probed) want(url string, at int, want string) {
	db.t.Helper()
	h, err := recordsdb.Probes{Store: db.Records}.History(db.t.Context(), "maps", url, second(at))
	if err != nil {
		db.t.Fatal(err)
	}
	if last := h.Slots[len(h.Slots)-1].From; len(h.Slots) != 84 || !last.Equal(second(at).Truncate(2*time.Hour)) {
		db.t.Errorf("got %d slots, the last from %s", len(h.Slots), last)
	}
	var all []string
	for _, s := range h.Slots {
		if s.Up+s.Down > 0 {
			all = append(all, fmt.Sprintf("%vh +%d -%d", s.From.Sub(began).Hours(), s.Up/1000, s.Down/1000))
		}
	}
	for _, o := range h.Outages {
		until := "now"
		if !o.Until.IsZero() {
			until = fmt.Sprint(o.Until.Sub(began).Seconds())
		}
		all = append(all, fmt.Sprintf("%v-%s %v %s", o.Began.Sub(began).Seconds(), until, o.Ended, o.Cause))
	}
	if got := strings.Join(all, "; ") + " " + h.Percent(); got != want {
		db.t.Errorf("got %s\nwant %s", got, want)
	}
}

func TestAHistoryHasTheOutagesOfAnAgent(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		db := newProbed(t, open)
		db.want("u", 0, " ")
		db.probe("A", "u", "", 7110, 7140)
		db.probe("A", "u", "refused", 7170)
		db.probe("A", "u", "late", 7200, 7230)
		db.want("u", 7300, "0h +60 -30; 2h +0 -30; 7170-now false refused 50.00")
		db.want("u", 7306, "0h +60 -30; 2h +0 -30; 7170-7230 false refused 50.00")
		db.probe("A", "u", "", 7260, 7290, 7280) // a clock goes back
		db.probe("A", "other", "", 7290)
		db.want("u", 7300, "0h +60 -30; 2h +30 -60; 7170-7260 true refused 50.00")
		db.want("other", 7300, " ")
	})
}

// TestNothingIsKnownOfATimeWithoutProbes has probes that are further apart than two that belong together.
func TestNothingIsKnownOfATimeWithoutProbes(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		db := newProbed(t, open)
		db.probe("A", "u", "", 0, 75, 151, 160)
		db.probe("A", "u", "late", 236, 240)
		db.probe("A", "u", "late", 316, 320)
		db.want("u", 1000, "0h +84 -8; 316-320 false late; 236-240 false late 91.30")
	})
}

// TestTheProbesOfOneReplicaCount: of two replicas, one reaches the agent.
func TestTheProbesOfOneReplicaCount(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		db := newProbed(t, open)
		db.probe("A", "u", "", 0)
		db.probe("B", "u", "refused", 15)
		db.probe("A", "u", "", 30)
		if err := db.Ledger.RemoveReplicas(t.Context(), map[string]int64{"A": 1}); err != nil {
			t.Fatal(err)
		}
		db.probe("B", "u", "", 45)
		db.probe("A", "u", "refused", 50)
		db.want("u", 60, "0h +45 -0 100.00")
	})
}

func TestProbesOfMoreThanAWeekAgoAreDropped(t *testing.T) {
	each(t, func(t *testing.T, open func(*testing.T) *store.DB) {
		db := newProbed(t, open)
		db.probe("A", "u", "late", 0, 30)
		db.probe("A", "u", "", 60, 90)
		for _, week := range []struct {
			second int
			want   string
		}{{7 * 24 * 3600, "0h +30 -60; 0-60 true late 33.33"}, {7*24*3600 + 60, "0h +30 -0 100.00"}, {7*24*3600 + 91, " "}} {
			db.probe("A", "other", "", week.second)
			if err := db.Records.DropAgents(t.Context()); err != nil {
				t.Fatal(err)
			}
			db.want("u", 100, week.want)
		}
	})
}

// TestAnAgentThatComesAndGoesHasABoundedHistory: of 1,003 spans, 1,000 stay.
func TestAnAgentThatComesAndGoesHasABoundedHistory(t *testing.T) {
	db := newProbed(t, func(t *testing.T) *store.DB {
		db, err := store.Open(t.Context(), store.Memory)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		return db
	})
	for i := range 1003 {
		db.probe("A", "u", []string{"late", ""}[i%2], 30*i)
	}
	if err := db.Records.DropAgents(t.Context()); err != nil {
		t.Fatal(err)
	}
	h, err := recordsdb.Probes{Store: db.Records}.History(t.Context(), "maps", "u", second(1003*30))
	if err != nil || len(h.Outages) != 10 {
		t.Fatalf("got %d outages, %v", len(h.Outages), err)
	}
	known := int64(0)
	for _, s := range h.Slots {
		known += s.Up + s.Down
	}
	if want := int64(999 * 30_000); known != want {
		t.Errorf("got %d ms, want %d", known, want)
	}
}
