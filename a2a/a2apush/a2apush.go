// Package a2apush sends and receives push notifications: it notifies webhooks of tasks in
// the generation of A2A that registered them, and checks the notifications of agents.
//
// It stores nothing and tries once: package bridge/push has the outbox and the retries.
package a2apush

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/safehttp"
)

// The headers of a notification. The token has two names: all SDKs of 0.x and
// most of 1.0 use the first, a2a-go of 1.0 the second.
const (
	TokenHeader     = "X-A2A-Notification-Token"
	TokenHeader10   = "A2A-Notification-Token"
	IDHeader        = "X-A2A-Notification-Id"        // the same each time that one is sent again
	SignatureHeader = "X-A2A-Notification-Signature" // t=SECONDS,v1=HEX, of the scheme HMAC
)

// MaxBody bounds a notification, in bytes. A task that does not fit is sent
// without its history, and then without its artifacts: the receiver can get the task.
const MaxBody = 1 << 20

// Sender sends notifications. HTTP, Issuer and Now are required.
type Sender struct {
	HTTP   *safehttp.Client
	Issuer string // who signs, and whose JWKS has the key
	Now    func() time.Time

	Signer Signer // nil sends no JWT

	// SkipValidation accepts webhooks without validation.
	SkipValidation bool
}

// Signer makes a JWT of claims.
type Signer interface {
	Sign(ctx context.Context, claims any) (string, error)
}

// Deliver sends one notification of a task. id identifies it, so that a webhook can detect
// a repetition. InvalidParams means that the URL may not be called: do not retry.
func (s *Sender) Deliver(ctx context.Context, c *a2a.PushConfig, t *a2a.Task, id string) error {
	body, err := Body(c, t)
	if err != nil {
		return err
	}

	header, err := s.header(ctx, c, cmp.Or(c.Name, t.ID), id, body)
	if err != nil {
		return err
	}

	err = s.HTTP.Post(ctx, c.URL, header, body)
	if errors.Is(err, safehttp.ErrURL) || errors.Is(err, safehttp.ErrBlocked) {
		return &a2a.Error{Code: a2a.InvalidParams, Message: err.Error(), Cause: err}
	}

	return err
}

// Body returns the body of the notification of a task.
func Body(c *a2a.PushConfig, t *a2a.Task) ([]byte, error) {
	sent := *t
	sent.ID = cmp.Or(c.Name, t.ID)
	body, err := encode(c.Generation, &sent)
	for _, shorten := range []func(){
		func() { sent.History = nil },
		func() { sent.Artifacts = nil },
		func() {
			sent.Metadata = nil
			sent.Status.Message = nil
		},
	} {
		if err != nil || len(body) <= MaxBody {
			break
		}
		shorten()
		body, err = encode(c.Generation, &sent)
	}

	return body, err
}

// encode returns a notification without escapes, as other languages encode: the sample receiver of
// 0.1 decodes and encodes the body before it checks the hash.
func encode(g a2a.Generation, t *a2a.Task) ([]byte, error) {
	b, err := wire.EncodeNotification(g, t)
	if err != nil {
		return nil, err
	}
	body := jsontext.Value(b)
	if err := body.Format(jsontext.EscapeForHTML(false), jsontext.EscapeForJS(false)); err != nil {
		return nil, fmt.Errorf("encoding the notification: %w", err)
	}
	return body, nil
}
