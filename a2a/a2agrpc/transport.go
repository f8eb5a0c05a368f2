package a2agrpc

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"rialto/a2a"
	"rialto/a2a/internal/wire"
)

// The limits of a connection. By default servers close connections that are pinged more
// often than every five minutes.
const (
	connectTime      = 10 * time.Second
	keepaliveTime    = 6 * time.Minute
	keepaliveTimeout = 20 * time.Second
	idle             = 5 * time.Minute
)

// maxConns bounds the connections of one Transport.
const maxConns = 16

// DefaultAnswerTime is how long Transport waits for an answer, or for the first message of a
// stream, unless AnswerTime is set.
const DefaultAnswerTime = 10 * time.Minute

// Transport is an a2aclient.Carrier. Its zero value is useful; its fields must
// not change once it is used. It may be used concurrently.
type Transport struct {
	TLS        *tls.Config   // for https; nil is what the system trusts
	AnswerTime time.Duration // 0 is DefaultAnswerTime
	UserAgent  string        // before that of gRPC

	mu    sync.Mutex
	conns map[origin]*grpc.ClientConn
}

// The common options of calls. They are read-only.
var (
	rawCodec = grpc.ForceCodecV2(raw{})
	streams  = &grpc.StreamDesc{ServerStreams: true}
)

// origin identifies a connection.
type origin struct{ scheme, host string }

// Close closes all connections.
func (t *Transport) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var all []error
	for _, c := range t.conns {
		all = append(all, c.Close())
	}
	t.conns = nil
	return errors.Join(all...)
}

// conn returns the connection to the server at u, which connects on first use.
func (t *Transport) conn(u *url.URL) (*grpc.ClientConn, error) {
	at := origin{u.Scheme, u.Host}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, ok := t.conns[at]; ok {
		return c, nil
	}
	if len(t.conns) >= maxConns {
		return nil, fmt.Errorf("too many gRPC connections: at most %d servers", maxConns)
	}

	secure := insecure.NewCredentials()
	port := "80"
	if u.Scheme == "https" {
		secure = credentials.NewTLS(t.TLS.Clone())
		port = "443"
	}

	c, err := grpc.NewClient(
		"dns:///"+net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)),
		grpc.WithTransportCredentials(secure),
		grpc.WithMaxHeaderListSize(maxHeader),
		grpc.WithStaticStreamWindowSize(streamWindow),
		grpc.WithStaticConnWindowSize(connWindow),
		grpc.WithKeepaliveParams(
			keepalive.ClientParameters{Time: keepaliveTime, Timeout: keepaliveTimeout},
		),
		grpc.WithConnectParams(
			grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: connectTime},
		),
		grpc.WithIdleTimeout(idle),
		grpc.WithDisableRetry(), // a message is sent once
		grpc.WithDisableServiceConfig(),
		grpc.WithUserAgent(t.UserAgent),
	)
	if err != nil {
		return nil, err
	}
	if t.conns == nil {
		t.conns = map[origin]*grpc.ClientConn{}
	}

	t.conns[at] = c
	return c, nil
}

// Carry implements a2aclient.Carrier.
func (t *Transport) Carry(
	ctx context.Context,
	origin *url.URL,
	name string,
	md map[string][]string,
	message []byte,
) (*http.Response, error) {
	d, op, ok := wire.GRPCRoute(name)
	if !ok {
		return nil, fmt.Errorf("%s is not a method of A2A over gRPC", name)
	}

	conn, err := t.conn(origin)
	if err != nil {
		return nil, err
	}
	if len(message) > DefaultMaxMessage {
		return nil, errTooLong(len(message))
	}

	ctx = metadata.NewOutgoingContext(ctx, md)
	limit := cmp.Or(t.AnswerTime, DefaultAnswerTime)
	if op.Streams() {
		return stream(ctx, conn, name, message, limit)
	}

	// A deadline would go to the server, which may end first with an error of its own.
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(limit, func() { cancel(tooSlow(limit)) })
	defer late.Stop()
	var got []byte
	var h responseMetadata
	err = conn.Invoke(
		ctx,
		name,
		&message,
		&got,
		rawCodec,
		grpc.MaxCallRecvMsgSize(DefaultMaxMessage),
		grpc.Header(&h.header),
		grpc.Trailer(&h.trailer),
	)
	switch {
	case err != nil:
		return refusal(ctx, h, err)
	case op != wire.ExtendedCard:
		return newResponse(http.StatusOK, h.withExtensions(messageHeader), got), nil
	}

	card, err := decodeCard(d, got)
	if err != nil {
		return nil, fmt.Errorf("the card is invalid: %w", err)
	}

	return newResponse(http.StatusOK, jsonHeader, card), nil
}

