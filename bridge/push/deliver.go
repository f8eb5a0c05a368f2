package push

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"rialto/a2a"
)

const maxAttempts = 16 // over about six hours; then the notice is dead

// Run delivers the notices that are due, until ctx ends.
func (s *Service) Run(ctx context.Context) {
	w := Worker[*Notice]{
		Queue:     notices{s},
		Added:     s.Outbox.NoticesAdded(),
		Deliverer: notices{s},
		What:      "push notifications",
		Replica:   s.Replica,
		Now:       s.Now,
		Log:       s.Log,
	}
	w.Run(ctx)
}

// notices are those of an Outbox as a Worker delivers them.
type notices struct{ *Service }

// Claim implements Queue.
func (s notices) Claim(
	ctx context.Context, replica string, now, until time.Time, limit int, except []string,
) ([]*Notice, error) {
	return s.Outbox.ClaimNotices(ctx, replica, now, until, limit, except)
}

// Next implements Queue.
func (s notices) Next(ctx context.Context, _ time.Time) (time.Time, error) {
	return s.Outbox.NextNotice(ctx)
}

// Release implements Queue.
func (s notices) Release(ctx context.Context, replica string, now time.Time) error {
	return s.Outbox.ReleaseNotices(ctx, replica, now)
}

// Host implements Deliverer.
func (notices) Host(n *Notice) string { return n.Host }

// Attempt tries to deliver a notice, and records the result.
func (s notices) Attempt(ctx context.Context, n *Notice) {
	err := s.deliver(ctx, n)
	if ctx.Err() != nil && err != nil {
		return // close releases the notice
	}

	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), StoreTimeout)
	defer cancel()
	if s.Metrics != nil {
		s.Metrics.Attempted(err == nil)
	}
	if err == nil {
		err = s.Outbox.NoticeDelivered(writing, n, s.Replica)
	} else {
		err = s.failed(writing, n, err)
	}
	if err != nil {
		s.logError(
			ctx, "recording a push notification", err,
		) // it is delivered again after its lease
	}
}

func (s *Service) deliver(ctx context.Context, n *Notice) error {
	c, err := s.open(n.Handle, n.Hook, n.Sealed)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, AttemptTimeout)
	defer cancel()
	return s.Sender.Deliver(ctx, c, n.Task, fmt.Sprintf("%s.%s.%d", n.Handle, n.Hook, n.Version))
}

// failed schedules the next attempt, unless there were maxAttempts or the error is permanent.
func (s *Service) failed(ctx context.Context, n *Notice, why error) error {
	var due time.Time
	log := s.Log.With("task", n.Handle, "host", n.Host, "attempt", n.Attempts+1)
	if n.Attempts+1 < maxAttempts && !a2a.Is(why, a2a.InvalidParams) {
		due = s.Now().Add(Backoff(n.Attempts, rand.Float64()))
		log.InfoContext(ctx, "a push notification failed", "again", due, "err", why)
	} else {
		log.WarnContext(ctx, "a push notification was given up", "err", why)
	}

	text := why.Error()
	return s.Outbox.NoticeFailed(ctx, n, s.Replica, text[:min(len(text), 500)], due)
}

func (s *Service) logError(ctx context.Context, doing string, err error) {
	if ctx.Err() == nil {
		s.Log.ErrorContext(ctx, doing, "err", err)
	}
}
