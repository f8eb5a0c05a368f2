package operator

import (
	"context"
	"net/url"
	"time"

	"rialto/internal/doctor"
)

// The bounds of what the doctor does for operators: how long one examination
// takes, and how many there are at once.
const (
	examination  = 90 * time.Second
	mostExamined = 2
)

// Examine has the doctor look at an MCP server from outside. It fails with
// Invalid for what is no address, and where it has enough to do.
func (s *Service) Examine(ctx context.Context, address string) (*doctor.Report, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, Invalid{"This is not an address such as https://rialto.example/mcp."}
	}
	if s.examining.Add(1) > mostExamined {
		s.examining.Add(-1)
		return nil, Invalid{"The doctor is busy. Try again in a minute."}
	}
	defer s.examining.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, examination)
	defer cancel()
	return s.Doctor(ctx, address), nil
}
