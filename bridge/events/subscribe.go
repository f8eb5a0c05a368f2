package events

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"rialto/bridge/directory"
	"rialto/internal/quota"
	"rialto/internal/sealed"
	"rialto/mcp"
)

const (
	defaultTTL  = time.Hour        // of a subscription that names none
	minTTL      = time.Minute      // whatever it names
	maxTTL      = 24 * time.Hour   // also of one that asks for no end
	verifiedFor = 24 * time.Hour   // until a receiver is asked again whether it wants events
	reservedFor = time.Minute      // for the verification of a new subscription
	secretGrace = 10 * time.Minute // in which the secret before signs as well
	maxURL      = 2 << 10          // the address of a webhook

	maxVerifications = 10 // receivers that are verified in a minute, of a user
)

// verifications bounds how often a user has receivers verified: a verification calls an address that
// the user chooses.
var verifications = quota.Bucket{Burst: maxVerifications, Window: time.Minute}

// target is where events go, and with which secrets they are signed.
type target struct {
	URL    string    `json:"url"`
	Secret string    `json:"secret"`
	Before string    `json:"before,omitempty"` // the secret that was replaced
	Until  time.Time `json:"until,omitzero"`   // when Before ends
}

// subscriptionID identifies a subscription by what makes it one: who, where, what.
func subscriptionID(principal, address, name string, arguments json.RawMessage) (string, error) {
	key, err := json.Marshal(map[string]any{
		"principal": principal,
		"url":       address,
		"name":      name,
		"arguments": arguments,
	})
	if err != nil {
		return "", err
	}

	canonical := jsontext.Value(key)
	if err := canonical.Canonicalize(); err != nil {
		return "", err
	}

	sum := sha256.Sum256(canonical)
	return "sub_" + hex.EncodeToString(sum[:16]), nil
}

// Subscribe implements mcp.Events. Equal requests at once are one: its receiver is verified once, and
// all get the same answer.
func (s *Service) Subscribe(
	ctx context.Context, principal string, q *mcp.EventSubscription,
) (*mcp.EventGrant, error) {
	access, err := s.access(ctx)
	if err != nil {
		return nil, err
	}

	sub, log, err := s.newSubscription(ctx, access, principal, q)
	if err != nil {
		return nil, err
	}

	request, err := json.Marshal(q)
	if err != nil {
		return nil, err
	}

	g, err, _ := s.subscribes.Do(sub.ID+sub.Grant+string(request), func() (any, error) {
		return s.subscribe(context.WithoutCancel(ctx), access, sub, log, q)
	})
	if err != nil {
		return nil, err
	}

	return g.(*mcp.EventGrant), nil
}

// subscribe verifies the receiver of a subscription, and begins or renews the subscription.
func (s *Service) subscribe(
	ctx context.Context,
	access directory.Access,
	sub *Subscription,
	log Log,
	q *mcp.EventSubscription,
) (*mcp.EventGrant, error) {
	late, err := s.alreadyReached(ctx, access, sub, q)
	if err != nil {
		return nil, err
	}

	kept, verified, err := s.reserve(ctx, sub)
	if err != nil {
		return nil, err
	}

	to, err := s.newTarget(kept, q)
	if err != nil {
		return nil, err
	}

	sub.Fence = kept.Fence
	sub.Verified = verified
	renewed := !kept.Verified.IsZero()
	if renewed {
		late = nil
	}
	if err := s.admit(ctx, sub, to, late); err != nil {
		return nil, err
	}

	sub.Receiver.Sealed, err = s.seal(sub.ID, to)
	if err != nil {
		return nil, err
	}

	truncated, err := s.begin(ctx, sub, log, q)
	if err != nil {
		return nil, err
	}
	if err := s.confirm(ctx, sub); err != nil {
		return nil, err
	}

	s.Wake()
	s.Log.InfoContext(
		ctx, "an event subscription begins",
		"id", sub.ID,
		"event", sub.Name,
		"host", sub.Receiver.Host,
		"renewed", renewed,
		"until", sub.Expires,
	)
	g := &mcp.EventGrant{
		ID:            sub.ID,
		RefreshBefore: &sub.Expires,
		Cursor:        cursor(sub.Epoch, sub.Position),
		Truncated:     truncated && !renewed,
	}
	if renewed {
		g.Status = status(kept)
	}

	return g, nil
}

