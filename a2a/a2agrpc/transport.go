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
	"google.golang.org/protobuf/proto"

	"rialto/a2a"
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
	conns map[string]*grpc.ClientConn // by origin
}

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
	origin := u.Scheme + "://" + u.Host
	t.mu.Lock()
	defer t.mu.Unlock()
	if c, ok := t.conns[origin]; ok {
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
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(limit), grpc.MaxCallSendMsgSize(limit)),
		grpc.WithMaxHeaderListSize(maxHeader),
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
		t.conns = map[string]*grpc.ClientConn{}
	}
	t.conns[origin] = c
	return c, nil
}

// RoundTrip makes the call that req is: see the package comment. Its error says
// that no server answered; what a server refused is a response.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	m, ok := methodOf(req.URL.Path)
	if !ok {
		return nil, fmt.Errorf("%s is no method of A2A over gRPC", req.URL.Path)
	}
	conn, err := t.conn(req.URL)
	if err != nil {
		return nil, err
	}
	in, err := t.message(m, req)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(metadata.NewOutgoingContext(req.Context(), outgoing(req.Header)))
	s, first, err := open(ctx, conn, req.URL.Path, m, in)
	if err != nil {
		cancel()
		return refusal(req, s, err)
	}
	head := http.Header{"Content-Type": {"application/json"}}
	if !m.streams {
		cancel()
		return response(req, http.StatusOK, head, io.NopCloser(bytes.NewReader(first))), nil
	}
	head.Set("Content-Type", "text/event-stream")
	body := &events{m: m, s: s, cancel: cancel}
	if first != nil {
		body.add(first)
	}
	return response(req, http.StatusOK, head, body), nil
}

func (t *Transport) message(m method, req *http.Request) (proto.Message, error) {
	var body []byte
	if req.Body != nil {
		defer req.Body.Close()
		limit := int64(cmp.Or(t.MaxMessage, DefaultMaxMessage))
		var err error
		if body, err = io.ReadAll(io.LimitReader(req.Body, 2*limit)); err != nil { // JSON is longer than what it stands for
			return nil, err
		}
	}
	in, err := fromJSON(m.in, body)
	if err != nil {
		return nil, &a2a.Error{Code: a2a.InvalidParams, Message: "the call has no form in gRPC: " + err.Error(), NotSent: true}
	}
	return in, nil
}

// open begins a call and returns the first message of the answer as JSON; nil
// if a stream ends without one. The stream is there with an error, too, where
// one was begun.
func open(ctx context.Context, conn *grpc.ClientConn, path string, m method, in proto.Message) (grpc.ClientStream, []byte, error) {
	s, err := conn.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true}, path)
	if err != nil {
		return nil, nil, err
	}
	if err := s.SendMsg(in); err != nil && !errors.Is(err, io.EOF) { // then RecvMsg says why
		return s, nil, err
	}
	if err := s.CloseSend(); err != nil {
		return s, nil, err
	}
	first, err := next(s, m)
	if errors.Is(err, io.EOF) && m.streams {
		return s, nil, nil
	}
	return s, first, err
}

// next returns the next message of s as JSON.
func next(s grpc.ClientStream, m method) ([]byte, error) {
	out := m.out.New().Interface()
	if err := s.RecvMsg(out); err != nil {
		return nil, err
	}
	return toJSON(out)
}

// refusal returns the response that stands for err: the server's own word if it
// was one.
func refusal(req *http.Request, s grpc.ClientStream, err error) (*http.Response, error) {
	st, ok := status.FromError(err)
	if req.Context().Err() != nil || !ok || !answered(s, st.Code()) {
		return nil, cmp.Or(req.Context().Err(), unanswered(st, err))
	}
	code, body := encodeStatus(st)
	head := http.Header{"Content-Type": {"application/json"}}
	for _, c := range s.Trailer()["www-authenticate"] {
		head.Add("WWW-Authenticate", c)
	}
	return response(req, code, head, io.NopCloser(bytes.NewReader(body))), nil
}

// answered reports whether a code is what a server said, and not what gRPC made
// of a connection. An answer has a content type, in its header or trailer.
func answered(s grpc.ClientStream, code codes.Code) bool {
	if s == nil {
		return false
	}
	if code != codes.Unavailable && code != codes.Internal && code != codes.Canceled && code != codes.DeadlineExceeded {
		return true
	}
	h, _ := s.Header()
	return len(h) > 0 || len(s.Trailer()) > 0
}

func unanswered(st *status.Status, err error) error {
	if st == nil {
		return err
	}
	return errors.New(st.Message())
}

func response(req *http.Request, code int, head http.Header, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: code, Status: http.StatusText(code), Proto: "HTTP/2.0", ProtoMajor: 2,
		Header: head, Body: body, ContentLength: -1, Request: req,
	}
}

// outgoing returns the header of a request as metadata. What is about the body,
// or HTTP's own, stays behind.
func outgoing(h http.Header) metadata.MD {
	md := metadata.MD{}
	for k, vs := range h {
		switch k = strings.ToLower(k); k {
		case "accept", "connection", "content-type", "content-length", "host", "te", "user-agent":
		default:
			if !strings.HasPrefix(k, "grpc-") {
				md[k] = vs
			}
		}
	}
	return md
}

// events is a stream of messages as the body of an event stream.
type events struct {
	m      method
	s      grpc.ClientStream
	cancel context.CancelFunc
	left   bytes.Buffer
	over   bool
}

func (e *events) add(message []byte) {
	e.left.WriteString("data: ")
	e.left.Write(message)
	e.left.WriteString("\n\n")
}

// Read returns the next messages as events. A server's refusal is an event, too;
// a cut connection is an error.
func (e *events) Read(p []byte) (int, error) {
	if e.left.Len() == 0 && !e.over {
		message, err := next(e.s, e.m)
		st, _ := status.FromError(err)
		switch {
		case err == nil:
			e.add(message)
		case errors.Is(err, io.EOF), !answered(e.s, st.Code()), e.s.Context().Err() != nil:
			return 0, cmp.Or(e.s.Context().Err(), err)
		default:
			_, refused := encodeStatus(st)
			e.add(refused)
			e.over = true
		}
	}
	return e.left.Read(p) // io.EOF where nothing is left
}

// Close ends the call.
func (e *events) Close() error {
	e.cancel()
	return nil
}
