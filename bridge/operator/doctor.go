package operator

import (
	"context"
	"net/url"
	"time"

	"rialto/internal/doctor"
	"rialto/internal/quota"
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
	done, refused := s.examining.Acquire("", quota.Unlimited, mostExamined)
	if refused != nil {
		return nil, errDoctorBusy
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, examination)
	defer cancel()
	return s.Doctor(ctx, address), nil
}
