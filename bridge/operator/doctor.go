package operator

import (
	"context"
	"net/url"
	"slices"
	"time"

	"rialto/internal/doctor"
	"rialto/internal/quota"
)

// The bounds of examinations: how long one takes, and how many run at once.
const (
	examination     = 90 * time.Second
	maxExaminations = 2
)

// Doctor examines the server at an address, with a bounded number of requests.
type Doctor interface {
	Examine(ctx context.Context, address string) *doctor.Report
}

// Examinations runs Doctor for operators, a few at a time: see Service.Examine.
type Examinations struct {
	Doctor  Doctor // required where Examine is called
	running quota.Count
}

// Examine examines the MCP server at an address from outside. If it is an address of this server, the
// report has what the records say of its apps. It fails with an Error if the address is not valid, or
// if too many examinations run.
func (s *Service) Examine(ctx context.Context, address string) (*doctor.Report, error) {
	report, err := s.Examinations.examine(ctx, address)
	if err != nil {
		return nil, err
	}
	return report, noteClaude(ctx, s, report)
}

func (e *Examinations) examine(ctx context.Context, address string) (*doctor.Report, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return nil, errAddress
	}

	done, refused := e.running.Acquire("", quota.Unlimited, maxExaminations)
	if refused != nil {
		return nil, errDoctorBusy
	}
	defer done()
	ctx, cancel := context.WithTimeout(ctx, examination)
	defer cancel()
	return e.Doctor.Examine(ctx, address), nil
}
