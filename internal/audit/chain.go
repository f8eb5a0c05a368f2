package audit

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
)

// Link is an event with its place in the chain of all events. Seq rises by one with each event.
type Link struct {
	Event
	Seq  int64
	Hash string // see Hash
}

// ChainEnd is where a part of the chain ends: the number and hash of its last event.
type ChainEnd struct {
	Seq  int64  `json:"seq"` // 0 for none
	Hash string `json:"hash"`
}

// Key is the secret of keyed hashes. An empty Key makes hashes without a secret.
type Key []byte

// keyedPrefix begins the hashes that were made with a key.
const keyedPrefix = "hmac:"

func (e ChainEnd) keyed() bool { return strings.HasPrefix(e.Hash, keyedPrefix) }

// Hash returns the hash of an event: SHA-256 (HMAC with a key), in hex, of a JSON array of its number,
// the hash of the event before it and its fields.
func (k Key) Hash(before ChainEnd, e Event) string {
	text, err := json.Marshal([]any{
		before.Seq + 1,
		before.Hash,
		e.At.UnixMilli(),
		e.ID,
		e.Kind,
		e.Outcome,
		e.ActorID,
		e.Actor,
		e.Address,
		e.Target,
		e.Detail,
	})
	if err != nil {
		panic(err) // strings and numbers
	}

	if len(k) == 0 {
		sum := sha256.Sum256(text)
		return hex.EncodeToString(sum[:])
	}
	sum := hmac.New(sha256.New, k)
	sum.Write(text)
	return keyedPrefix + hex.EncodeToString(sum.Sum(nil))
}

// Chain is what was verified.
type Chain struct {
	Events  int      `json:"events"`
	Unkeyed int      `json:"unkeyed"` // the first events, from before hashes had a key
	End     ChainEnd `json:"end"`     // of the last event

	Key     Key        `json:"-"`
	Anchors []ChainEnd `json:"-"` // ends of earlier times, which were kept elsewhere, by their numbers
}

// BrokenError says where the chain breaks first.
type BrokenError struct {
	Seq int64
	ID  string // the ID of the event there, if it exists
	Why string
}

// Error names the place and the reason.
func (e *BrokenError) Error() string {
	if e.ID == "" {
		return fmt.Sprintf("the audit log is broken at event %d: %s", e.Seq, e.Why)
	}
	return fmt.Sprintf("the audit log is broken at event %d (id %s): %s", e.Seq, e.ID, e.Why)
}

// Follow checks the next event of the chain and moves on to it.
func (c *Chain) Follow(l Link) error {
	if want := c.End.Seq + 1; l.Seq != want {
		return &BrokenError{Seq: want, Why: fmt.Sprintf("it is missing; the next is %d", l.Seq)}
	}

	end := ChainEnd{l.Seq, l.Hash}
	key := c.Key
	if !end.keyed() && !c.End.keyed() { // of a version without a key
		key = nil
		c.Unkeyed++
	}
	if l.Hash != key.Hash(c.End, l.Event) {
		return &BrokenError{
			Seq: l.Seq,
			ID:  l.ID,
			Why: "it was changed, or another was put in its place",
		}
	}

	for ; len(c.Anchors) > 0 && c.Anchors[0].Seq <= l.Seq; c.Anchors = c.Anchors[1:] {
		a := c.Anchors[0]
		other := a.Seq == l.Seq && a.Hash != l.Hash
		forged := a.keyed() && !end.keyed()
		if other || forged {
			return &BrokenError{Seq: l.Seq, ID: l.ID, Why: "it is not the one that was anchored"}
		}
	}
	c.Events++
	c.End = end
	return nil
}

// Ends checks that the last event is the one that was written last, and that no anchor knows a later
// one.
func (c *Chain) Ends(last ChainEnd) error {
	if n := len(c.Anchors); n > 0 && c.Anchors[n-1].Seq > last.Seq {
		last = c.Anchors[n-1]
	}
	switch {
	case c.End.Seq < last.Seq:
		return &BrokenError{
			Seq: c.End.Seq + 1,
			Why: fmt.Sprintf("it is missing, and all events after it up to %d", last.Seq),
		}
	case c.End != last:
		return &BrokenError{Seq: c.End.Seq, Why: "the table audit_chain has another end"}
	}
	return nil
}
