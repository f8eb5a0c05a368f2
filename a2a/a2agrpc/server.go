package a2agrpc

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"rialto/a2a/internal/wire"
)

// The limits of clients of a Server.
const (
	maxCalls   = 128              // at once over one connection
	maxPings   = 30 * time.Second // minimum interval of a client's pings
	quiet      = 2 * time.Minute  // idle time before we ping
	patience   = 30 * time.Second // for a message to arrive, and for one to be read
	minRate    = 16 << 10         // bytes per second of a message that takes longer to read
	stopTime   = 3 * time.Second  // for calls to end when the server stops
	maxAnswer  = 16 << 20         // a message
	maxRequest = 4 << 20          // a message, as most gRPC servers have it

	smallMessage = 64 << 10 // is sent without waiting for the client to read it
)

// Server passes calls over gRPC to an HTTP handler. Its fields must not change once it serves.
type Server struct {
	// Handler answers calls in the form that the package comment describes. The metadata of a
	// call is the header of its request. Required.
	//
	// The message of a call is received when the handler reads the body. A guard that decides
	// by the header refuses a call before that. ReadTenant tells for which agent a call is.
	Handler http.Handler

	MaxMessage int // bytes of a call's message; zero means 4 MiB

	// Patience is for a message to arrive, and for one of ours to be read, and more for a large
	// one; zero means 30 seconds.
	Patience time.Duration
}

// Serve serves l until ctx ends, and then waits a moment for running calls.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := grpc.NewServer(
		grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error { return s.call(stream) }),
		grpc.ForceServerCodecV2(raw{}),
		grpc.Creds(handshake{insecure.NewCredentials()}), // l may have TLS
		grpc.MaxRecvMsgSize(cmp.Or(s.MaxMessage, maxRequest)),
		grpc.MaxHeaderListSize(maxHeader),
		grpc.MaxConcurrentStreams(maxCalls),
		grpc.StaticStreamWindowSize(serverWindow),
		grpc.StaticConnWindowSize(connWindow),
		grpc.ConnectionTimeout(connectTime),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			MaxConnectionIdle: idle,
			Time:              quiet,
			Timeout:           keepaliveTimeout,
		}),
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

// handshake lets calls find their connection.
type handshake struct {
	credentials.TransportCredentials
}

// ServerHandshake implements credentials.TransportCredentials.
func (handshake) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return c, connection{c}, nil
}

// connection is a credentials.AuthInfo.
type connection struct{ net.Conn }

// AuthType implements credentials.AuthInfo.
func (connection) AuthType() string { return "none" }

// closeConnection closes the connection of a call.
func closeConnection(call context.Context) {
	if p, ok := peer.FromContext(call); ok {
		if c, ok := p.AuthInfo.(connection); ok {
			_ = c.Close() // the client is too slow for anything else
		}
	}
}

func (s *Server) call(stream grpc.ServerStream) error {
	path, _ := grpc.MethodFromServerStream(stream)
	d, op, ok := wire.GRPCRoute(path)
	if !ok || d.GRPCPath(op) != path {
		return status.Errorf(codes.Unimplemented, "unknown method %s", path)
	}

	req, err := request(stream.Context(), path)
	if err != nil {
		return status.Error(codes.InvalidArgument, "the metadata has no form in HTTP")
	}

	a := &responseWriter{
		dialect:  d,
		op:       op,
		stream:   stream,
		head:     http.Header{},
		patience: cmp.Or(s.Patience, patience),
	}
	req.Body = &requestBody{response: a}
	return a.serve(s.Handler, req)
}

// request returns a call as an HTTP request without its body.
func request(ctx context.Context, path string) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://grpc"+path, nil)
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

	req.Header.Set("Content-Type", wire.ProtobufType)
	req.ContentLength = -1
	return req, nil
}

// ReadTenant reads the message of a call that a Server passes on, and returns its tenant. The body
// can be read again. Calls of 0.3 have no tenant.
func ReadTenant(r *http.Request) (string, error) {
	message, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	r.Body = io.NopCloser(bytes.NewReader(message))
	r.ContentLength = int64(len(message))
	return wire.GRPCTenant(r.URL.Path, message), nil
}

// requestBody receives the message of a call when it is read first.
type requestBody struct {
	response *responseWriter
	message  *bytes.Reader
}

// Read implements io.Reader. Its error is also the status of the call.
func (b *requestBody) Read(p []byte) (int, error) {
	if b.message == nil {
		message, err := b.response.receive()
		if err != nil {
			return 0, err
		}
		b.message = bytes.NewReader(message)
	}
	return b.message.Read(p)
}

// Close does nothing: the message ends with its call.
func (*requestBody) Close() error { return nil }