func errTooLong(bytes int) error {
	e := a2a.Errorf(
		a2a.InvalidParams,
		"the message has %d bytes, which is more than %d",
		bytes,
		DefaultMaxMessage,
	)
	e.NotSent = true
	return e
}

// responseMetadata is the metadata that a server has sent.
type responseMetadata struct{ header, trailer metadata.MD }

// withExtensions returns head with what the server says of extensions.
func (h responseMetadata) withExtensions(head http.Header) http.Header {
	uris := append(h.header.Get(wire.ExtensionsHeader), h.header.Get("X-"+wire.ExtensionsHeader)...)
	if len(uris) == 0 {
		return head
	}
	head = head.Clone()
	head[http.CanonicalHeaderKey(wire.ExtensionsHeader)] = uris
	return head
}

// metadataOf returns the metadata of s, which has ended or is nil.
func metadataOf(s grpc.ClientStream) (h responseMetadata) {
	if s != nil {
		h.header, _ = s.Header()
		h.trailer = s.Trailer()
	}
	return h
}

func refusal(ctx context.Context, h responseMetadata, err error) (*http.Response, error) {
	st, ok := status.FromError(err)
	if tooLarge(st) {
		return nil, errTooLarge()
	}
	if ctx.Err() != nil || !ok || !h.answers(st.Code()) {
		return nil, cmp.Or(context.Cause(ctx), unanswered(st, err))
	}

	code, body := encodeStatus(st)
	head := jsonHeader
	if challenge := h.trailer["www-authenticate"]; len(challenge) > 0 {
		head = head.Clone()
		head["Www-Authenticate"] = challenge
	}

	return newResponse(code, head, body), nil
}

// tooLarge reports whether our end refused an answer for its size, which package grpc tells by
// its text alone: a server that limits callers sends the same code.
func tooLarge(st *status.Status) bool {
	return st.Code() == codes.ResourceExhausted &&
		strings.HasPrefix(st.Message(), "grpc: received message larger than max")
}

func errTooLarge() error {
	e := a2a.Errorf(
		a2a.InvalidAgentResponse, "the answer is too large: more than %d bytes", DefaultMaxMessage,
	)
	e.Cause = a2a.ErrTooLarge
	return e
}

// tooSlow is the error for an answer that took longer than it says.
type tooSlow time.Duration

func (e tooSlow) Error() string {
	return fmt.Sprintf("its answer took longer than %s", time.Duration(e))
}

// answers reports whether a code is from the server, and not from a broken connection. An
// answer has a content type in its header or trailer.
func (h responseMetadata) answers(code codes.Code) bool {
	switch code {
	case codes.Unavailable, codes.Internal, codes.Canceled, codes.DeadlineExceeded:
		return len(h.header) > 0 || len(h.trailer) > 0
	default:
		return true
	}
}

// unanswered is the error for a call that no server answered. Only the text tells that there was no
// connection.
func unanswered(st *status.Status, err error) error {
	switch {
	case st == nil:
		return err
	case strings.Contains(st.Message(), "Error while dialing"):
		return fmt.Errorf("%w: %s", a2a.ErrNotConnected, st.Message())
	}
	return errors.New(st.Message())
}

// The headers of responses by the kind of body. They are read-only.
var (
	messageHeader = http.Header{"Content-Type": {wire.ProtobufType}}
	streamHeader  = http.Header{"Content-Type": {wire.GRPCType}}
	jsonHeader    = http.Header{"Content-Type": {"application/json"}}
)

// newResponse returns a response with a body in memory.
func newResponse(code int, head http.Header, body []byte) *http.Response {
	return &http.Response{
		StatusCode:    code,
		Status:        http.StatusText(code),
		Proto:         "HTTP/2.0",
		ProtoMajor:    2,
		Header:        head,
		Body:          memory{bytes.NewBuffer(body)},
		ContentLength: -1,
	}
}

// memory is a body that readers may take as a whole.
type memory struct{ *bytes.Buffer }

// Close does nothing.
func (memory) Close() error { return nil }
