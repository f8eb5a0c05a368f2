package a2agrpc

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
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

	"rialto/a2a/internal/wire"
)

// The bounds of a connection. Servers cut those who ask more often than every
// five minutes whether they are still there, unless configured otherwise.
const (
	connectTime   = 10 * time.Second
	stillThere    = 6 * time.Minute
	stillThereFor = 20 * time.Second
	idle          = 5 * time.Minute
)

// maxConns bounds the servers that one Transport keeps connections to.
const maxConns = 16

// Transport is an http.RoundTripper for a2aclient.Dialer.GRPC. Its zero value is
// useful; its fields must not change once it is used. It may be used
// concurrently.
type Transport struct {
	TLS        *tls.Config // for https; nil is what the system trusts
	MaxMessage int         // 0 means DefaultMaxMessage

	mu    sync.Mutex
	conns map[origin]*grpc.ClientConn
}

// origin is what a connection leads to.
type origin struct{ scheme, host string }

// Close cuts all connections.
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

// conn returns the connection to the server at u, which is made when it is used.
func (t *Transport) conn(u *url.URL) (*grpc.ClientConn, error) {
	at := origin{u.Scheme, u.Host}
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, ok := t.conns[at]; ok {
		return c, nil
	}
	if len(t.conns) >= maxConns {
		return nil, fmt.Errorf("gRPC to more than %d servers", maxConns)
	}
	secure, port := insecure.NewCredentials(), "80"
	if u.Scheme == "https" {
		secure, port = credentials.NewTLS(t.TLS.Clone()), "443"
	}
	limit := cmp.Or(t.MaxMessage, DefaultMaxMessage)
	c, err := grpc.NewClient("dns:///"+net.JoinHostPort(u.Hostname(), cmp.Or(u.Port(), port)),
		grpc.WithTransportCredentials(secure),
		grpc.WithDefaultCallOptions(grpc.ForceCodecV2(raw{}), grpc.MaxCallRecvMsgSize(limit), grpc.MaxCallSendMsgSize(limit)),
		grpc.WithMaxHeaderListSize(maxHeader), grpc.WithStaticStreamWindowSize(streamWindow), grpc.WithStaticConnWindowSize(connWindow),
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: stillThere, Timeout: stillThereFor}),
		grpc.WithConnectParams(grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: connectTime}),
		grpc.WithIdleTimeout(idle),
		grpc.WithDisableRetry(), // a message is sent once
		grpc.WithDisableServiceConfig(),
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

// RoundTrip makes the call that req is: see the package comment. Its error says
// that no server answered; what a server refused is a response.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	d, op, ok := wire.GRPCRoute(req.URL.Path)
	if !ok {
		return nil, fmt.Errorf("%s is no method of A2A over gRPC", req.URL.Path)
	}
	conn, err := t.conn(req.URL)
	if err != nil {
		return nil, err
	}
	message, err := t.message(req)
	if err != nil {
		return nil, err
	}
	if op.Streams() {
		return stream(req, conn, message)
	}
	return unary(req, conn, d, op, message)
}

func (t *Transport) message(req *http.Request) ([]byte, error) {
	if req.Body == nil {
		return nil, nil
	}
	defer req.Body.Close()
	limit := int64(cmp.Or(t.MaxMessage, DefaultMaxMessage))
	if there, ok := req.Body.(interface{ Bytes() []byte }); ok {
		return there.Bytes(), nil
	}
	return io.ReadAll(io.LimitReader(req.Body, limit+1)) // more is refused by the connection
}

// unary makes a call that is answered by a message.
func unary(req *http.Request, conn *grpc.ClientConn, d *wire.Dialect, op wire.Op, message []byte) (*http.Response, error) {
	var result []byte
	s, err := conn.NewStream(outgoing(req), &grpc.StreamDesc{}, req.URL.Path)
	if err != nil {
		return refusal(req, hearing{}, err)
	}
	if err = s.SendMsg(&message); err == nil || errors.Is(err, io.EOF) { // then RecvMsg says why
		err = s.RecvMsg(&result)
	}
	if err != nil {
		return refusal(req, heard(s), err)
	}
	kind := messageHeader
	if op == wire.ExtendedCard {
		kind = jsonHeader
		if result, err = decodeCard(d, result); err != nil {
			return nil, fmt.Errorf("a card that is none: %w", err)
		}
	}
	return response(req, http.StatusOK, kind, &memory{*bytes.NewBuffer(result)}), nil
}

// stream makes a call that is answered by a stream. It waits for its first
// message, for that is where servers refuse.
func stream(req *http.Request, conn *grpc.ClientConn, message []byte) (*http.Response, error) {
	ctx, cancel := context.WithCancel(outgoing(req))
	e, err := open(ctx, conn, req.URL.Path, message)
	if err != nil {
		cancel()
		return refusal(req, heard(e.s), err)
	}
	e.cancel = cancel
	return response(req, http.StatusOK, streamHeader, e), nil
}

