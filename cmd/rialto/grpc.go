package main

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"

	"rialto/a2a"
	"rialto/a2a/a2agrpc"
)

// grpcInterfaces lists the ways to reach an agent over gRPC. The tenant of 1.0 says
// which agent is meant; calls of 0.3 have none, and reach the primary agent.
func grpcInterfaces(c grpcConfig, p place) []a2a.Interface {
	if c.Listen == "" {
		return nil
	}
	all := []a2a.Interface{{URL: c.Address, Binding: a2a.GRPC, Version: a2a.V10, Tenant: p.agent}}
	if p.primary {
		all = append(all, a2a.Interface{URL: c.Address, Binding: a2a.GRPC, Version: a2a.V03})
	}
	return all
}

// listenGRPC opens the address for gRPC; nil if none is configured.
func listenGRPC(c *config) (net.Listener, error) {
	if c.GRPC.Listen == "" {
		return nil, nil
	}
	l, err := listen(c.GRPC.Listen)
	if err == nil {
		c.GRPC.listensOn(l.Addr(), c.URL)
	}
	return l, err
}

// serveGRPC answers on l until ctx ends.
func (s *server) serveGRPC(ctx context.Context, l net.Listener) error {
	h, err := s.grpcHandler()
	if err != nil {
		return err
	}
	srv := &a2agrpc.Server{Handler: recovered(s.log, logged(s.log, h)), Path: func(tenant string) string {
		if tenant == "" {
			return ""
		}
		return facePath + url.PathEscape(tenant)
	}}
	return srv.Serve(ctx, l)
}

// serveBoth answers over HTTP and, unless calls is nil, over gRPC. When one
// ends, so does the other.
func (s *server) serveBoth(ctx context.Context, l, calls net.Listener) error {
	if calls == nil {
		return s.serve(ctx, l)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		ended <- s.serveGRPC(ctx, calls)
	}()
	err := s.serve(ctx, l)
	cancel()
	return errors.Join(err, <-ended)
}

// grpcHandler answers calls over gRPC behind the same guard and for the same
// agents as mountFaces.
func (s *server) grpcHandler() (http.Handler, error) {
	f := s.newFaces()
	if err := f.check(); err != nil {
		return nil, err
	}
	return s.oauth.GuardAny(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		face, agent := f.primary()
		if below, ok := strings.CutPrefix(r.URL.Path, facePath); ok {
			agent, _, _ = strings.Cut(below, "/")
			face = f.named(agent)
		}
		if face == nil || !s.bridge.Face(agent).Known(r.Context()) {
			noAgent(w)
			return
		}
		face.ServeGRPC(w, r)
	}), faceScopes...), nil
}
