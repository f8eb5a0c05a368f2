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

// grpcInterfaces lists the ways to reach an agent over gRPC. The tenant of 1.0 says
// which agent is meant; calls of 0.3 have none, and reach the primary agent.
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

// ListenGRPC opens the address for gRPC; nil if none is configured.
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

// serveGRPC answers on l until ctx ends.
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

// ServeBoth answers over HTTP and, unless calls is nil, over gRPC. When one
// ends, so does the other.
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

// grpcHandler answers calls over gRPC behind the same guard and for the same
// agents as mountFaces.
func (s *Server) grpcHandler() (http.Handler, error) {
	f := s.newAgentServers()
	if err := f.check(); err != nil {
		return nil, err
	}
	return s.OAuth.Guard.RequireAny(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		face, agent := f.primary()
		if below, ok := strings.CutPrefix(r.URL.Path, config.AgentPath); ok {
			agent, _, _ = strings.Cut(below, "/")
			face = f.named(agent)
		}
		if face == nil || !s.bridge.Face(agent).Known(r.Context()) {
			writeNoAgent(w)
			return
		}
		face.ServeGRPC(w, r)
	}), a2aScopes...), nil
}