// admit verifies the receiver of a reserved subscription, unless it was verified lately. It drops the
// subscription if that fails, or if there is a refusal.
func (s *Service) admit(ctx context.Context, sub *Subscription, to *target, refusal error) error {
	err := refusal
	now := s.Now()
	if err == nil && now.Sub(sub.Verified) > verifiedFor {
		err = s.verify(ctx, sub, to)
		sub.Verified = now
	}
	if err == nil {
		return nil
	}

	if _, dropped := s.Subscriptions.Drop(ctx, sub.ID, sub.Fence); dropped != nil {
		s.Log.ErrorContext(
			ctx, "dropping an event subscription that was not verified",
			"id", sub.ID,
			"err", dropped,
		)
	}
	return err
}

// reserve makes room for a subscription. It returns that of the store, and when its receiver was
// last verified.
func (s *Service) reserve(
	ctx context.Context, sub *Subscription,
) (*Subscription, time.Time, error) {
	most, perUser := s.Backend.Limits()
	kept, verified, err := s.Subscriptions.Reserve(ctx, sub, most, perUser)
	switch {
	case errors.Is(err, ErrFullOwner):
		text := "You have too many event subscriptions. Unsubscribe from some, or let them expire."
		err = exhausted(text, perUser)
	case errors.Is(err, ErrFull):
		err = exhausted("The server has no room for more event subscriptions.", most)
	}

	return kept, verified, err
}

// confirm makes a reserved subscription get events.
func (s *Service) confirm(ctx context.Context, sub *Subscription) error {
	confirmed, err := s.Subscriptions.Confirm(ctx, sub)
	if err == nil && !confirmed {
		err = &mcp.EventError{
			Kind:    mcp.EventNotFound,
			Message: "The subscription was ended meanwhile.",
			Data:    map[string]any{"kind": "subscription"},
		}
	}
	return err
}

// newSubscription returns the subscription that a client asks for, not verified yet.
func (s *Service) newSubscription(
	ctx context.Context,
	access directory.Access,
	principal string,
	q *mcp.EventSubscription,
) (*Subscription, Log, error) {
	if err := s.HTTP.Check(q.URL); err != nil || len(q.URL) > maxURL {
		return nil, Log{}, mcp.Refusal(
			"delivery.url must be an https address on the public internet, without a username: "+
				addressFault(err),
			nil,
		)
	}

	u, err := url.Parse(q.URL)
	if err != nil {
		return nil, Log{}, mcp.Refusal("delivery.url is not an address", nil)
	}

	id, err := subscriptionID(principal, q.URL, q.Name, q.Arguments)
	if err != nil {
		return nil, Log{}, mcp.Refusal("the arguments cannot be read: "+err.Error(), nil)
	}

	sub := &Subscription{
		ID:       id,
		Owner:    access.User(),
		Client:   access.Client(),
		Grant:    s.Backend.Grant(ctx),
		Name:     q.Name,
		Receiver: Receiver{Host: u.Host, Address: addressHash(q.URL)},
		Fence:    rand.Text(),
	}
	if err := json.Unmarshal(q.Arguments, &sub.Filter); err != nil {
		return nil, Log{}, err
	}
	if sub.Agent != "" && s.Directory.Agent(access, sub.Agent) == nil {
		return nil, Log{}, &mcp.EventError{
			Kind: mcp.EventForbidden,
			Message: "There is no agent with this name, or you may not use it. " +
				"list_agents lists your agents.",
		}
	}

	sub.Expires = s.Now().Add(reservedFor)
	log, err := s.log(ctx, sub.Owner, sub.Name)
	return sub, log, err
}

// alreadyReached returns a refusal as late if the task of a new subscription has ended, or is in the state that
// the subscription waits for. It returns an error if the task is not the caller's. The caller has read
// the log before: a later change of the task is an event after the log's last one.
func (s *Service) alreadyReached(
	ctx context.Context, access directory.Access, sub *Subscription, q *mcp.EventSubscription,
) (late, err error) {
	if sub.Task == "" {
		return nil, nil
	}

	task, err := s.Backend.Task(ctx, access, sub.Task)
	switch {
	case err != nil:
		return nil, err
	case task == nil:
		return nil, &mcp.EventError{
			Kind:    mcp.EventForbidden,
			Message: "There is no task with this task_id, or it is not yours. list_tasks lists your tasks.",
		}
	case q.Cursor == "" && (task.Ended || sub.waitsFor(task.State)):
		return mcp.Refusal(
			"The state of this task is "+task.State+" already, so the event would not come. "+
				"Call get_task with the task_id.",
			nil,
		), nil
	}

	return nil, nil
}

