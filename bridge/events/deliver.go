package events

import (
	"context"
	"crypto/rand"
	"encoding/json"
	math "math/rand/v2"
	"net/http"
	"time"

	"rialto/bridge/directory"
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
func (deliverer) Host(d *Delivery) string { return d.Host }

// Attempt tries to deliver an event, and records the result.
func (s deliverer) Attempt(ctx context.Context, d *Delivery) {
	trying, cancel := context.WithTimeout(ctx, push.AttemptTimeout)
	defer cancel()
	outcome, err := s.try(trying, d)
	if ctx.Err() != nil && !d.Done {
		return // the worker releases it
	}

	writing, cancel := context.WithTimeout(context.WithoutCancel(ctx), push.StoreTimeout)
	defer cancel()
	if err == nil {
		err = s.Subscriptions.Settle(writing, d, s.Replica, outcome)
	}
	if err != nil && ctx.Err() == nil {
		s.Log.ErrorContext(
			ctx, "delivering an event",
			"id", d.Subscription,
			"err", err,
		) // it is delivered again after its lease
	}
}

// outcome is what an attempt means for its subscription.
type outcome = func(*Subscription)

// unchanged is the outcome of an attempt at which nothing was sent.
func unchanged(*Subscription) {}

// try makes one attempt, and changes the delivery to what is to be recorded.
func (s *Service) try(ctx context.Context, d *Delivery) (outcome, error) {
	sub, err := s.Subscriptions.Subscription(ctx, d.Subscription)
	switch {
	case err != nil:
		return nil, err
	case sub == nil:
		return unchanged, nil
	case d.Seq == 0:
		return s.terminate(ctx, d, sub)
	}

	access, alive, err := s.Backend.Access(ctx, sub.Grant)
	if err != nil {
		return nil, err
	}
	if !alive {
		return end, nil
	}

	found, err := s.Logs.Events(ctx, sub.Owner, sub.Name, sub.Filter, d.Seq-1, d.Seq, 1)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 { // it was kept for long enough
		d.Done = true
		return func(sub *Subscription) { sub.Gaps++ }, nil
	}

	switch {
	case s.allows(access, found[0]):
		return s.deliver(ctx, access, d, sub, found[0])
	case sub.Agent != "": // all its events are of this agent
		return end, nil
	default:
		d.Done = true
		return unchanged, nil
	}
}

// end begins to end a subscription.
func end(sub *Subscription) { sub.Ending = true }

// deliver sends an event, after the notice of a gap if there is one.
func (s *Service) deliver(
	ctx context.Context, access directory.Access, d *Delivery, sub *Subscription, e Event,
) (outcome, error) {
	to, err := s.open(sub)
	if err != nil {
		return nil, err
	}
	if d.Body == "" {
		task, err := s.task(ctx, access, e)
		if err != nil {
			return nil, err
		}
		body, err := json.Marshal(s.toMCP(e, task, cursor(sub.Epoch, sub.after(d))))
		if err != nil {
			return nil, err
		}
		d.Body = string(body)
	}
	if sub.Gaps > 0 {
		members := map[string]any{"cursor": cursor(sub.Epoch, sub.Position)}
		a, err := s.control(ctx, sub, to, "gap", members)
		if err != nil || a.retryable() {
			return s.failed(d, sub, e.ID, a, err), nil
		}
	}

	a, err := s.post(ctx, sub, to, e.ID, []byte(d.Body))
	ok := failure(a, err) == ""
	if s.Metrics != nil {
		s.Metrics.Attempted(ok)
	}
	if !ok {
		return s.failed(d, sub, e.ID, a, err), nil
	}

	d.Done = true
	return s.delivered(sub.Gaps), nil
}

// after returns the position of a subscription after a delivery.
func (sub *Subscription) after(d *Delivery) int64 {
	if sub.Position == d.Seq-1 {
		return d.Seq
	}
	return sub.Position // an earlier event waits
}

// delivered is the outcome of an attempt that succeeded, after a notice of some gaps.
func (s *Service) delivered(gaps int64) outcome {
	now := s.Now()
	return func(sub *Subscription) {
		if sub.Gaps == gaps {
			sub.Gaps = 0
		}
		sub.Window.count(now, 0)
		sub.Delivered = now
		sub.Failing = time.Time{}
		sub.Failure = ""
	}
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

// failed schedules the next attempt or gives up the event. The outcome suspends a subscription that
// fails lastingly, until its client renews it.
func (s *Service) failed(d *Delivery, sub *Subscription, event string, a *answer, err error) outcome {
	now := s.Now()
	why := failure(a, err)
	pause := pauseAfter(d.Attempts, math.Float64())
	unwanted := false
	if a != nil {
		pause = max(pause, min(a.retryAfter, retryFor))
		unwanted = a.status == http.StatusGone || a.status == http.StatusRequestEntityTooLarge
	}

	d.Attempts++
	d.Due = now.Add(pause)
	d.GivenUp = unwanted || retriesExhausted(d.Attempts)
	log := s.Log.With(
		"id", sub.ID,
		"event", event,
		"host", sub.Receiver.Host,
		"attempt", d.Attempts,
		"failure", why,
	)
	if d.GivenUp {
		log.Warn("an event was given up")
	} else {
		log.Info("an event was not delivered", "again", d.Due)
	}

	return func(sub *Subscription) {
		if d.GivenUp {
			sub.Gaps++
		}
		if sub.fail(now, why) {
			log.Warn("an event subscription is suspended until its client renews it")
		}
	}
}

// fail counts an attempt that failed, and reports whether it suspends the subscription.
func (sub *Subscription) fail(now time.Time, why string) bool {
	if sub.Failing.IsZero() {
		sub.Failing = now
	}

	sub.Failure = why
	tooMany := sub.Window.count(now, 1)
	lasting := tooMany || now.Sub(sub.Failing) >= suspendAfter
	if !lasting || sub.Ending {
		return false
	}

	sub.Active = false
	return true
}

// pauseAfter returns the pause after failure n of an event, counted from 0. It begins with half a
// second, a quarter of the pause of push notifications: the next events of the task wait.
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

// terminate tells a receiver that its subscription has ended, until it has answered for good or is
// given up. Settle then deletes the subscription.
func (s *Service) terminate(ctx context.Context, d *Delivery, sub *Subscription) (outcome, error) {
	to, err := s.open(sub)
	if err != nil {
		return nil, err
	}

	reason := map[string]any{"code": accessEnded.Code(true), "message": accessEnded.Message}
	a, err := s.control(ctx, sub, to, "terminated", map[string]any{"error": reason})
	accepted := err == nil && !a.retryable()
	if !accepted && !retriesExhausted(d.Attempts+1) {
		return s.failed(d, sub, "", a, err), nil
	}

	d.Done = true
	s.Log.InfoContext(
		ctx, "an event subscription was ended by the server",
		"id", sub.ID,
		"event", sub.Name,
		"failure", failure(a, err),
	)
	return func(sub *Subscription) { sub.Ended = true }, nil
}
