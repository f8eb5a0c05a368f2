package events

import (
	"context"
	"crypto/rand"
	"encoding/json"
	math "math/rand/v2"
	"net/http"
	"time"

	"rialto/bridge/push"
	"rialto/mcp"
)

const (
	retryFor     = 15 * time.Minute // an event, until it is given up
	maxPause     = 3 * time.Minute  // between attempts
	suspendAfter = 24 * time.Hour   // in which no attempt succeeded

	// A subscription is suspended as well if more than suspendPercent of its attempts within
	// suspendWindow failed, and there were suspendAttempts at least (SEP-3415).
	suspendWindow   = time.Hour
	suspendAttempts = 100
	suspendPercent  = 95
)

// accessEnded is why a subscription is ended whose client lost its access.
var accessEnded = &mcp.EventError{
	Kind:    mcp.EventForbidden,
	Message: "The access of this app has ended.",
}

// deliverer is a push.Deliverer.
type deliverer struct{ *Service }

// Host implements push.Deliverer.
func (deliverer) Host(sub *Subscription) string { return sub.Receiver.Host }

// Attempt delivers the next event of a subscription, and records the result.
func (s deliverer) Attempt(ctx context.Context, sub *Subscription) {
	trying, cancel := context.WithTimeout(ctx, push.AttemptTimeout)
	defer cancel()
	done, err := s.deliverNext(trying, sub)
	if ctx.Err() != nil && !done {
		return // the worker releases the subscription
	}
	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), push.StoreTimeout)
	defer cancel()
	if err == nil {
		err = s.Subscriptions.Settle(writing, sub, s.Replica)
	}
	if err != nil && ctx.Err() == nil {
		s.Log.ErrorContext(
			ctx, "delivering an event",
			"id", sub.ID,
			"err", err,
		) // it is delivered again after its lease
	}
}

// deliverNext makes one attempt and changes the subscription to what is to be recorded. done says
// that the receiver has answered, or that there was nothing to send.
func (s *Service) deliverNext(ctx context.Context, sub *Subscription) (done bool, err error) {
	if sub.Ending {
		return s.terminate(ctx, sub)
	}
	access, alive, err := s.Backend.Access(ctx, sub.Grant)
	if err != nil {
		return false, err
	}
	if !alive {
		return s.end(ctx, sub)
	}
	next, err := s.Logs.Events(ctx, sub.Owner, sub.Name, sub.Filter, sub.Position, sub.Last, 1)
	if err != nil {
		return false, err
	}
	if len(next) == 0 { // they were kept for long enough
		sub.Position = sub.Last
		sub.Gap = true
		sub.Attempts = 0
		return true, nil
	}
	e := next[0]
	switch {
	case s.allows(access, e):
		return s.deliver(ctx, sub, e)
	case sub.Agent != "": // all its events are of this agent
		return s.end(ctx, sub)
	default:
		sub.advance(e.Seq)
		return true, nil
	}
}

// deliver sends an event, after the notice of a gap if there is one.
func (s *Service) deliver(ctx context.Context, sub *Subscription, e Event) (done bool, err error) {
	to, err := s.open(sub)
	if err != nil {
		return false, err
	}
	if sub.Gap {
		a, err := s.control(
			ctx,
			sub,
			to,
			"gap",
			map[string]any{"cursor": cursor(sub.Epoch, sub.Position)},
		)
		if err != nil || a.retryable() {
			s.failed(sub, e, a, err)
			return err == nil, nil
		}
		sub.Gap = false
	}
	body, err := json.Marshal(s.toMCP(e, cursor(sub.Epoch, e.Seq)))
	if err != nil {
		return false, err
	}
	a, err := s.post(ctx, sub, to, e.ID, body)
	ok := failure(a, err) == ""
	if s.Metrics != nil {
		s.Metrics.Attempted(ok)
	}
	if !ok {
		s.failed(sub, e, a, err)
		return err == nil, nil
	}
	sub.Window.count(s.Now(), 0)
	sub.advance(e.Seq)
	sub.Delivered = s.Now()
	sub.Failing = time.Time{}
	sub.Failure = ""
	return true, nil
}

