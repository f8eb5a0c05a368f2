package events

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"

	"rialto/bridge/push"
	"rialto/internal/quota"
)

// ErrNoSubscription says that a user has no such subscription.
var ErrNoSubscription = errors.New("there is no such event subscription")

// Own returns the subscriptions of a user, the latest first.
func (s *Service) Own(ctx context.Context, user string) ([]*Subscription, error) {
	return s.Subscriptions.OwnSubscriptions(ctx, user)
}

// Redeliver makes the events that wait for a user's receiver due, and those that were given up.
func (s *Service) Redeliver(ctx context.Context, user, id string) error {
	found, err := s.Subscriptions.Redeliver(ctx, user, id)
	if err == nil && !found {
		err = ErrNoSubscription
	}
	s.Wake()
	return err
}

// Test sends a user's receiver an event that tells of no task. It returns the category of the failure,
// "" if the receiver took it.
func (s *Service) Test(ctx context.Context, user, id string) (why string, err error) {
	sub, err := s.Subscriptions.Subscription(ctx, id)
	if err != nil {
		return "", err
	}
	if sub == nil || sub.Owner != user {
		return "", ErrNoSubscription
	}
	if err := s.verifies.Take(verifications, s.Now(), quota.Key{Name: user}); err != nil {
		return "", err
	}

	to, err := s.open(sub)
	if err != nil {
		return "", err
	}

	e := Event{
		ID:    "test." + rand.Text(),
		Name:  sub.Name,
		At:    s.Now(),
		Task:  "test",
		Agent: cmp.Or(sub.Agent, "test"),
		State: "test",
		Text:  "This is a test. No task has changed.",
	}
	body, err := json.Marshal(s.toMCP(e, nil, cursor(sub.Epoch, sub.Position)))
	if err != nil {
		return "", err
	}

	ctx, cancel := context.WithTimeout(ctx, push.AttemptTimeout)
	defer cancel()
	a, err := s.post(ctx, sub, to, e.ID, body)
	return failure(a, err), nil
}
