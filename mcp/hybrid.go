package mcp

import "sync/atomic"

// hybrid is a way in which a request mixes the two eras.
type hybrid int

// The hybrids that hosted clients have been seen to send.
const (
	pure                hybrid = iota
	olderHeader                // the body is of 2026-07-28, the header older: Claude's connectors
	metaWithoutRevision        // client info in _meta, but no revision: ChatGPT
	newerHeader                // a session, and a header newer than what was agreed on in it
	doubledHeader              // the header twice, from a proxy
	hybridKinds
)

// String returns the name by which the hybrid is counted and logged.
func (h hybrid) String() string {
	return [hybridKinds]string{"pure", "older header", "meta without revision", "newer header", "doubled header"}[h]
}

// hybrids counts the hybrids that were understood.
type hybrids [hybridKinds]atomic.Int64

// Hybrids returns how many requests of each hybrid kind were understood. They
// are bugs of clients; the day the counts stay zero Server.Strict can be set.
func (s *Server) Hybrids() map[string]int64 {
	counts := make(map[string]int64, hybridKinds-1)
	for h := pure + 1; h < hybridKinds; h++ {
		counts[h.String()] = s.hybrids[h].Load()
	}
	return counts
}

// tolerate counts a hybrid, and logs it the 1st, 2nd, 4th, 8th ... time: often
// enough to be seen, and never a flood.
func (x *exchange) tolerate(h hybrid) {
	if n := x.s.hybrids[h].Add(1); n&(n-1) == 0 {
		x.s.log().Info("mcp request mixes revisions", "hybrid", h.String(), "count", n,
			"client", x.client.Name, "version", x.client.Version, "method", clip(x.method()))
	}
}
