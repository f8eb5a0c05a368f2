// Package safehttp sends HTTP requests to URLs that other parties choose: it gets small
// documents, such as Client ID Metadata Documents, and posts notifications. It refuses
// private addresses, redirects and unbounded bodies. It does not know what a document
// means or how long it may be cached.
package safehttp

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"code.dny.dev/ssrf"
)

// The reasons why a document is not fetched. The errors of Get and Post wrap one of them,
// or are network errors.
var (
	ErrURL     = errors.New("the address may not be fetched") // its form is refused; nothing was sent
	ErrBlocked = errors.New(
		"the host has no public address",
	) // it resolves into a private or reserved network
	ErrRedirect  = errors.New("the server answers with a redirect") // redirects are not followed
	ErrStatus    = errors.New("the server answers with an error")
	ErrTemporary = errors.New("it may do better later") // goes with ErrStatus
	ErrTooLarge  = errors.New("the document is too large")
)

// Client fetches documents. The zero value is strict and ready to use, and safe
// for concurrent calls.
type Client struct {
	Timeout  time.Duration // for one document, from look-up to last byte; 0 is 5 s
	MaxBytes int64         // of one document; 0 is 64 KiB

	// Loopback allows loopback addresses, plain HTTP and any port, for tests. A server
	// must not set it: requests could then reach other local services.
	Loopback bool
	// Allowed are the hosts that the operator allows, as HOST or HOST:PORT: they may
	// have private addresses, plain HTTP and any port. nil allows none.
	Allowed func() []string
	// RootCAs are the trusted roots, for tests; nil is the system's.
	RootCAs *x509.CertPool
}

// Document is what a server answered with status 200.
type Document struct {
	Header http.Header
	Body   []byte
}

// Get fetches the JSON document at address.
func (c *Client) Get(ctx context.Context, address string) (*Document, error) {
	var doc *Document
	err := c.do(
		ctx,
		http.MethodGet,
		address,
		nil,
		http.Header{"Accept": {"application/json"}},
		func(resp *http.Response) (err error) {
			doc, err = c.read(resp)
			return err
		},
	)
	return doc, err
}

// Post sends body with header to address. Any status from 200 to 299 is a
// success, and what comes with it is not read.
func (c *Client) Post(ctx context.Context, address string, header http.Header, body []byte) error {
	return c.do(ctx, http.MethodPost, address, body, header, func(resp *http.Response) error {
		if resp.StatusCode >= 300 {
			return refused(resp)
		}
		return nil
	})
}

// do sends one request and hands its answer to take.
func (c *Client) do(
	ctx context.Context,
	method, address string,
	body []byte,
	header http.Header,
	take func(*http.Response) error,
) error {
	if err := c.Check(address); err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, c.timeout())
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("%w: %v", ErrURL, err)
	}

	maps.Copy(req.Header, header)
	resp, err := roundTripper{c}.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	return take(resp)
}

func (c *Client) timeout() time.Duration { return cmp.Or(c.Timeout, 5*time.Second) }

func (c *Client) maxBytes() int64 { return cmp.Or(c.MaxBytes, 64<<10) }

// Check refuses an address by its form, as Get and Post do, and sends nothing.
func (c *Client) Check(address string) error {
	_, err := c.check(address)
	return err
}

// check refuses addresses by their form. Where the host leads is seen when it
// is dialled, not here: a name can resolve differently a moment later.
func (c *Client) check(address string) (*url.URL, error) {
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %v", ErrURL, err)
	case u.Scheme != "https" && !(u.Scheme == "http" && c.mayBePrivate(u)):
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

// IsAllowed reports whether address is of a host in Allowed.
func (c *Client) IsAllowed(address string) bool {
	u, err := url.Parse(address)
	return err == nil && c.allowed(u)
}

// mayBePrivate reports whether u may be a private address or plain HTTP.
func (c *Client) mayBePrivate(u *url.URL) bool { return c.Loopback || c.allowed(u) }

func (c *Client) allowed(u *url.URL) bool {
	if c.Allowed == nil {
		return false
	}

	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}

	return slices.ContainsFunc(c.Allowed(), func(a string) bool {
		host, only, err := net.SplitHostPort(a)
		if err != nil {
			host = strings.Trim(a, "[]")
			only = port
		}
		return strings.EqualFold(host, u.Hostname()) && only == port
	})
}

// refused returns the error for an answer that is not a success.
func refused(resp *http.Response) error {
	if resp.StatusCode >= 300 && resp.StatusCode < 400 {
		return fmt.Errorf(
			"%w (%d to %q)",
			ErrRedirect,
			resp.StatusCode,
			resp.Header.Get("Location"),
		)
	}
	if resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests {
		return fmt.Errorf("%w (%d): %w", ErrStatus, resp.StatusCode, ErrTemporary)
	}

	return fmt.Errorf("%w (%d)", ErrStatus, resp.StatusCode)
}

func (c *Client) read(resp *http.Response) (*Document, error) {
	if resp.StatusCode != http.StatusOK {
		return nil, refused(resp)
	}

	body, err := io.ReadAll(resp.Body)
	if errors.Is(err, ErrTooLarge) {
		return nil, fmt.Errorf("%w (more than %d bytes)", ErrTooLarge, c.maxBytes())
	}
	if err != nil {
		return nil, fmt.Errorf("reading the document: %w", err)
	}

	return &Document{resp.Header, body}, nil
}

// transport returns a new transport for each document: hosts share nothing, and no
// connection outlives the check of its address. Proxy stays nil, because a proxy would
// resolve the name itself.
func (c *Client) transport(u *url.URL) *http.Transport {
	return &http.Transport{
		DialContext:            c.dialer(u).DialContext,
		TLSClientConfig:        &tls.Config{RootCAs: c.RootCAs, MinVersion: tls.VersionTLS12},
		DisableKeepAlives:      true,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 16 << 10,
	}
}

// dialer returns what connects to u.
func (c *Client) dialer(u *url.URL) *net.Dialer {
	if c.allowed(u) {
		return &net.Dialer{}
	}
	return &net.Dialer{Control: c.addressGuard().Safe}
}

// addressGuard checks every address that is about to be dialled, after the name
// has been resolved, to prevent DNS rebinding.
func (c *Client) addressGuard() *ssrf.Guardian {
	if !c.Loopback {
		return ssrf.New(ssrf.WithPorts(443))
	}
	return ssrf.New(ssrf.WithAnyPort(),
		ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.0/8")),
		ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("::1/128")))
}

// blocked wraps a refusal of the addressGuard with ErrBlocked.
func blocked(err error) error {
	for _, refusal := range []error{
		ssrf.ErrProhibitedIP,
		ssrf.ErrProhibitedPort,
		ssrf.ErrProhibitedNetwork,
		ssrf.ErrInvalidHostPort,
	} {
		if errors.Is(err, refusal) {
			return fmt.Errorf("%w: %w", ErrBlocked, err)
		}
	}
	return err
}
