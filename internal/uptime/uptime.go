// Package uptime has the words for when something answered its probes. It makes no probes, and does not
// know where they are kept.
package uptime

import (
	"fmt"
	"time"
)

// History is how the probes of the last days ended.
type History struct {
	Slots   []Slot   `json:"slots"`   // of two hours each, the earliest first
	Outages []Outage `json:"outages"` // the latest ones, the latest first
}

// Slot says in milliseconds how long something was up in a part of the time, and how long down. Nothing
// is known of the rest.
type Slot struct {
	From time.Time `json:"from"`
	Up   int64     `json:"up_ms"`
	Down int64     `json:"down_ms"`
}

// Outage is a time in which all probes failed.
type Outage struct {
	Began time.Time `json:"began"`
	Until time.Time `json:"until,omitzero"` // zero: it is still down
	Ended bool      `json:"ended"`          // it was up then; false: nothing is known after Until
	Cause string    `json:"cause"`          // of the first probe
}

// Percent returns the share of the known time in which it was up, rounded down; "" if nothing is known.
func (h *History) Percent() string {
	var up, known int64
	for _, s := range h.Slots {
		up += s.Up
		known += s.Up + s.Down
	}
	if known == 0 {
		return ""
	}

	share := up * 10_000 / known
	return fmt.Sprintf("%d.%02d", share/100, share%100)
}