// advance goes on to the next event.
func (sub *Subscription) advance(seq int64) {
	sub.Position = seq
	sub.Attempts = 0
	sub.Due = time.Time{}
}

// count counts an attempt, and returns whether too many have failed within the window.
func (w *Window) count(now time.Time, failed int) bool {
	if now.Sub(w.Since) >= suspendWindow {
		*w = Window{Since: now}
	}
	w.Tried++
	w.Missed += failed
	return w.Tried >= suspendAttempts && w.Missed*100 > w.Tried*suspendPercent
}

// failed schedules the next attempt or gives up the event. It suspends a subscription that fails
// lastingly until its client renews it.
func (s *Service) failed(sub *Subscription, e Event, a *answer, err error) {
	now := s.Now()
	if sub.Failing.IsZero() {
		sub.Failing = now
	}
	sub.Failure = failure(a, err)
	pause := pauseAfter(sub.Attempts, math.Float64())
	unwanted := false
	if a != nil {
		pause = max(pause, min(a.retryAfter, retryFor))
		unwanted = a.status == http.StatusGone || a.status == http.StatusRequestEntityTooLarge
	}
	sub.Attempts++
	sub.Due = now.Add(pause)
	log := s.Log.With(
		"id", sub.ID,
		"event", e.ID,
		"host", sub.Receiver.Host,
		"attempt", sub.Attempts,
		"failure", sub.Failure,
	)
	if unwanted || retriesExhausted(sub.Attempts) {
		sub.advance(e.Seq)
		sub.Gap = true
		log.Warn("an event was given up")
	} else {
		log.Info("an event was not delivered", "again", sub.Due)
	}
	tooMany := sub.Window.count(now, 1)
	lasting := tooMany || now.Sub(sub.Failing) >= suspendAfter
	if lasting && !sub.Ending {
		sub.Active = false
		log.Warn("an event subscription is suspended until its client renews it")
	}
}

// pauseAfter returns the pause after failure n of an event, counted from 0. It begins with half a
// second, a quarter of the pause of push notifications: the next events of the subscription wait.
func pauseAfter(n int, jitter float64) time.Duration {
	return min(push.Backoff(n, jitter)/4, maxPause)
}

// retriesExhausted tells whether so many attempts, with their pauses, have lasted for retryFor.
func retriesExhausted(attempts int) bool {
	var lasted time.Duration
	for n := range attempts {
		lasted += pauseAfter(n, 0)
	}
	return lasted >= retryFor
}

// control sends an envelope that is no event.
func (s *Service) control(
	ctx context.Context,
	sub *Subscription,
	to *target,
	kind string,
	members map[string]any,
) (*answer, error) {
	members["type"] = kind
	body, err := json.Marshal(members)
	if err != nil {
		return nil, err
	}
	return s.post(ctx, sub, to, "msg_"+kind+"_"+rand.Text(), body)
}

// end begins to end a subscription.
func (s *Service) end(ctx context.Context, sub *Subscription) (done bool, err error) {
	sub.Ending = true
	sub.Attempts = 0
	return s.terminate(ctx, sub)
}

// terminate tells a receiver that its subscription has ended, until it has answered for good or is
// given up. Settle then deletes the subscription.
func (s *Service) terminate(ctx context.Context, sub *Subscription) (done bool, err error) {
	to, err := s.open(sub)
	if err != nil {
		return false, err
	}
	reason := map[string]any{"code": accessEnded.Code(true), "message": accessEnded.Message}
	a, err := s.control(ctx, sub, to, "terminated", map[string]any{"error": reason})
	accepted := err == nil && !a.retryable()
	if accepted || retriesExhausted(sub.Attempts+1) {
		sub.Ended = true
		s.Log.InfoContext(
			ctx, "an event subscription was ended by the server",
			"id", sub.ID,
			"event", sub.Name,
			"failure", failure(a, err),
		)
		return true, nil
	}
	s.failed(sub, Event{Seq: sub.Position}, a, err)
	return err == nil, nil
}
