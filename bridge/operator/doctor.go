package operator

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"rialto/internal/doctor"
	"rialto/internal/quota"
	"rialto/oauth"
)

// The bounds of examinations: how long one takes, and how many run at once.
const (
	examination     = 90 * time.Second
	maxExaminations = 2
)

// Doctor examines the server at an address, with a bounded number of requests.
type Doctor interface {
	// Examine sends the token, if it is not "", to the address alone.
	Examine(ctx context.Context, address, token string) *doctor.Report
}

// Examinations runs Doctor for operators, a few at a time: see Service.Examine.
type Examinations struct {
	Doctor  Doctor // required where Examine is called
	running quota.Count
}

// Examine examines the MCP server at an address from outside. If it is an address of this server, the
// report has what the records say of its apps, and with login, the examination continues behind the
// login as the operator. It fails with an Error if the address is not valid, or if too many
// examinations run.
func (s *Service) Examine(
	ctx context.Context, by Actor, address string, login bool,
) (*doctor.Report, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return nil, errAddress
	}

	done, refused := s.Examinations.running.Acquire("", quota.Unlimited, maxExaminations)
	if refused != nil {
		return nil, errDoctorBusy
	}
	defer done()

	report, err := examine(ctx, s, by, address, login)
	if err != nil {
		return nil, err
	}

	return report, noteClaude(ctx, s, report)
}

// examine continues behind the login, if it may, with a token that ends with the examination. Below the
// address of the server are its connectors, but for those with a host of their own, which may lead
// elsewhere: the token never leaves the server's own origin.
func examine(
	ctx context.Context, s *Service, by Actor, address string, login bool,
) (report *doctor.Report, err error) {
	limited, cancel := context.WithTimeout(ctx, examination)
	defer cancel()
	of, foreign := s.OAuth.Resources.Asked([]string{address})
	own := foreign == nil && strings.HasPrefix(of.URL, s.OAuth.Resource)
	if !login || !own || !of.Admits(by.Name) {
		return s.Examinations.Doctor.Examine(limited, address, ""), nil
	}

	scopes := []string{oauth.ScopeTools}
	token, grant, err := issue(ctx, s, by, of, by.Name, scopes, examination)
	if err != nil {
		return nil, err
	}
	defer func() {
		err = errors.Join(err, s.RevokeGrant(context.WithoutCancel(ctx), by, grant.ID))
	}()

	report = s.Examinations.Doctor.Examine(limited, of.URL, token)
	report.Account = by.Name
	return report, nil
}
