package a2asign

import "time"

// SetNow gives s another clock.
func (s *KeySet) SetNow(now func() time.Time) { s.now = now }
