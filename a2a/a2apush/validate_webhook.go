package a2apush

import (
	"context"
	"crypto/rand"
	"errors"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/internal/guardhttp"
)

// Accept reports as InvalidParams why a webhook may not be called: its address
// is refused, or whoever answers there did not ask for it. Hosts that the
// operator answers for are not asked.
func (s *Sender) Accept(ctx context.Context, c *a2a.PushConfig) error {
	if err := s.HTTP.Check(c.URL); err != nil {
		return a2a.Errorf(a2a.InvalidParams, "the webhook %q may not be called: %v", clip(c.URL), err)
	}
	if schemeOf(c) == schemeHMAC && c.Authentication.Credentials == "" {
		return a2a.Errorf(a2a.InvalidParams, "authentication by HMAC needs the shared secret in its credentials")
	}
	if !valid(c.Token) || c.Authentication != nil && !valid(c.Authentication.Credentials) {
		return a2a.Errorf(a2a.InvalidParams, "the token and the credentials of a webhook must be printable ASCII of at most %d characters", maxHeader)
	}
	if s.Trusting || s.HTTP.Vouched(c.URL) {
		return nil
	}
	return s.prove(ctx, c.URL)
}

// prove asks the webhook to repeat a token, which one that was not made for
// notifications does not. Why it failed is told in general terms only: whoever
// registers a webhook must not learn what else answers there.
func (s *Sender) prove(ctx context.Context, address string) error {
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
	case errors.Is(err, guardhttp.ErrBlocked):
		return a2a.Errorf(a2a.InvalidParams, "the webhook %q may not be called: %v", clip(address), guardhttp.ErrBlocked)
	case err != nil || strings.TrimSpace(string(doc.Body)) != token:
		return a2a.Errorf(a2a.InvalidParams, "the webhook %q did not prove that it wants to be told: it must answer GET with the query parameter validationToken by repeating it as text, with status 200", clip(address))
	}
	return nil
}

const maxHeader = 4096

// valid reports whether s can stand in a header.
func valid(s string) bool {
	return len(s) <= maxHeader && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

func clip(s string) string { return s[:min(len(s), 200)] }
