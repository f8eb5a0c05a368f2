package a2aclient

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// overGRPC is the binding GRPC. Its messages travel to Dialer.GRPC as requests over
// HTTP, so that what is true of HTTP+JSON, credentials and errors above all, is
// true of it.
type overGRPC struct{}

func (overGRPC) name() a2a.Binding { return a2a.GRPC }

func (overGRPC) do(d *Dialer, req *http.Request) (*http.Response, error) {
	return d.GRPC.RoundTrip(req)
}

func (overGRPC) dialects() []*wire.Dialect { return wire.GRPCDialects() }

func (overGRPC) request(ctx context.Context, c *Client, r route, op wire.Op, params []byte) (*http.Request, error) {
	target := *r.target
	target.Path = r.dialect.GRPCPath(op)
	req, err := c.newRequest(ctx, http.MethodPost, target, nil)
	if err != nil {
		return nil, err
	}
	req.Body, req.ContentLength = &memory{*bytes.NewBuffer(params)}, int64(len(params))
	req.Header["Content-Type"] = protobuf
	return req, nil
}

// memory is a body that is there already, for those who ask for its Bytes.
type memory struct{ bytes.Buffer }

// Close does nothing.
func (*memory) Close() error { return nil }

// decode takes what is no refusal for a message.
func (overGRPC) decode(d *wire.Dialect, status int, body []byte) ([]byte, *a2a.Error, bool) {
	if status/100 == 2 {
		return body, nil, true
	}
	refusal := d.DecodeRESTError(status, body)
	return nil, refusal, refusal != nil
}

func (overGRPC) events(d *wire.Dialect, resp *http.Response, body io.Reader, limit int) (events, io.Reader) {
	if resp.Header.Get("Content-Type") != wire.GRPCType {
		return nil, body
	}
	return &frames{d, wire.NewFrames(body, limit)}, nil
}

// frames are the messages of a stream.
type frames struct {
	dialect *wire.Dialect
	in      *wire.Frames
}

// next returns the next message. A refusal is an error.
func (f *frames) next() ([]byte, error) {
	message, refused, err := f.in.Next()
	if err != nil || !refused {
		return message, err
	}
	if refusal := f.dialect.DecodeRESTError(http.StatusInternalServerError, message); refusal != nil {
		return nil, refusal
	}
	return nil, garbled("a refusal that says nothing")
}

// target returns the origin to call. Cards commonly name a host and port alone, as
// gRPC does; then calls are encrypted if the agent was dialled so.
func (overGRPC) target(dialed *url.URL, raw string) *url.URL {
	raw = strings.TrimPrefix(raw, "dns:///")
	scheme, rest, found := strings.Cut(raw, "://")
	if !found {
		scheme, rest = dialed.Scheme, raw
	}
	secure, known := map[string]string{"http": "http", "grpc": "http", "https": "https", "grpcs": "https"}[strings.ToLower(scheme)]
	host, _, _ := strings.Cut(rest, "/")
	u, err := url.Parse(secure + "://" + host)
	if !known || err != nil || u.Hostname() == "" || u.User != nil {
		return nil
	}
	return &url.URL{Scheme: u.Scheme, Host: u.Host}
}
