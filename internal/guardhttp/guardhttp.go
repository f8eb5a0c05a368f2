// Package guardhttp fetches small documents from addresses that strangers
// choose, such as the metadata of a client (Client ID Metadata Documents). It
// refuses to be led into the operator's own network, to follow redirects, or
// to read without end. What a document means, and how long it may be kept, is
// its caller's business.
package guardhttp

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// What can be wrong with a document before anybody has read it. The errors of
// Get wrap one of them, or are those of the network.
var (
	ErrURL      = errors.New("the address may not be fetched")     // its form is refused; nothing was sent
	ErrBlocked  = errors.New("the host has no public address")     // it resolves into a private or reserved network
	ErrRedirect = errors.New("the server answers with a redirect") // redirects are not followed
	ErrStatus   = errors.New("the server does not answer 200")
	ErrTooLarge = errors.New("the document is too large")
)

// Client fetches documents. The zero value is strict and ready to use, and safe
// for concurrent calls.
type Client struct {
	Timeout   time.Duration // for one document, from look-up to last byte; 0 is 5 s
	MaxBytes  int64         // of one document; 0 is 64 KiB
	UserAgent string        // "" is "rialto"

	// Loopback lets tests fetch from this computer, over plain HTTP and on any
	// port. A server that sets it can be made to talk to its neighbours.
	Loopback bool
	// RootCAs is whom to trust, for tests; nil is the system's list.
	RootCAs *x509.CertPool
}

// Document is what a server answered with status 200.
type Document struct {
	Header http.Header
	Body   []byte
}

// Get fetches the JSON document at address.
func (c *Client) Get(ctx context.Context, address string) (*Document, error) {
	u, err := c.check(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Timeout, 5*time.Second))
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrURL, err)
	}
	req.Header.Set("Accept", "application/json")
	// A compressed answer could be small on the wire and endless in memory.
	req.Header.Set("Accept-Encoding", "identity")
	req.Header.Set("User-Agent", cmp.Or(c.UserAgent, "rialto"))
	resp, err := c.transport().RoundTrip(req)
	if err != nil {
		return nil, blocked(err)
	}
	defer resp.Body.Close()
	return c.read(resp)
}

// check refuses addresses by their form. Where the host leads is seen when it
// is dialled, not here: a name can resolve differently a moment later.
func (c *Client) check(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %v", ErrURL, err)
	case u.Scheme != "https" && !(c.Loopback && u.Scheme == "http"):
		return nil, fmt.Errorf("%w: its scheme is not https", ErrURL)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%w: it has no host", ErrURL)
	case u.User != nil:
		return nil, fmt.Errorf("%w: it carries a username", ErrURL)
	case strings.Contains(address, "#"):
		return nil, fmt.Errorf("%w: it has a fragment", ErrURL)
	}
	return u, nil
}

func (c *Client) read(resp *http.Response) (*Document, error) {
	switch {
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		return nil, fmt.Errorf("%w (%d to %q)", ErrRedirect, resp.StatusCode, resp.Header.Get("Location"))
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%w (%d)", ErrStatus, resp.StatusCode)
	}
	limit := cmp.Or(c.MaxBytes, 64<<10)
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, fmt.Errorf("reading the document: %w", err)
	}
	if int64(len(body)) > limit {
		return nil, fmt.Errorf("%w (more than %d bytes)", ErrTooLarge, limit)
	}
	return &Document{resp.Header, body}, nil
}

// transport is made anew for every document: nothing is shared between hosts
// that do not know each other, and no connection outlives the check of its
// address. Proxy stays nil: a proxy would resolve the name behind our back.
func (c *Client) transport() *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Control: c.guardian().Safe}).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 16 << 10,
	}
}

// guardian checks every address that is about to be dialled, after the name
// has been resolved, so that there is no gap for DNS rebinding.
func (c *Client) guardian() *ssrf.Guardian {
	if !c.Loopback {
		return ssrf.New(ssrf.WithPorts(443))
	}
	return ssrf.New(ssrf.WithAnyPort(),
		ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.0/8")),
		ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("::1/128")))
}

// blocked tells a refusal of the guardian from a failure of the network.
func blocked(err error) error {
	for _, refusal := range []error{ssrf.ErrProhibitedIP, ssrf.ErrProhibitedPort, ssrf.ErrProhibitedNetwork, ssrf.ErrInvalidHostPort} {
		if errors.Is(err, refusal) {
			return fmt.Errorf("%w: %w", ErrBlocked, err)
		}
	}
	return err
}