// open begins a stream. What it returns is never nil.
func open(ctx context.Context, conn *grpc.ClientConn, path string, message []byte) (*events, error) {
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, path)
	e := &events{ctx: ctx, s: s}
	if err != nil {
		return e, err
	}
	if err := s.SendMsg(&message); err != nil && !errors.Is(err, io.EOF) { // then RecvMsg says why
		return e, err
	}
	if err := s.CloseSend(); err != nil {
		return e, err
	}
	if err := e.next(); !errors.Is(err, io.EOF) {
		return e, err
	}
	return e, nil // it has ended without a message
}

// hearing is what a server has sent besides messages.
type hearing struct{ header, trailer metadata.MD }

// heard returns what has come over s, which has ended, if it ever began.
func heard(s grpc.ClientStream) (h hearing) {
	if s != nil {
		h.header, _ = s.Header()
		h.trailer = s.Trailer()
	}
	return h
}

// refusal returns the response that stands for err: the server's own word if it
// was one.
func refusal(req *http.Request, h hearing, err error) (*http.Response, error) {
	st, ok := status.FromError(err)
	if req.Context().Err() != nil || !ok || !h.answers(st.Code()) {
		return nil, cmp.Or(req.Context().Err(), unanswered(st, err))
	}
	code, body := encodeStatus(st)
	head := jsonHeader
	if challenge := h.trailer["www-authenticate"]; len(challenge) > 0 {
		head = head.Clone()
		head["Www-Authenticate"] = challenge
	}
	return response(req, code, head, &memory{*bytes.NewBuffer(body)}), nil
}

// answers reports whether a code is what a server said, and not what gRPC made
// of a connection. An answer has a content type, in its header or trailer.
func (h hearing) answers(code codes.Code) bool {
	switch code {
	case codes.Unavailable, codes.Internal, codes.Canceled, codes.DeadlineExceeded:
		return len(h.header) > 0 || len(h.trailer) > 0
	default:
		return true
	}
}

func unanswered(st *status.Status, err error) error {
	if st == nil {
		return err
	}
	return errors.New(st.Message())
}

// The headers of responses, by what is in their bodies. Nobody writes to them.
var (
	messageHeader = http.Header{"Content-Type": {wire.ProtobufType}}
	streamHeader  = http.Header{"Content-Type": {wire.GRPCType}}
	jsonHeader    = http.Header{"Content-Type": {"application/json"}}
)

func response(req *http.Request, code int, head http.Header, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/2.0", ProtoMajor: 2,
		Header: head, Body: body, ContentLength: -1, Request: req,
	}
}

// memory is a body that is there already, for those who ask for its Bytes.
type memory struct{ bytes.Buffer }

// Close does nothing.
func (*memory) Close() error { return nil }

// outgoing returns the context of a request with its header as metadata. What is
// about the body, or HTTP's own, stays behind.
func outgoing(req *http.Request) context.Context {
	pairs := make([]string, 0, 2*len(req.Header))
	for k, vs := range req.Header {
		switch k {
		case "Accept", "Connection", "Content-Type", "Content-Length", "Host", "Te", "User-Agent":
			continue
		}
		if k = strings.ToLower(k); !strings.HasPrefix(k, "grpc-") {
			for _, v := range vs {
				pairs = append(pairs, k, v)
			}
		}
	}
	return metadata.AppendToOutgoingContext(req.Context(), pairs...)
}

// events is a stream of messages as the frames of a body.
type events struct {
	ctx    context.Context // of the call; that of s ends with s
	s      grpc.ClientStream
	cancel context.CancelFunc

	message []byte // the last
	frame   []byte // that it makes
	read    int    // how much of that has been
	over    bool
}

// next waits for the next message.
func (e *events) next() error {
	if err := e.s.RecvMsg(&e.message); err != nil {
		return err
	}
	e.put(e.message, false)
	return nil
}

// put makes message what is read next.
func (e *events) put(message []byte, refused bool) {
	e.frame, e.read = wire.AppendFrame(e.frame[:0], message, refused), 0
}

// Read returns frames. A server's refusal is one, too; a cut connection is an
// error.
func (e *events) Read(p []byte) (int, error) {
	if e.read == len(e.frame) && !e.over {
		err := e.next()
		st, _ := status.FromError(err)
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return 0, io.EOF
		case e.ctx.Err() != nil, !heard(e.s).answers(st.Code()):
			return 0, cmp.Or(e.ctx.Err(), err)
		default:
			_, refused := encodeStatus(st)
			e.put(refused, true)
			e.over = true
		}
	}
	n := copy(p, e.frame[e.read:])
	if e.read += n; n == 0 && len(p) > 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Close ends the call.
func (e *events) Close() error {
	e.cancel()
	return nil
}
