package events

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"

	"rialto/bridge/push"
	"rialto/internal/quota"
)

// ErrNoSubscription says that a user has no such subscription.
var ErrNoSubscription = errors.New("there is no such event subscription")

// TestFailed is why a receiver did not take a test event: the category of the failure.
type TestFailed string

func (why TestFailed) Error() string { return "the test event was not taken: " + string(why) }

// Redeliver makes the events due that wait for a user's receiver, and those that were given up.
func (s *Service) Redeliver(ctx context.Context, user, id string) error {
	defer s.Wake()
	return s.Subscriptions.Redeliver(ctx, user, id)
}

// Test sends a user's receiver an event that tells of no task. It returns TestFailed if the receiver
// did not take it.
func (s *Service) Test(ctx context.Context, user, id string) error {
	sub, err := s.Subscriptions.Subscription(ctx, id)
	switch {
	case err != nil:
		return err
	case sub == nil || sub.Owner != user:
		return ErrNoSubscription
	case s.verifies.Take(verifications, s.Now(), quota.Key{Name: user}) != nil:
		return TestFailed("too_many")
	}

	to, err := s.open(sub)
	if err != nil {
		return err
	}

	e := Event{
		ID:    "test." + rand.Text(),
		Name:  sub.Name,
		At:    s.Now(),
		Task:  "test",
		Agent: "test",
		State: "test",
		Text:  "This is a test. No task has changed.",
	}
	body, err := json.Marshal(s.toMCP(e, nil, cursor(sub.Epoch, sub.Position)))
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, push.AttemptTimeout)
	defer cancel()
	if why := failure(s.post(ctx, sub, to, e.ID, body)); why != "" {
		return TestFailed(why)
	}

	return nil
}
