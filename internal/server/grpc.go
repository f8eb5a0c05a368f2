package server

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/a2a/a2agrpc"
	"rialto/internal/config"
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
	if c.GRPC.Listen == "" {
		return nil, nil
	}
	l, err := Listen(c.GRPC.Listen)
	if err == nil {
		c.GRPC.ListensOn(l.Addr(), c.URL)
	}
	return l, err
}

// serveGRPC serves gRPC on l until ctx ends.
func (s *Server) serveGRPC(ctx context.Context, l net.Listener) error {
	h, err := s.grpcHandler()
	if err != nil {
		return err
	}
	srv := &a2agrpc.Server{Handler: recoverPanics(s.log, logRequests(s.log, h)), Path: func(tenant string) string {
		if tenant == "" {
			return ""
		}
		return config.AgentPath + url.PathEscape(tenant)
	}}
	return srv.Serve(ctx, l)
}

// ServeBoth serves HTTP and, unless calls is nil, gRPC. If one ends, it stops the other.
func (s *Server) ServeBoth(ctx context.Context, l, calls net.Listener) error {
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

// grpcHandler serves gRPC calls, with the same guard and agents as a2aRoutes.
func (s *Server) grpcHandler() (http.Handler, error) {
	f := s.newAgentServers()
	if err := f.check(); err != nil {
		return nil, err
	}
	return s.oauth.Guard.RequireAny(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		srv, agent := f.primary()
		if below, ok := strings.CutPrefix(r.URL.Path, config.AgentPath); ok {
			agent, _, _ = strings.Cut(below, "/")
			srv = f.named(agent)
		}
		if srv == nil || !s.bridge.Proxy.Agent(agent).Known(r.Context()) {
			writeNoAgent(w)
			return
		}
		srv.ServeGRPC(w, r)
	}), a2aScopes...), nil
}
