package events

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"time"

	"rialto/bridge/push"
	"rialto/internal/dberr"
	"rialto/internal/quota"
	"rialto/internal/safehttp"
	"rialto/mcp"
)

// The headers of a webhook (Standard Webhooks), and that of MCP.
const (
	headerID           = "webhook-id"
	headerTime         = "webhook-timestamp"
	headerSignature    = "webhook-signature"
	headerSubscription = "X-MCP-Subscription-Id"
)

// maxBody bounds what is read of an answer.
const maxBody = 4 << 10

// answer is what a receiver answered.
type answer struct {
	status     int
	retryAfter time.Duration
	body       []byte
}

// retryable tells whether the receiver may accept the same message later. A receiver that answers otherwise to
// a control envelope has accepted it, or does not know its type.
func (a *answer) retryable() bool {
	return a.status == http.StatusTooEarly || a.status == http.StatusTooManyRequests ||
		a.status >= 500
}

// post sends a body to a webhook, once. The same bytes are signed and sent.
func (s *Service) post(
	ctx context.Context,
	sub *Subscription,
	to *target,
	id string,
	body []byte,
) (*answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}

	now := s.Now()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(headerID, id)
	req.Header.Set(headerTime, strconv.FormatInt(now.Unix(), 10))
	req.Header.Set(headerSubscription, sub.ID)
	signatures, err := sign(to, now, id, body)
	if err != nil {
		return nil, err
	}

	req.Header.Set(headerSignature, signatures)
	resp, err := s.HTTP.HTTP().Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, _ := io.ReadAll(
		io.LimitReader(resp.Body, maxBody),
	) // the status counts, whatever comes with it
	return &answer{resp.StatusCode, dberr.ReadRetryAfter(resp.Header, now, retryFor), b}, nil
}

// sign returns the signatures of a body, two while a secret is being replaced.
func sign(to *target, now time.Time, id string, body []byte) (string, error) {
	signed := ""
	secrets := []string{to.Secret}
	if to.Before != "" && now.Before(to.Until) {
		secrets = append(secrets, to.Before)
	}

	for _, text := range secrets {
		secret, err := mcp.WebhookSecret(text)
		if err != nil {
			return "", err
		}
		mac := hmac.New(sha256.New, secret)
		mac.Write([]byte(id + "." + strconv.FormatInt(now.Unix(), 10) + "."))
		mac.Write(body)
		if signed != "" {
			signed += " "
		}
		signed += "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}

	return signed, nil
}

// verify asks a receiver whether it wants events, by a challenge that it repeats.
func (s *Service) verify(ctx context.Context, sub *Subscription, to *target) error {
	if s.verifies.Take(verifications, s.Now(), quota.Key{Name: sub.Owner}) != nil {
		return &mcp.EventError{
			Kind:    mcp.EventExhausted,
			Message: "Too many new webhooks in a minute. Try again in a minute.",
			Data:    map[string]any{"limit": "verifications", "max": maxVerifications},
		}
	}

	ctx, cancel := context.WithTimeout(ctx, push.AttemptTimeout)
	defer cancel()
	challenge := rand.Text() + rand.Text()
	body, err := json.Marshal(map[string]string{"type": "verification", "challenge": challenge})
	if err != nil {
		return err
	}

	a, err := s.post(ctx, sub, to, "msg_verification_"+rand.Text(), body)
	if errors.Is(err, safehttp.ErrBlocked) || errors.Is(err, safehttp.ErrURL) {
		return mcp.Refusal("delivery.url must lead to a public address", nil)
	}

	reason := failure(a, err)
	if reason == "" {
		var said struct {
			Challenge string `json:"challenge"`
		}
		if json.Unmarshal(a.body, &said) == nil &&
			subtle.ConstantTimeCompare([]byte(said.Challenge), []byte(challenge)) == 1 {
			return nil
		}
		reason = "challenge_failed"
	}

	return &mcp.EventError{
		Kind:    mcp.EventCallback,
		Message: "The webhook did not prove that it wants events: it must answer a verification with its challenge.",
		Data:    map[string]any{"reason": reason},
	}
}

// failure returns the category of a failed call, which is all that a client learns; "" is none.
func failure(a *answer, err error) string {
	var network *net.OpError
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, certificate := errors.AsType[*tls.CertificateVerificationError](err)
	timeout := interface{ Timeout() bool }(nil)
	switch {
	case err == nil && a.status >= 200 && a.status < 300:
		return ""
	case err == nil && a.status >= 500:
		return "http_5xx"
	case err == nil && a.status >= 400:
		return "http_4xx"
	case err == nil:
		return "challenge_failed" // a redirect, which is not followed
	case record, certificate, errors.Is(err, http.ErrSchemeMismatch):
		return "tls_error"
	case errors.As(err, &timeout) && timeout.Timeout(), errors.Is(err, context.DeadlineExceeded):
		return "timeout"
	case errors.As(err, &network) && network.Op == "remote error":
		return "tls_error"
	}

	return "connection_refused"
}
