package oauth

import "time"

// expiry says what may be forgotten now. A client that never got a grant goes
// after a day; one that did goes with its last grant, 90 days after that ended.
func (s *Server) expiry() Expiry {
	now := s.Now()
	return Expiry{
		Now:     now,
		Grants:  now.Add(-90 * 24 * time.Hour),
		Clients: now.Add(-24 * time.Hour),
		Grace:   s.Grace,
	}
}
