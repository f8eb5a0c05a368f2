package a2aclient

import (
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// Carrier makes calls over gRPC. Package a2agrpc has one. It may be used concurrently.
type Carrier interface {
	// Carry calls the method with that full name at origin. It returns a response as
	// over HTTP+JSON, whose body is a message or, if the call streams, Messages. A
	// refusal is JSON. An error means that no server answered. The names of metadata
	// are in lower case; Carry must not change it.
	Carry(
		ctx context.Context,
		origin *url.URL,
		name string,
		metadata map[string][]string,
		message []byte,
	) (*http.Response, error)
}

// Messages is the body of an answer that streams over gRPC.
type Messages interface {
	io.ReadCloser // of nothing: messages are not bytes in a row

	// Next returns the next message, which the one after may overwrite, and whether
	// it is the body of an error, which ends the stream. io.EOF is the end, too.
	Next() (message []byte, refused bool, err error)
}

// overGRPC is the binding GRPC. Its answers have the form of HTTP+JSON, so errors are
// handled in one place.
type overGRPC struct{}

func (overGRPC) name() a2a.Binding { return a2a.GRPC }

func (overGRPC) dialects() []*wire.Dialect { return wire.GRPCDialects() }

func (overGRPC) send(
	ctx context.Context, c *Client, q call,
) (*http.Request, *http.Response, error) {
	name := q.dialect.GRPCPath(q.op)
	metadata, shown, err := c.metadata(ctx, q.route, name)
	if err != nil {
		return nil, nil, notSent(err)
	}

	uris, _ := extensionsOf(ctx, c.card)
	if len(uris) > 0 {
		metadata = maps.Clone(metadata)
		if metadata == nil {
			metadata = map[string][]string{}
		}
		metadata[strings.ToLower(q.dialect.ExtensionsHeader())] = uris
	}

	resp, err := c.dialer.GRPC.Carry(ctx, q.target, name, metadata, q.params)
	if err != nil {
		return nil, nil, unreachable(ctx, q.target.Host, err)
	}

	return shown, resp, nil
}

// metadata returns the metadata of the call, and the request that carries credentials,
// or nil without credentials: it costs more than the rest of a call.
func (c *Client) metadata(
	ctx context.Context, r route, name string,
) (map[string][]string, *http.Request, error) {
	if c.dialer.Credentials == nil && len(c.dialer.Header) == 0 && c.dialer.Observer == nil {
		return r.metadata, nil, nil
	}

	target := *r.target
	target.Path = name
	req, err := c.newRequest(ctx, http.MethodPost, target, nil)
	if err != nil {
		return nil, nil, err
	}

	all := make(map[string][]string, len(req.Header)+len(r.metadata))
	for k, vs := range req.Header {
		name := strings.ToLower(k)
		if isMetadata(name) {
			all[name] = vs
		}
	}

	maps.Copy(all, r.metadata)
	return all, req, nil
}

// isMetadata reports whether a header may be metadata: it is not about the body or
// the connection, nor gRPC's own.
func isMetadata(name string) bool {
	switch name {
	case "accept", "connection", "content-type", "content-length", "host", "te", "user-agent":
		return false
	}

	return !strings.HasPrefix(name, "grpc-")
}

// decode takes what is no refusal for a message.
func (overGRPC) decode(d *wire.Dialect, status int, body []byte) ([]byte, *a2a.Error, bool) {
	if status/100 == 2 {
		return body, nil, true
	}

	refusal := d.DecodeRESTError(status, body)
	return nil, refusal, refusal != nil
}

func (overGRPC) events(
	d *wire.Dialect,
	resp *http.Response,
	in *metered,
	limit int,
	memory *reservation,
) (events, io.Reader) {
	messages, ok := resp.Body.(Messages)
	if !ok {
		return nil, in
	}

	return &messageEvents{messages, d, in, limit, memory}, nil
}

// frameHead is what comes with each message, be it empty.
const frameHead = 5

type messageEvents struct {
	Messages
	dialect *wire.Dialect
	in      *metered
	limit   int
	memory  *reservation
}

// next returns the next message. A refusal is an error.
func (m *messageEvents) next() ([]byte, error) {
	if m.in.left <= 0 {
		return nil, errEndlessStream
	}

	message, refused, err := m.Next()
	switch {
	case err != nil:
		return nil, err
	case len(message) > m.limit:
		return nil, tooLarge(int64(m.limit))
	case !refused:
		m.in.left -= int64(len(message)) + frameHead
		return message, m.memory.hold(len(message))
	}

	if refusal := m.dialect.DecodeRESTError(
		http.StatusInternalServerError, message,
	); refusal != nil {
		return nil, refusal
	}

	return nil, invalidAnswer("an error without content")
}

// target returns the origin to call. Cards commonly name a host and port alone, as
// gRPC does; then calls are encrypted if the agent was dialled so.
func (overGRPC) target(dialed *url.URL, raw string) *url.URL {
	raw = strings.TrimPrefix(raw, "dns:///")
	scheme, rest, found := strings.Cut(raw, "://")
	if !found {
		scheme = dialed.Scheme
		rest = raw
	}

	switch strings.ToLower(scheme) {
	case "http", "grpc":
		scheme = "http"
	case "https", "grpcs":
		scheme = "https"
	default:
		return nil
	}

	host, _, _ := strings.Cut(rest, "/")
	u, err := url.Parse(scheme + "://" + host)
	if err != nil || u.Hostname() == "" || u.User != nil {
		return nil
	}

	return &url.URL{Scheme: u.Scheme, Host: u.Host}
}
