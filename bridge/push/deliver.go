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
		What: "push notifications", Replica: s.Replica, Now: s.Now, Log: s.Log,
		Claim: s.Outbox.ClaimNotices, Next: s.Outbox.NextNotice, Release: s.Outbox.ReleaseNotices, Added: s.Outbox.NoticesAdded(),
		Host: func(n *Notice) string { return n.Host }, Attempt: s.attempt,
	}
	w.Run(ctx)
}

// attempt tries to deliver a notice, and records the result.
func (s *Service) attempt(ctx context.Context, n *Notice) {
	err := s.deliver(ctx, n)
	if ctx.Err() != nil && err != nil {
		return // close releases the notice
	}
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), StoreTimeout)
	defer cancel()
	if s.Attempted != nil {
		s.Attempted(err == nil)
	}
	if err == nil {
		err = s.Outbox.NoticeDelivered(writing, n, s.Replica)
	} else {
		err = s.failed(writing, n, err)
	}
	if err != nil {
		s.logError(ctx, "recording a push notification", err) // it is delivered again after its lease
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
	if n.Attempts+1 < maxAttempts && !a2a.Is(why, a2a.InvalidParams) {
		due = s.Now().Add(Backoff(n.Attempts, rand.Float64()))
		s.Log.InfoContext(ctx, "a push notification failed", "task", n.Handle, "host", n.Host, "attempt", n.Attempts+1, "again", due, "err", why)
	} else {
		s.Log.WarnContext(ctx, "a push notification was given up", "task", n.Handle, "host", n.Host, "attempt", n.Attempts+1, "err", why)
	}
	text := why.Error()
	return s.Outbox.NoticeFailed(ctx, n, s.Replica, text[:min(len(text), 500)], due)
}

func (s *Service) logError(ctx context.Context, doing string, err error) {
	if ctx.Err() == nil {
		s.Log.ErrorContext(ctx, doing, "err", err)
	}
}
