package operator

import (
	"context"
	"errors"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/bridge/directory"
	"rialto/internal/audit"
	"rialto/internal/usage"
	"rialto/oauth"
)

// Overview is what an operator wants to know first. Counts are up to MostTotal.
type Overview struct {
	Since     time.Time // a day ago, when the counts begin
	Asking    int       // tasks that wait for an answer
	SigningIn int       // tasks that wait for a sign-in
	Failed    int       // tasks created since then that failed
	Usage     usage.Sum // of the calls since then
	Agents    []directory.AgentStatus
	Waiting   []Task // the latest tasks that wait for an answer
	Failures  []Task // the latest tasks that failed
	Events    []audit.Event
}

// overviewRows bounds each list of an Overview.
const overviewRows = 5

// Overview returns the state of the server. Each of its parts is one bounded query.
func (s *Service) Overview(ctx context.Context) (*Overview, error) {
	o := &Overview{Since: s.Now().Add(-24 * time.Hour)}
	asking := TaskFilter{State: a2a.InputRequired}
	failed := TaskFilter{State: a2a.Failed, Changed: o.Since}
	rows := Rows{Limit: overviewRows, Now: s.Now()}
	var errs [8]error
	var sums []usage.Sum
	sums, errs[0] = s.Usage(ctx, usage.Filter{Since: o.Since}, "", 0)
	o.Agents, errs[1] = s.Agents.List(ctx)
	o.Asking, errs[2] = s.TaskStore.CountTasks(ctx, asking, MostTotal)
	o.SigningIn, errs[3] = s.TaskStore.CountTasks(
		ctx, TaskFilter{State: a2a.AuthRequired}, MostTotal,
	)
	o.Failed, errs[4] = s.TaskStore.CountTasks(ctx, failed, MostTotal)
	o.Waiting, errs[5] = s.TaskStore.ListTasks(ctx, asking, rows)
	o.Failures, errs[6] = s.TaskStore.ListTasks(ctx, failed, rows)
	o.Events, errs[7] = s.AuditStore.Events(ctx, audit.Filter{Limit: overviewRows})
	if len(sums) > 0 {
		o.Usage = sums[0]
	}
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}

	return o, nil
}

// AccountID returns the ID of the account with a name, or the text itself if there is none: it may
// be the ID of an account that was removed.
func (s *Service) AccountID(ctx context.Context, name string) (string, error) {
	if name == "" {
		return "", nil
	}

	a, err := s.OAuth.Accounts.Find(ctx, name)
	if errors.Is(err, oauth.ErrNotFound) {
		return name, nil
	}
	if err != nil {
		return "", err
	}

	return a.ID, nil
}

// ClientIDs returns the IDs of the clients with a name, or the text itself if there are none: it
// may be an ID. It fails with an Error if there are more than MostNamed.
func (s *Service) ClientIDs(ctx context.Context, name string) ([]string, error) {
	if name == "" {
		return nil, nil
	}
	for _, c := range s.OAuth.Clients.AllConfigured() {
		if strings.EqualFold(c.Name, name) {
			return []string{c.ID}, nil
		}
	}

	if _, err := s.Client(ctx, name); !errors.Is(err, ErrNotFound) {
		return []string{name}, err
	}

	ids, err := s.Store.ClientsNamed(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case len(ids) > MostNamed:
		return nil, errTooManyNamed.with(name)
	case len(ids) == 0:
		ids = []string{name}
	}

	return ids, nil
}
