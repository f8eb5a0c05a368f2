package server

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"

	"rialto/a2a"
	"rialto/a2a/a2agrpc"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/slowconn"
)

// grpcInterfaces lists the gRPC addresses of an agent. In 1.0 the tenant names the
// agent; 0.3 has no tenant, so that it reaches only the primary agent.
func grpcInterfaces(c config.GRPC, p agentAddress) []a2a.Interface {
	if c.Listen == "" {
		return nil
	}
	all := []a2a.Interface{{URL: c.Address, Binding: a2a.GRPC, Version: a2a.V10, Tenant: p.agent}}
	if p.primary {
		all = append(all, a2a.Interface{URL: c.Address, Binding: a2a.GRPC, Version: a2a.V03})
	}
	return all
}

// ListenGRPC opens the listener for gRPC; nil if none is configured.
func ListenGRPC(c *config.Config) (net.Listener, error) {
	if c.Serving.GRPC.Listen == "" {
		return nil, nil
	}
	l, err := Listen(c.Serving.GRPC.Listen)
	if err == nil {
		c.Serving.GRPC.ListensOn(l.Addr(), c.URL)
	}
	return l, err
}

// serveGRPC serves gRPC on l until ctx ends.
func (s *Server) serveGRPC(ctx context.Context, l net.Listener) error {
	h, err := s.grpcHandler()
	if err != nil {
		return err
	}

	calls := newObserver(s)
	calls.route = "/{service}/{method}"
	calls.door = "grpc"
	srv := &a2agrpc.Server{
		Handler:    calls.handler(h),
		MaxMessage: int(s.cfg.Load().Limits.RequestSize),
	}
	l = slowconn.NewListener(&limitedListener{Listener: l, trusted: trustedProxies(s.cfg.Load())})
	if secure := s.certificate.config("h2"); secure != nil {
		l = tls.NewListener(l, secure)
	}

	return srv.Serve(ctx, l)
}

// ServeBoth serves HTTP and, unless calls is nil, gRPC. If one ends, it stops the other.
func (s *Server) ServeBoth(ctx context.Context, l, calls net.Listener) error {
	ctx, done := s.drain(ctx)
	defer done()
	watch(ctx, s)
	defer s.awaitAgents(ctx)
	if calls == nil {
		return s.Serve(ctx, l)
	}

	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		ended <- s.serveGRPC(ctx, calls)
	}()
	err := s.Serve(ctx, l)
	cancel()
	return errors.Join(err, <-ended)
}

// grpcHandler serves gRPC calls, with the same guard and agents as a2aRoutes. The guard refuses
// a call by its metadata, before its message is received.
func (s *Server) grpcHandler() (http.Handler, error) {
	f := newAgentServers(s)
	if err := f.check(); err != nil {
		return nil, err
	}

	return s.oauth.Guard.RequireAny(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var tenant string
		read := func() (err error) {
			tenant, err = a2agrpc.ReadTenant(r)
			return err
		}
		s.bodies.receive(w, r, read, func() {
			srv, agent := f.primary()
			if tenant != "" {
				srv = f.named(tenant)
				agent = tenant
			}
			if srv == nil || !s.bridge.Proxy.Agent(agent).Exists(r.Context()) {
				writeNoAgent(w, r)
				return
			}
			s.bodies.limitAnswers(http.HandlerFunc(srv.ServeGRPC)).ServeHTTP(w, r)
		})
	}), a2aScopes...), nil
}
