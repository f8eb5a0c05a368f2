package a2aclient

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// The places of a card below an agent's base URL: since 0.3, and before.
const (
	cardPath    = "/.well-known/agent-card.json"
	oldCardPath = "/.well-known/agent.json"
)

// maxCard bounds a card, which no peer has reason to make larger.
const maxCard = 1 << 20

// cardLocation is where a card may be.
type cardLocation struct {
	url *url.URL

	// mustListURL is set where the card may be another agent's: below the origin
	// of an endpoint. It counts only if it names the URL that was dialled.
	mustListURL bool
}

// cardLocations lists where to look for the card of the agent at u, in order.
func cardLocations(u *url.URL) []cardLocation {
	self := cardLocation{url: u}
	if strings.HasSuffix(u.Path, ".json") || strings.Contains(u.Path, "/.well-known/") {
		return []cardLocation{self}
	}

	base := strings.TrimSuffix(u.Path, "/")
	list := []cardLocation{{url: at(u, base+cardPath)}, {url: at(u, base+oldCardPath)}}
	if base != "" {
		list = append(
			list, cardLocation{at(u, cardPath), true}, cardLocation{at(u, oldCardPath), true},
		)
	}

	return append(list, self)
}

// at returns the URL of path on the host of u.
func at(u *url.URL, path string) *url.URL {
	c := *u
	c.Path = path
	c.RawPath = ""
	c.RawQuery = ""
	c.Fragment = ""
	return &c
}

// findCard returns the first card that can be found. Where there is none it
// returns the most telling of the errors.
func (c *Client) findCard(ctx context.Context) (*a2a.Card, error) {
	var worst, first error
	for i, p := range cardLocations(c.dialed) {
		card, raw, err := c.fetchCard(ctx, p.url)
		if err == nil && (!p.mustListURL || listsInterface(card, c.dialed)) {
			return c.dialer.admit(ctx, card, raw, p.url)
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if a2a.Is(err, a2a.Unavailable) || a2a.Is(err, a2a.Unauthenticated) ||
			a2a.Is(err, a2a.Forbidden) {
			worst = err // the other places would answer alike
			break
		}
		if first == nil {
			first = err
		}
		if worst == nil && a2a.Is(err, a2a.InvalidAgentResponse) && (i == 0 || p.url != c.dialed) {
			worst = err // something is there, which is no card
		}
	}

	switch {
	case c.dialer.Protocol != "":
		return c.dialer.assumedCard(c.dialed), nil
	case worst != nil:
		return nil, worst
	default:
		return nil, a2a.Errorf(
			a2a.InvalidAgentResponse,
			"no agent card was found at %s (looked for %s and %s): %v",
			c.dialed.Redacted(),
			strings.TrimPrefix(cardPath, "/"),
			strings.TrimPrefix(oldCardPath, "/"),
			first,
		)
	}
}

// assumedCard stands for the card of the dialed agent, which has none but was said to speak a protocol.
func (d *Dialer) assumedCard(dialed *url.URL) *a2a.Card {
	return &a2a.Card{
		Name: dialed.Host,
		Interfaces: []a2a.Interface{
			{
				URL:     dialed.String(),
				Binding: cmp.Or(d.Binding, a2a.JSONRPC),
				Version: d.Protocol,
			},
		},
		Capabilities: a2a.Capabilities{Streaming: true},
	}
}

// listsInterface reports whether card lists an interface at u.
func listsInterface(card *a2a.Card, u *url.URL) bool {
	want := strings.TrimSuffix(u.Host+u.Path, "/")
	for _, i := range card.Interfaces {
		if have, err := url.Parse(i.URL); err == nil &&
			strings.TrimSuffix(have.Host+have.Path, "/") == want {
			return true
		}
	}
	return false
}

// admit returns card, found at u, as it may be believed.
func (d *Dialer) admit(
	ctx context.Context,
	card *a2a.Card,
	raw []byte,
	u *url.URL,
) (*a2a.Card, error) {
	if d.Cards == nil {
		return card, nil
	}
	raw, err := d.Cards.Admit(ctx, raw)
	if err != nil {
		return nil, fmt.Errorf("the card at %s: %w", u.Redacted(), err)
	}

	card, err = wire.DecodeCard(raw)
	if err != nil {
		return nil, a2a.Errorf(
			a2a.InvalidAgentResponse,
			"the admitted card at %s is not an agent card: %v",
			u.Redacted(),
			err,
		)
	}

	return absolute(card, u), nil
}

// fetchCard returns the card at u and its JSON. It asks for 1.0, because a2a-js shows a
// card of 1.0 only to callers who do.
func (c *Client) fetchCard(ctx context.Context, u *url.URL) (*a2a.Card, []byte, error) {
	resp, err := c.do(func() (*http.Request, *http.Response, error) {
		req, err := c.newRequest(ctx, http.MethodGet, *u, nil)
		if err != nil {
			return nil, nil, notSent(err)
		}
		req.Header["Accept"] = onlyJSON
		req.Header[versionKey] = []string{string(a2a.V10)}
		return c.exchange(req)
	})
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	body, err := readBody(resp, min(maxCard, c.dialer.maxBody()), nil)
	if err != nil {
		return nil, nil, unreachable(ctx, u.Host, err)
	}
	shown := body
	if c.dialer.Discreet && wantsTLS(resp, body) == nil {
		shown = []byte("(not shown)")
	}
	if resp.StatusCode/100 != 2 {
		return nil, nil, statusError(resp, shown)
	}

	card, err := wire.DecodeCard(body)
	if err != nil {
		return nil, nil, a2a.Errorf(
			a2a.InvalidAgentResponse,
			"the document at %s is not an agent card: %v (HTTP %d, %s)",
			u.Redacted(),
			err,
			resp.StatusCode,
			describeBody(resp, shown),
		)
	}

	return absolute(card, resp.Request.URL), body, nil
}

// absolute resolves the URLs of card against where it was found.
func absolute(card *a2a.Card, base *url.URL) *a2a.Card {
	for i := range card.Interfaces {
		if u, err := base.Parse(card.Interfaces[i].URL); err == nil {
			card.Interfaces[i].URL = u.String()
		}
	}
	return card
}
