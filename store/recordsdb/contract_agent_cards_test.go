package recordsdb_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"rialto/bridge/directory"
)

// testCards runs the contract of bridge.CardStore against the stores that open
// returns. Each must be empty.
func testCards(t *testing.T, open func(*testing.T) directory.CardStore) {
	for name, test := range map[string]func(*testing.T, *cards){
		"the first card counts, held or not":       firstCard,
		"a held card counts once it is accepted":   heldCard,
		"what is accepted is what was looked at":   otherCard,
		"a card that is not held counts at once":   freeCard,
		"going back is a change like any":          backAgain,
		"cards without end are forgotten":          manyCards,
		"the cards of one agent are not another's": otherCards,
		"another address is another agent":         movedCards,
	} {
		for clock, step := range map[string]time.Duration{"": time.Second, ", within a millisecond": 0} {
			t.Run(name+clock, func(t *testing.T) { test(t, &cards{t: t, CardStore: open(t), now: now, step: step}) })
		}
	}
}

// cards is a store with a clock that goes on by step.
type cards struct {
	directory.CardStore
	t    *testing.T
	now  time.Time
	step time.Duration
}

func (c *cards) see(agent, digest string, hold bool) {
	c.t.Helper()
	c.now = c.now.Add(c.step)
	if err := c.SeeCard(c.t.Context(), directory.SeenCard{Agent: agent, Digest: digest, Card: []byte(`{"name":"` + digest + `"}`), Last: c.now}, hold); err != nil {
		c.t.Fatal(err)
	}
}

func (c *cards) accept(agent, digest string, want error) {
	c.t.Helper()
	c.now = c.now.Add(c.step)
	if err := c.AcceptCard(c.t.Context(), agent, digest, c.now); !errors.Is(err, want) {
		c.t.Errorf("got %v, want %v", err, want)
	}
}

// want checks which card of agent counts, and the list of its cards, the latest first.
func (c *cards) want(agent, inForce string, all ...string) {
	c.t.Helper()
	seen, err := c.SeenCards(c.t.Context(), agent)
	if err != nil {
		c.t.Fatal(err)
	}
	var digests []string
	for _, s := range seen {
		digests = append(digests, s.Digest)
		if string(s.Card) != `{"name":"`+s.Digest+`"}` || s.Agent != agent || s.First.After(s.Last) {
			c.t.Errorf("got %+v", s)
		}
	}
	if valid, _ := directory.InForce(seen); valid.Digest != inForce || fmt.Sprint(digests) != fmt.Sprint(all) {
		c.t.Errorf("got %q of %q, want %q of %q", valid.Digest, digests, inForce, all)
	}
}

func firstCard(t *testing.T, c *cards) {
	c.want("a", "")
	c.accept("a", "1", directory.ErrNoCard)
	c.see("a", "1", true)
	c.want("a", "1", "1")
	c.see("b", "1", false)
	c.want("b", "1", "1")
}

func heldCard(t *testing.T, c *cards) {
	c.see("a", "1", true)
	c.see("a", "2", true)
	c.see("a", "2", true)
	c.want("a", "1", "2", "1")
	c.accept("a", "1", directory.ErrOtherCard)
	c.accept("a", "2", nil)
	c.want("a", "2", "2", "1")
	c.accept("a", "2", directory.ErrNoCard)
	c.accept("a", "1", directory.ErrNoCard)
}

func otherCard(t *testing.T, c *cards) {
	c.see("a", "1", true)
	c.see("a", "2", true)
	c.see("a", "3", true)
	c.accept("a", "2", directory.ErrOtherCard)
	c.want("a", "1", "3", "2", "1")
	c.see("a", "1", true)
	c.accept("a", "3", directory.ErrNoCard)
	c.want("a", "1", "1", "3", "2")
}

func freeCard(t *testing.T, c *cards) {
	c.see("a", "1", false)
	c.see("a", "2", false)
	c.want("a", "2", "2", "1")
	c.see("a", "1", false)
	c.want("a", "1", "1", "2")
	c.accept("a", "1", directory.ErrNoCard)
}

func backAgain(t *testing.T, c *cards) {
	c.see("a", "1", true)
	c.see("a", "2", true)
	c.accept("a", "2", nil)
	c.see("a", "1", true)
	c.want("a", "2", "1", "2")
	c.accept("a", "1", nil)
	c.want("a", "1", "1", "2")
}

func manyCards(t *testing.T, c *cards) {
	c.see("a", "first", true)
	for i := range 3 * directory.CardsKept {
		c.see("a", fmt.Sprint(i), true)
	}
	seen, err := c.SeenCards(t.Context(), "a")
	if err != nil || len(seen) != directory.CardsKept {
		t.Fatalf("got %d cards, %v", len(seen), err)
	}
	if valid, _ := directory.InForce(seen); valid.Digest != "first" || seen[0].Digest != fmt.Sprint(3*directory.CardsKept-1) {
		t.Errorf("got %q in force and %q last", valid.Digest, seen[0].Digest)
	}
}

func movedCards(t *testing.T, c *cards) {
	at := func(url, digest string) {
		t.Helper()
		c.now = c.now.Add(c.step)
		if err := c.SeeCard(t.Context(), directory.SeenCard{Agent: "a", URL: url, Digest: digest, Card: []byte(`{"name":"` + digest + `"}`), Last: c.now}, true); err != nil {
			t.Fatal(err)
		}
	}
	at("http://one", "1")
	at("http://one", "2")
	c.want("a", "1", "2", "1")
	at("http://two", "3")
	c.want("a", "3", "3")
	at("http://two", "2")
	c.want("a", "3", "2", "3")
	if seen, err := c.SeenCards(t.Context(), "a"); err != nil || seen[0].URL != "http://two" || seen[1].URL != "http://two" {
		t.Errorf("got %+v, %v", seen, err)
	}
}

func otherCards(t *testing.T, c *cards) {
	c.see("a", "1", true)
	c.see("b", "2", true)
	c.see("b", "1", true)
	c.accept("b", "1", nil)
	c.want("a", "1", "1")
	c.want("b", "1", "1", "2")
}
