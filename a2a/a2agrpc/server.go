package a2agrpc

import (
	"bytes"
	"context"
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

	"rialto/a2a/internal/wire"
)

// The limits of clients of a Server.
const (
	maxCalls  = 256              // at once over one connection
	maxPings  = 30 * time.Second // minimum interval of a client's pings
	quiet     = 2 * time.Minute  // idle time before we ping
	sendTime  = 30 * time.Second // for one message to be read
	stopTime  = 3 * time.Second  // for calls to end when the server stops
	maxAnswer = 32 << 20         // a message
)

// Server passes calls over gRPC to an HTTP handler. Handler and Path are required;
// its fields must not change once it serves.
type Server struct {
	// Handler answers calls in the form that the package comment describes. The
	// metadata of a call is the header of its request.
	Handler http.Handler

	// Path returns the path of the agent for the tenant of a call. Calls of 0.3 have none.
	Path func(tenant string) string
}

// Serve serves l until ctx ends, and then waits a moment for running calls.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	srv := grpc.NewServer(
		grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error { return s.call(stream) }),
		grpc.ForceServerCodecV2(raw{}),
		grpc.MaxRecvMsgSize(DefaultMaxMessage), grpc.MaxHeaderListSize(maxHeader), grpc.MaxConcurrentStreams(maxCalls),
		grpc.StaticStreamWindowSize(streamWindow), grpc.StaticConnWindowSize(connWindow),
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

func (s *Server) call(stream grpc.ServerStream) error {
	path, _ := grpc.MethodFromServerStream(stream)
	d, op, ok := wire.GRPCRoute(path)
	if !ok || d.GRPCPath(op) != path {
		return status.Errorf(codes.Unimplemented, "unknown method %s", path)
	}
	var message []byte
	if err := stream.RecvMsg(&message); err != nil {
		return err
	}
	req, err := s.request(stream.Context(), path, message)
	if err != nil {
		return status.Error(codes.InvalidArgument, "the tenant has no place")
	}
	a := &responseWriter{dialect: d, op: op, stream: stream, head: http.Header{}}
	if !op.Streams() {
		return a.run(s.Handler, req)
	}
	return a.runStream(s.Handler, req)
}

// request returns a call as an HTTP request.
func (s *Server) request(ctx context.Context, path string, message []byte) (*http.Request, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://grpc"+s.Path(wire.GRPCTenant(path, message))+path, bytes.NewReader(message))
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
	return req, nil
}
