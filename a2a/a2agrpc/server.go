package a2agrpc

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"rialto/internal/sse"
)

// The bounds of what clients may do to a Server.
const (
	maxCalls  = 256              // at once over one connection
	maxPings  = 30 * time.Second // between questions whether we are still there
	quiet     = 2 * time.Minute  // before we ask the same
	sendTime  = 30 * time.Second // for one message to be taken
	stopTime  = 3 * time.Second  // for calls to end when the server stops
	maxAnswer = 32 << 20         // a message, in JSON
)

// Server takes calls over gRPC to an HTTP handler. Handler and Path are required;
// its fields must not change once it serves.
type Server struct {
	// Handler answers calls in the form that the package comment describes. The
	// metadata of a call is the header of its request.
	Handler http.Handler

	// Path returns where below Handler the agent is that the tenant of a call
	// names. Calls of 0.3 name none.
	Path func(tenant string) string

	MaxMessage int // 0 means DefaultMaxMessage
}

// Serve answers on l until ctx ends, and then gives the calls that run a moment.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	limit := cmp.Or(s.MaxMessage, DefaultMaxMessage)
	srv := grpc.NewServer(
		grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error { return s.call(stream) }),
		grpc.MaxRecvMsgSize(limit), grpc.MaxHeaderListSize(maxHeader), grpc.MaxConcurrentStreams(maxCalls),
		grpc.ConnectionTimeout(connectTime),
		grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionIdle: idle, Time: quiet, Timeout: stillThereFor}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: maxPings}),
	)
	over := context.AfterFunc(ctx, func() {
		cut := time.AfterFunc(stopTime, srv.Stop)
		defer cut.Stop()
		srv.GracefulStop()
	})
	defer over()
	return srv.Serve(l)
}

// call answers one call.
func (s *Server) call(stream grpc.ServerStream) error {
	path, _ := grpc.MethodFromServerStream(stream)
	m, ok := methodOf(path)
	if !ok {
		return status.Errorf(codes.Unimplemented, "unknown method %s", path)
	}
	in := m.in.New().Interface()
	if err := stream.RecvMsg(in); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(stream.Context())
	req, err := s.request(ctx, path, in)
	if err != nil {
		cancel()
		return status.Error(codes.InvalidArgument, "the message has no form in JSON")
	}
	body, w := io.Pipe()
	a := &answer{head: http.Header{}, body: w, began: make(chan struct{})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		a.run(s.Handler, req)
	}()
	defer func() {
		cancel()
		body.Close()
		<-done
	}()
	<-a.began
	return a.relay(stream, m, path, body)
}

// request returns a call as an HTTP request.
func (s *Server) request(ctx context.Context, path string, in proto.Message) (*http.Request, error) {
	body, err := toJSON(in)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://grpc"+s.Path(tenantOf(in))+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	md, _ := metadata.FromIncomingContext(ctx)
	for k, vs := range md {
		if !strings.HasPrefix(k, ":") && !strings.HasSuffix(k, "-bin") {
			req.Header[http.CanonicalHeaderKey(k)] = vs
		}
	}
	if host := md.Get(":authority"); len(host) > 0 {
		req.Host = host[0]
	}
	if p, ok := peer.FromContext(ctx); ok {
		req.RemoteAddr = p.Addr.String()
	}
	req.Header.Set("Content-Type", "application/json")
	return req, nil
}

// tenantOf returns the tenant that a message of 1.0 names.
func tenantOf(in proto.Message) string {
	m := in.ProtoReflect()
	f := m.Descriptor().Fields().ByName("tenant")
	if f == nil || f.Kind() != protoreflect.StringKind {
		return ""
	}
	return m.Get(f).String()
}

// answer is what the handler says.
type answer struct {
	head  http.Header
	code  int
	body  *io.PipeWriter
	began chan struct{} // closed when code and head are final
}

// run has h answer req. A handler that wants its connection cut says so with
// http.ErrAbortHandler.
func (a *answer) run(h http.Handler, req *http.Request) {
	defer func() {
		switch v := recover(); v {
		case nil:
			a.WriteHeader(http.StatusOK)
			a.body.Close()
		case http.ErrAbortHandler:
			a.WriteHeader(http.StatusInternalServerError)
			a.body.CloseWithError(io.ErrUnexpectedEOF)
		default:
			panic(v)
		}
	}()
	h.ServeHTTP(a, req)
}

// Header, WriteHeader and Write make an answer an http.ResponseWriter.
func (a *answer) Header() http.Header { return a.head }

// WriteHeader counts the first time.
func (a *answer) WriteHeader(code int) {
	if a.code == 0 {
		a.code = code
		close(a.began)
	}
}

// Write waits until the client has taken what was written before.
func (a *answer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(p)
}

// Flush begins the answer: nothing is held back.
func (a *answer) Flush() { a.WriteHeader(http.StatusOK) }

// relay sends what the handler says over stream.
func (a *answer) relay(stream grpc.ServerStream, m method, path string, body io.Reader) error {
	if strings.HasPrefix(a.head.Get("Content-Type"), sse.ContentType) {
		return relayEvents(stream, m, path, body)
	}
	message, err := io.ReadAll(io.LimitReader(body, maxAnswer))
	if err != nil {
		return status.Error(codes.Internal, "internal error")
	}
	if a.code/100 != 2 {
		if challenge := a.head.Values("WWW-Authenticate"); len(challenge) > 0 {
			stream.SetTrailer(metadata.MD{"www-authenticate": challenge})
		}
		return decodeStatus(path, a.code, message).Err()
	}
	return send(stream, m, message)
}

func relayEvents(stream grpc.ServerStream, m method, path string, body io.Reader) error {
	events := sse.NewReader(body)
	events.MaxEvent = maxAnswer
	for {
		e, err := events.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return status.Error(codes.Internal, "internal error")
		}
		var refused struct {
			Error json.RawMessage `json:"error"`
		}
		if json.Unmarshal(e.Data, &refused) == nil && refused.Error != nil {
			return decodeStatus(path, http.StatusInternalServerError, e.Data).Err()
		}
		if err := send(stream, m, e.Data); err != nil {
			return err
		}
	}
}

// send sends a message that is given as JSON. A client that does not take it for
// too long loses the call: when this returns an error the stream ends, and with
// it what still waits to be sent.
func send(stream grpc.ServerStream, m method, message []byte) error {
	out, err := fromJSON(m.out, message)
	if err != nil {
		return status.Error(codes.Internal, "the answer has no form in gRPC")
	}
	sent := make(chan error, 1)
	go func() { sent <- stream.SendMsg(out) }()
	late := time.NewTimer(sendTime)
	defer late.Stop()
	select {
	case err := <-sent:
		return err
	case <-late.C:
		return status.Error(codes.DeadlineExceeded, "the client does not read")
	}
}
