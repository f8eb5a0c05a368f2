package a2aclient

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// overGRPC is the binding GRPC. Its messages travel to Dialer.GRPC in their JSON
// form, so that all that is true of HTTP+JSON, credentials and errors above all,
// is true of it.
type overGRPC struct{ rest }

func (overGRPC) name() a2a.Binding { return a2a.GRPC }

func (overGRPC) client(d *Dialer) *http.Client { return &http.Client{Transport: d.GRPC} }

func (overGRPC) dialects() []*wire.Dialect { return wire.GRPCDialects() }

func (overGRPC) request(ctx context.Context, c *Client, r route, op wire.Op, params json.RawMessage) (*http.Request, error) {
	target, ok := grpcTarget(c.dialed, r.url)
	if !ok {
		return nil, a2a.Errorf(a2a.InvalidAgentResponse, "the agent's card names a place for gRPC that is none: %q", r.url)
	}
	req, err := c.newRequest(ctx, http.MethodPost, target+r.dialect.GRPCPath(op), bytes.NewReader(params))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// grpcTarget returns the origin to call for the URL that a card has for gRPC.
// Cards commonly name a host and port alone, as gRPC does; then calls are
// encrypted if the agent was dialled so.
func grpcTarget(dialed *url.URL, raw string) (string, bool) {
	raw = strings.TrimPrefix(raw, "dns:///")
	scheme, rest, found := strings.Cut(raw, "://")
	if !found {
		scheme, rest = dialed.Scheme, raw
	}
	secure, known := map[string]string{"http": "http", "grpc": "http", "https": "https", "grpcs": "https"}[strings.ToLower(scheme)]
	host, _, _ := strings.Cut(rest, "/")
	u, err := url.Parse(secure + "://" + host)
	if !known || err != nil || u.Hostname() == "" || u.User != nil {
		return "", false
	}
	return u.Scheme + "://" + u.Host, true
}
