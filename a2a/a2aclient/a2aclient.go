// Package a2aclient calls remote A2A agents: it finds an agent's card, chooses the generation and
// binding to speak, and implements a2a.Agent. It speaks JSON-RPC of generations 1.0, 0.3, 0.2 and
// 0.1, HTTP+JSON of 1.0 and 0.3 and, through package a2agrpc, gRPC of 1.0 and 0.3.
//
// Answers are accepted in any dialect. A message is sent once: only when a peer does not
// know the method, so that nothing ran, the client tries the next dialect. No generation
// has idempotent sends, so after any other failure, such as a cut connection, the client
// does not send the message again. It reads one stream, and reports if the stream ends before
// its task: the caller decides when to poll the task again.
package a2aclient

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
	"rialto/internal/quota"
	"rialto/internal/sse"
)

// DefaultMaxBody bounds what is read of one answer, event or card, in bytes, where Dialer does not.
const DefaultMaxBody = 16 << 20

// DefaultPause is the first pause before Send reads a task again where Dialer does not say.
const DefaultPause = 500 * time.Millisecond

// Dialer makes clients. Its zero value is useful; its fields must not change once it dials.
type Dialer struct {
	// HTTP carries the calls. It must not limit their total time, for streams are long. Nil is a
	// client of the Dialer's own that reuses connections, limits the steps up to an answer's
	// header, and follows redirects on the same host only.
	HTTP *http.Client

	GRPC Carrier // carries calls over gRPC; nil does not speak it

	// Header is sent with each request, and so is what Credentials add: to the host that was
	// dialled and to no other host that a card names, nor over plain HTTP where HTTPS was dialled.
	Header      http.Header
	Credentials Credentials // nil is none

	UserAgent string // of requests over HTTP; "" is that of Go
	Discreet  bool   // errors quote no answer that is not a card

	// TLS is for the Dialer's own HTTP client: which servers to believe, and
	// the certificate to show them. Nil is what the system trusts.
	TLS *tls.Config

	Cards CardPolicy // nil admits every card as it is

	Protocol a2a.Generation // "" finds out
	Binding  a2a.Binding    // "" is any that we speak
	MaxBody  int64          // 0 means DefaultMaxBody

	// MaxConns bounds the connections of the Dialer's own HTTP client. A call that finds all of
	// them in use fails with Error.NotSent. 0 is no bound.
	MaxConns int

	// Pause is the first pause before Send reads a task again whose agent answered too early. It
	// doubles up to 20 times as much. 0 means DefaultPause.
	Pause time.Duration

	// IdleTimeout is how long a stream may bring nothing before the task is polled.
	// After a subscription the first poll is 64 times as soon, for what has
	// happened meanwhile. 0 means DefaultIdleTimeout.
	IdleTimeout time.Duration

	Memory MemoryQuota // nil bounds only the size of each answer

	// Polls are those of tasks beside their streams. Dialers may share them; nil is the Dialer's own.
	Polls *quota.Queue

	Log *slog.Logger // nil discards

	Observer Observer // of each call; nil is none

	once     sync.Once
	own      *http.Client
	ownPolls quota.Queue
}

// CardPolicy decides about cards that were fetched, before they are believed. It returns the JSON to
// go by, which may be less than it was given, or an older one. It is used concurrently.
type CardPolicy interface {
	Admit(ctx context.Context, card []byte) ([]byte, error)

	// AdmitExtended is Admit for the extended card, which the agent shows to those who may call it.
	AdmitExtended(ctx context.Context, card []byte) ([]byte, error)
}

// MemoryQuota bounds the memory of the unfinished answers for a user. It is used concurrently.
type MemoryQuota interface {
	// Reserve is called when the memory of an answer changes from so many bytes to so many. An
	// error ends the answer.
	Reserve(user string, from, to int) error
}

// Client is a remote agent. It implements a2a.Agent and may be used concurrently.
type Client struct {
	*connection
	user   string // the user that calls are made for
	closes bool   // over HTTP/1.1, a call closes its connection
}

