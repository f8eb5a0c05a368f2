package operator

import (
	"context"
	"net/url"
	"time"

	"rialto/internal/doctor"
)

// The bounds of examinations: how long one takes, and how many run at once.
const (
	examination  = 90 * time.Second
	mostExamined = 2
)

// Examine examines the MCP server at an address from outside. It fails with an Error
// if the address is not valid, or if too many examinations run.
func (s *Service) Examine(ctx context.Context, address string) (*doctor.Report, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errAddress
	}
	if s.examining.Add(1) > mostExamined {
		s.examining.Add(-1)
		return nil, errDoctorBusy
	}
	defer s.examining.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, examination)
	defer cancel()
	return s.Doctor(ctx, address), nil
}
