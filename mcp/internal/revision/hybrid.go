package revision

import "sync/atomic"

// Hybrid is a way in which a request mixes the two eras.
type Hybrid int

// The hybrids that hosted clients send.
const (
	Pure                Hybrid = iota
	OlderHeader                // the body is of 2026-07-28, the header older: Claude's connectors
	MetaWithoutRevision        // client info in _meta, but no revision: ChatGPT
	NewerHeader                // a session, and a header newer than its revision
	DoubledHeader              // the header twice, from a proxy
	hybridKinds
)

// String returns the name by which the hybrid is counted and logged.
func (h Hybrid) String() string {
	return [hybridKinds]string{"pure", "older header", "meta without revision", "newer header", "doubled header"}[h]
}

// Hybrids counts the hybrid requests that were served. The zero value is ready.
type Hybrids [hybridKinds]atomic.Int64

// Add counts one and returns how many of its kind there are.
func (c *Hybrids) Add(h Hybrid) int64 { return c[h].Add(1) }

// Counts returns the counts by name.
func (c *Hybrids) Counts() map[string]int64 {
	counts := make(map[string]int64, hybridKinds-1)
	for h := Pure + 1; h < hybridKinds; h++ {
		counts[h.String()] = c[h].Load()
	}
	return counts
}
