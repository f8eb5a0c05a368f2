package login

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"rialto/bridge/sanitize"
)

// maxDocument bounds what an authorization server answers.
const maxDocument = 1 << 20

// tokenError is an error of the token endpoint (RFC 6749 section 5.2).
type tokenError struct {
	Code        string `json:"error"`
	Description string `json:"error_description"`
}

// Error implements error.
func (e *tokenError) Error() string {
	return "the login server answers " + sanitize.Label(e.Code+" "+e.Description)
}

// isFinal tells whether a refresh token does not work any more.
func isFinal(err error) bool {
	e, ok := errors.AsType[*tokenError](err)
	return ok && e.Code != "temporarily_unavailable" && e.Code != "slow_down"
}

// refresh renews the token of s (RFC 6749 section 6). What the answer leaves out stays.
func (l *Login) refresh(ctx context.Context, s *stored) error {
	return l.redeem(ctx, s, url.Values{
		"grant_type":    {"refresh_token"},
		"refresh_token": {s.Token.RefreshToken},
	})
}

// redeem asks the token endpoint for a token and puts it into s.
func (l *Login) redeem(ctx context.Context, s *stored, form url.Values) error {
	if s.Resource != "" { // a login of an older version does not say
		form.Set("resource", s.Resource)
	}

	basic := s.Secret != "" && s.Style == oauth2.AuthStyleInHeader
	if !basic {
		form.Set("client_id", s.ClientID)
	}
	if s.Secret != "" && !basic {
		form.Set("client_secret", s.Secret)
	}

	r, err := http.NewRequestWithContext(
		ctx, http.MethodPost, s.TokenURL, strings.NewReader(form.Encode()),
	)
	if err != nil {
		return err
	}

	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Accept", "application/json")
	if basic {
		r.SetBasicAuth(url.QueryEscape(s.ClientID), url.QueryEscape(s.Secret))
	}

	resp, err := l.prove(r, s, "")
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxDocument))
	if err != nil {
		return err
	}

	return l.take(s, resp, body)
}

// take puts the token of an answer into s.
func (l *Login) take(s *stored, resp *http.Response, body []byte) error {
	if resp.StatusCode != http.StatusOK {
		refused := &tokenError{}
		final := resp.StatusCode < http.StatusInternalServerError
		if final && json.Unmarshal(body, refused) == nil && refused.Code != "" {
			return refused
		}
		return fmt.Errorf("the login server answers %s", resp.Status)
	}
	var t token
	if err := json.Unmarshal(body, &t); err != nil || t.AccessToken == "" {
		return errors.New("the login server answers without an access token")
	}
	if t.RefreshToken == "" {
		t.RefreshToken = s.Token.RefreshToken
	}
	if t.ExpiresIn > 0 {
		t.Expiry = l.now().Add(time.Duration(t.ExpiresIn) * time.Second)
	}
	if !strings.EqualFold(t.TokenType, "DPoP") {
		s.Key = nil // the server did not bind the token
	}

	s.Token = t
	return nil
}
