package a2aclient

import (
	"io"
	"net/http"
	"net/url"

	"rialto/a2a"
)

// Credentials authenticate calls to an agent. Package a2aauth implements them. They may
// be used concurrently.
type Credentials interface {
	// Apply adds the credentials of c to req. An *a2a.Error is returned to the
	// caller; other errors are only logged.
	Apply(req *http.Request, c Caller) error

	// Renew is called when the agent refused the credentials in req. It reports
	// whether Apply would add others now.
	Renew(req *http.Request, c Caller) bool
}

// Caller is the user that a call is made for.
type Caller struct {
	User string    // "" is the program, without a user
	Card *a2a.Card // the agent's card; nil while it is being read
}

// For returns a client that calls for user. It shares everything else with c.
func (c *Client) For(user string) *Client { return &Client{connection: c.connection, user: user} }

// do makes the call that send makes, which returns what binding.send does. An agent that refuses
// its credentials is asked once more if there are others: it refused before anything ran.
func (c *Client) do(send func() (*http.Request, *http.Response, error)) (*http.Response, error) {
	for again := true; ; again = false {
		req, resp, err := send()
		if err != nil || resp.StatusCode != http.StatusUnauthorized || !again || req == nil ||
			!c.renewed(req) {
			return resp, err
		}
		_, _ = io.CopyN(io.Discard, resp.Body, 4<<10) // so that the connection may be used again
		resp.Body.Close()
	}
}

// exchange sends req over HTTP, and returns what binding.send does.
func (c *Client) exchange(req *http.Request) (*http.Request, *http.Response, error) {
	resp, err := c.dialer.http().Do(req)
	if err != nil {
		return nil, nil, unreachable(req.Context(), req.URL.Host, err)
	}
	if c.multiplexed.Load() != (resp.ProtoMajor >= 2) {
		c.multiplexed.Store(resp.ProtoMajor >= 2)
	}
	return req, resp, nil
}

// notSent marks err, unless it is about something else than the request.
func notSent(err error) error {
	if e := asError(err); e != nil {
		e.NotSent = true
	}
	return err
}

// authorize adds credentials to req if they may go where it goes.
func (c *Client) authorize(req *http.Request) error {
	if c.dialer.Credentials == nil && len(c.dialer.Header) == 0 {
		return nil
	}
	if !c.trusted(req.URL) {
		c.dialer.log().WarnContext(
			req.Context(), "credentials were not sent: the card names another host than was dialled",
			"dialled", c.dialed.Redacted(),
			"host", req.URL.Host,
		)
		return nil
	}

	for k, vs := range c.dialer.Header {
		req.Header[http.CanonicalHeaderKey(k)] = vs
	}

	if c.dialer.Credentials == nil {
		return nil
	}

	err := c.dialer.Credentials.Apply(req, c.caller())
	if err == nil || asError(err) != nil {
		return err
	}
	if req.Context().Err() != nil {
		return req.Context().Err()
	}

	c.dialer.log().ErrorContext(
		req.Context(), "no credentials for an agent",
		"host", req.URL.Host,
		"err", err,
	)
	return &a2a.Error{
		Code:    a2a.Unavailable,
		Message: "there are no credentials for the agent now",
		Cause:   err,
	}
}

func (c *Client) renewed(req *http.Request) bool {
	return c.dialer.Credentials != nil && c.trusted(req.URL) &&
		c.dialer.Credentials.Renew(req, c.caller())
}

func (c *Client) caller() Caller { return Caller{User: c.user, Card: c.card} }

// trusted reports whether credentials may go to u.
func (c *Client) trusted(u *url.URL) bool {
	return u.Hostname() == c.dialed.Hostname() && (u.Scheme == "https" || c.dialed.Scheme == "http")
}
