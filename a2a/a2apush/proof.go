package a2apush

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// jwtLife is the lifetime of the JWT of a notification.
const jwtLife = 5 * time.Minute

// header returns the headers that authenticate a notification.
func (s *Sender) header(
	ctx context.Context, c *a2a.PushConfig, task a2a.TaskID, id string, body []byte,
) (http.Header, error) {
	h := http.Header{"Content-Type": {"application/json"}, IDHeader: {id}}
	if c.Token != "" {
		h.Set(TokenHeader, c.Token)
		h.Set(TokenHeader10, c.Token)
	}
	if c.Generation == a2a.V10 {
		h.Set(wire.VersionHeader, string(a2a.V10))
	}

	scheme := schemeOf(c)
	switch {
	case scheme == schemeHMAC:
		h.Set(SignatureHeader, signature(c.Authentication.Credentials, s.Now(), body))
	case c.Authentication != nil && c.Authentication.Credentials != "":
		h.Set("Authorization", scheme+" "+c.Authentication.Credentials)
	case s.Signer != nil:
		jwt, err := s.Signer.Sign(ctx, s.claims(c.URL, task, id, body))
		if err != nil {
			return nil, fmt.Errorf("signing the notification: %w", err)
		}
		h.Set("Authorization", "Bearer "+jwt)
	}

	return h, nil
}

const schemeHMAC = "HMAC"

// schemeOf returns the way to authenticate at a webhook: the first that it
// lists, and Bearer where it lists none.
func schemeOf(c *a2a.PushConfig) string {
	if c.Authentication == nil {
		return "Bearer"
	}

	schemes := c.Authentication.Schemes
	if slices.ContainsFunc(schemes, func(s string) bool {
		return strings.EqualFold(s, schemeHMAC) || strings.EqualFold(s, "HMAC-SHA256")
	}) {
		return schemeHMAC
	}
	if len(schemes) == 0 || strings.EqualFold(schemes[0], "bearer") ||
		strings.EqualFold(schemes[0], "jwt") ||
		!isToken(schemes[0]) {
		return "Bearer"
	}

	return schemes[0]
}

// isToken reports whether s can name a scheme (RFC 9110 section 11.1).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r > '~' || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// claims are the claims of the JWT of a notification. No specification has the hash of the
// body; the sample receiver of 0.1 requires it, and it binds the body to the signature.
type claims struct {
	Issuer   string     `json:"iss"`
	Audience string     `json:"aud"`
	IssuedAt int64      `json:"iat"`
	Expires  int64      `json:"exp"`
	ID       string     `json:"jti"`
	TaskID   a2a.TaskID `json:"taskId"`
	Body     string     `json:"request_body_sha256"`
}

func (s *Sender) claims(audience string, task a2a.TaskID, id string, body []byte) claims {
	now := s.Now()
	sum := sha256.Sum256(body)
	return claims{
		s.Issuer,
		audience,
		now.Unix(),
		now.Add(jwtLife).Unix(),
		id,
		task,
		hex.EncodeToString(sum[:]),
	}
}

// signature signs the time and the body, so that neither can be replaced.
func signature(secret string, now time.Time, body []byte) string {
	t := strconv.FormatInt(now.Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(t + "."))
	mac.Write(body)
	return "t=" + t + ",v1=" + hex.EncodeToString(mac.Sum(nil))
}
