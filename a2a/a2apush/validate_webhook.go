package a2apush

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/internal/safehttp"
)

// Accept returns InvalidParams if a webhook may not be called: its address is refused, or
// the server there did not confirm it. Allowed hosts need not confirm.
func (s *Sender) Accept(ctx context.Context, c *a2a.PushConfig) error {
	if err := s.HTTP.Check(c.URL); err != nil {
		return a2a.Errorf(
			a2a.InvalidParams,
			"the webhook %q may not be called: %v",
			clip(c.URL), err,
		)
	}
	if schemeOf(c) == schemeHMAC && c.Authentication.Credentials == "" {
		return a2a.Errorf(
			a2a.InvalidParams, "authentication by HMAC needs the shared secret in its credentials",
		)
	}
	invalidCredentials := c.Authentication != nil && !valid(c.Authentication.Credentials)
	if invalidCredentials || !valid(c.Token) {
		return a2a.Errorf(
			a2a.InvalidParams,
			"the token and the credentials of a webhook must be printable ASCII of at most %d characters",
			maxHeader,
		)
	}
	if s.SkipValidation || s.HTTP.IsAllowed(c.URL) {
		return nil
	}
	return s.confirmWebhook(ctx, c.URL)
}

// confirmWebhook asks the webhook to repeat a token, which only a receiver of notifications does.
// The error is general: the caller must not learn what else answers at the address.
func (s *Sender) confirmWebhook(ctx context.Context, address string) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	token := rand.Text()
	q := u.Query()
	q.Set("validationToken", token)
	u.RawQuery = q.Encode()
	doc, err := s.HTTP.Get(ctx, u.String())
	switch {
	case errors.Is(err, safehttp.ErrBlocked):
		return a2a.Errorf(
			a2a.InvalidParams,
			"the webhook %q may not be called: %v",
			clip(address), safehttp.ErrBlocked,
		)
	case err != nil || strings.TrimSpace(string(doc.Body)) != token:
		return a2a.Errorf(
			a2a.InvalidParams,
			"the webhook %q did not confirm notifications: it must answer a GET request with status 200 and, as text, the value of the query parameter validationToken",
			clip(address),
		)
	}
	return nil
}

const maxHeader = 4096

// valid reports whether s can stand in a header.
func valid(s string) bool {
	return len(s) <= maxHeader &&
		!strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

func clip(s string) string { return s[:min(len(s), 200)] }