// waitsFor reports whether a state is what a subscription waits for.
func (sub *Subscription) waitsFor(state string) bool {
	return sub.Name == "task."+strings.ReplaceAll(state, "-", "_") || slices.Contains(sub.States, state)
}

func addressHash(address string) string {
	sum := sha256.Sum256([]byte(address))
	return hex.EncodeToString(sum[:16])
}

func addressFault(err error) string {
	if err == nil {
		return "it is too long"
	}
	return err.Error()
}

func exhausted(text string, most int) error {
	return &mcp.EventError{
		Kind:    mcp.EventExhausted,
		Message: text,
		Data:    map[string]any{"limit": "subscriptions", "max": most},
	}
}

// newTarget returns the target of a subscription. A secret that is replaced signs for a while longer.
func (s *Service) newTarget(kept *Subscription, q *mcp.EventSubscription) (*target, error) {
	to := &target{URL: q.URL, Secret: q.Secret}
	if kept.Receiver.Sealed == "" {
		return to, nil
	}

	old, err := s.open(kept)
	if err != nil {
		return nil, err
	}

	switch {
	case old.Secret != to.Secret:
		to.Before, to.Until = old.Secret, s.Now().Add(secretGrace)
	case s.Now().Before(old.Until):
		to.Before = old.Before
		to.Until = old.Until
	}

	return to, nil
}

// begin sets how long a subscription lives and, if it is new, where it begins.
func (s *Service) begin(
	ctx context.Context,
	sub *Subscription,
	log Log,
	q *mcp.EventSubscription,
) (truncated bool, err error) {
	ttl := defaultTTL
	switch {
	case q.Endless:
		ttl = maxTTL
	case q.TTL != nil:
		ttl = min(max(*q.TTL, minTTL), maxTTL)
	}

	sub.Expires = s.Now().Add(ttl).Truncate(time.Millisecond).UTC()
	sub.Position = log.Last
	if q.Cursor != "" {
		sub.Position, truncated, err = s.replayFrom(ctx, sub.Owner, log, sub.Filter, &q.EventQuery)
		if truncated {
			sub.Gaps = 1
		}
	}

	return truncated, err
}

// status tells how the deliveries of a subscription went before it was renewed.
func status(s *Subscription) *mcp.EventDeliveryStatus {
	d := &mcp.EventDeliveryStatus{Active: s.Active}
	if !s.Delivered.IsZero() {
		d.LastDeliveryAt = &s.Delivered
	}
	if s.Failure != "" {
		d.LastError = &s.Failure
	}
	if !s.Failing.IsZero() {
		d.FailedSince = &s.Failing
	}

	return d
}

// Unsubscribe implements mcp.Events. The ID holds the principal, so that users
// end only subscriptions of their own.
func (s *Service) Unsubscribe(
	ctx context.Context, principal string, q *mcp.EventSubscription,
) error {
	if _, err := s.access(ctx); err != nil {
		return err
	}

	id, err := subscriptionID(principal, q.URL, q.Name, q.Arguments)
	if err != nil {
		return mcp.Refusal("the arguments cannot be read: "+err.Error(), nil)
	}

	dropped, err := s.Subscriptions.Drop(ctx, id, "")
	if err == nil && dropped != nil {
		s.Log.InfoContext(ctx, "an event subscription was ended", "id", id, "event", dropped.Name)
	}

	return err
}

func (s *Service) seal(id string, t *target) (string, error) {
	return sealed.SealJSON(s.Key, place(id), t)
}

func (s *Service) open(sub *Subscription) (*target, error) {
	var t target
	if err := sealed.OpenJSON(s.Key, place(sub.ID), sub.Receiver.Sealed, &t); err != nil {
		return nil, err
	}
	return &t, nil
}

func place(id string) string {
	return strings.Join([]string{"event_subscriptions", "config", id}, "|")
}
