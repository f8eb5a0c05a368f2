package directory

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"rialto/bridge/sanitize"
)

// ErrNoCard says that no card of an agent waits to be accepted. ErrOtherCard says that
// another card waits than the one that was reviewed.
var (
	ErrNoCard    = errors.New("no such card")
	ErrOtherCard = errors.New("the agent has shown another card since: look at it first")
)

// CardsKept is the number of cards that are kept of an agent: the latest.
const CardsKept = 10

// SeenCard is a card that an agent has shown.
type SeenCard struct {
	Agent       string
	URL         string // under which the agent is set up
	Digest      string // SHA-256, in hexadecimal
	Card        []byte // JSON
	First, Last time.Time
	InForce     time.Time // when it was put in force last; zero if it never was
}

// CardStore stores the cards of agents. Its methods are atomic and may be called
// concurrently, by several replicas that share one database.
type CardStore interface {
	// SeeCard records that an agent shows c at c.Last, and puts it in force. With hold, it puts c in force
	// only if no card of the agent is in force. It keeps the latest CardsKept cards of an agent,
	// and none from another URL, which would be another agent.
	SeeCard(ctx context.Context, c SeenCard, hold bool) error

	// AcceptCard puts the latest card of an agent in force. It returns ErrOtherCard if that has
	// another digest, and ErrNoCard if it is in force already or there is none. It changes the
	// version of the list of agents, so that each process reads the card.
	AcceptCard(ctx context.Context, agent, digest string, now time.Time) error

	// SeenCards returns the cards of an agent, the latest first.
	SeenCards(ctx context.Context, agent string) ([]SeenCard, error)
}

// Cards records the cards of agents and warns of changes: someone who changes the card
// of an agent can redirect its callers. All fields are required.
type Cards struct {
	Store   CardStore
	Now     func() time.Time
	Log     *slog.Logger
	Changed func(agent string) // is called when an agent shows another card; it may be nil
}

// Record records the card that an agent shows under a URL, and returns the JSON of the card to use:
// that card or, with hold, the one in force until an operator accepts the new one.
func (c *Cards) Record(
	ctx context.Context,
	agent, url string,
	card []byte,
	hold bool,
) ([]byte, error) {
	seen := SeenCard{
		Agent:  agent,
		URL:    url,
		Digest: digest(card),
		Card:   card,
		Last:   c.Now(),
	}
	before, err := c.Store.SeenCards(ctx, agent)
	before = slices.DeleteFunc(before, func(c SeenCard) bool { return c.URL != url })
	if err == nil {
		err = c.Store.SeeCard(ctx, seen, hold)
	}
	if err != nil {
		return nil, fmt.Errorf("noting the card of %s: %w", agent, err)
	}

	valid, known := InForce(before)
	if !known {
		return card, nil
	}
	if before[0].Digest != seen.Digest {
		c.logChange(ctx, before[0], seen, hold && valid.Digest != seen.Digest)
	}
	if hold {
		return valid.Card, nil
	}

	return card, nil
}

// digest returns the Digest of a card.
func digest(card []byte) string { return fmt.Sprintf("%x", sha256.Sum256(card)) }

// logChange logs a change for the operator.
func (c *Cards) logChange(ctx context.Context, was, is SeenCard, held bool) {
	remedy := "look at it with: rialto agents cards " + is.Agent
	if held {
		remedy = "the card from before stays in force until the new one is accepted: " + remedy
	}
	if c.Changed != nil {
		c.Changed(is.Agent)
	}

	c.Log.WarnContext(
		ctx, "an agent's card has changed",
		"agent", is.Agent,
		"was", was.Digest,
		"is", is.Digest,
		"changed", strings.Join(Changes(was.Card, is.Card), ", "),
		"remedy", remedy,
	)
}

// InForce returns the card of an agent that is in force.
func InForce(cards []SeenCard) (SeenCard, bool) {
	var valid SeenCard
	for _, c := range cards {
		if c.InForce.After(valid.InForce) {
			valid = c
		}
	}
	return valid, !valid.InForce.IsZero()
}

// LatestChange returns the card in force and the one that waits; if none waits, the card that was in
// force before and the one that is. It reports false if the card has not changed. cards has the
// latest first.
func LatestChange(cards []SeenCard) (was, is SeenCard, changed bool) {
	valid, known := InForce(cards)
	if !known {
		return was, is, false
	}
	if cards[0].Digest != valid.Digest {
		return valid, cards[0], true
	}
	was, changed = InForce(
		slices.DeleteFunc(
			slices.Clone(cards), func(c SeenCard) bool { return c.Digest == valid.Digest },
		),
	)
	return was, valid, changed
}

// Changes returns the names of the members in which two cards differ, in order.
func Changes(was, is []byte) []string {
	var before, after map[string]json.RawMessage
	if json.Unmarshal(was, &before) != nil || json.Unmarshal(is, &after) != nil {
		return []string{"all of it"}
	}

	all := maps.Clone(before)
	maps.Copy(all, after)
	var names []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !bytes.Equal(before[name], after[name]) {
			names = append(names, sanitize.Short(name, 64))
		}
	}

	return names
}