// connection is what the clients of one agent share.
type connection struct {
	dialer   *Dialer
	dialed   *url.URL
	card     *a2a.Card
	routes   []route      // never empty
	route    atomic.Int32 // the index of the one to try first
	answered atomic.Bool  // some call has been answered in its dialect
	draining quota.Count  // the streams that are only drained
	paused   quota.Count  // the streams of tasks that are paused
	broken   breaker

	multiplexed  atomic.Bool  // over HTTP/2
	noPollBefore atomic.Int64 // of a task beside its stream; in nanoseconds
}

var _ a2a.Agent = (*Client)(nil)

// Dial finds the agent at rawURL, which is the agent's base URL, the URL of its
// card or its endpoint. It reads the card and calls nothing. An agent without
// a card can be dialled at its endpoint if Protocol says what it speaks.
func (d *Dialer) Dial(ctx context.Context, rawURL string) (*Client, error) {
	u, err := url.Parse(rawURL)
	if err != nil || u.Host == "" || !slices.Contains([]string{"http", "https"}, u.Scheme) {
		return nil, a2a.Errorf(a2a.InvalidParams,
			"%q is not the URL of an agent: it must begin with http:// or https://", rawURL)
	}
	c := &Client{connection: &connection{dialer: d, dialed: u}}
	c.card, err = c.findCard(ctx)
	if err != nil {
		return nil, err
	}

	c.routes, err = d.routesTo(c.card)
	if err != nil {
		return nil, err
	}

	for i, r := range c.routes {
		c.routes[i].target = r.binding.target(u, r.url)
		if r.dialect.Versioned {
			c.routes[i].metadata = map[string][]string{versionName: {string(r.dialect.Generation)}}
		}
	}

	return c, nil
}

// Card returns the agent's card as it was when dialled, its URLs made absolute.
// It must not be changed.
func (c *Client) Card() *a2a.Card { return c.card }

// Interface returns the interface that calls take now. Its version is what the
// agent was found to understand, whatever its card says.
func (c *Client) Interface() a2a.Interface {
	r := c.routes[c.route.Load()]
	return a2a.Interface{
		URL:     r.url,
		Binding: r.binding.name(),
		Version: r.dialect.Generation,
		Tenant:  r.tenant,
	}
}

func (d *Dialer) log() *slog.Logger { return cmp.Or(d.Log, slog.New(slog.DiscardHandler)) }

func (d *Dialer) maxBody() int64 { return cmp.Or(d.MaxBody, DefaultMaxBody) }

func (d *Dialer) idleTimeout() time.Duration { return cmp.Or(d.IdleTimeout, DefaultIdleTimeout) }

// pause waits before the nth poll of a task, unless ctx ends before.
func (d *Dialer) pause(ctx context.Context, n int) error {
	first := cmp.Or(d.Pause, DefaultPause)
	return sleep(ctx, min(first<<min(n, 5), 20*first))
}

// sleep waits, unless ctx ends before.
func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// newRequest returns a request with credentials where they may go. What the
// protocol sets goes on top of them.
func (c *Client) newRequest(
	ctx context.Context,
	method string,
	target url.URL,
	body []byte,
) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if err := c.authorize(req); err != nil {
		return nil, err
	}
	if c.dialer.Observer != nil {
		c.dialer.Observer.Propagate(ctx, req.Header)
	}
	if c.dialer.UserAgent != "" {
		req.Header["User-Agent"] = []string{c.dialer.UserAgent}
	}

	delete(req.Header, versionKey)
	req.Close = c.closes && !c.multiplexed.Load()
	return req, nil
}

// The headers that the protocol sets, in canonical form. The lists are read-only.
var (
	versionKey  = http.CanonicalHeaderKey(wire.VersionHeader)
	versionName = strings.ToLower(wire.VersionHeader) // over gRPC
	onlyJSON    = []string{"application/json"}
	anyStream   = []string{sse.ContentType + ", application/json"}
)
