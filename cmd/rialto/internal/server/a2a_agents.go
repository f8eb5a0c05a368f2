package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/telemetry"
	"rialto/oauth/authserver"
)

// agentServers are the A2A servers of the agents. They are created on first use,
// because agents change while the server runs.
type agentServers struct {
	cfg       *atomic.Pointer[config.Config]
	log       *slog.Logger
	oauth     *authserver.Server
	bridge    *bridge.Bridge
	telemetry *telemetry.Telemetry
	limits    *callLimiter
	bodies    *bodyBudget

	mu   sync.Mutex
	made map[agentAddress]*a2aserver.Server
}

// agentAddress is an address of an agent. At the root it is the primary agent.
type agentAddress struct {
	agent         string
	root, primary bool
}

func newAgentServers(s *Server) *agentServers {
	return &agentServers{
		cfg:       &s.cfg,
		log:       s.log,
		oauth:     s.oauth,
		bridge:    s.bridge,
		telemetry: s.telemetry,
		limits:    s.limits,
		bodies:    s.bodies,
		made:      map[agentAddress]*a2aserver.Server{},
	}
}

// named returns the server of an agent at its own address, or nil if there is no such agent.
func (s *agentServers) named(agent string) *a2aserver.Server {
	return s.at(agentAddress{agent, false, agent == s.bridge.Directory.Primary()})
}

// primary returns the server of the primary agent at the root, and its name; nil and ""
// if there is none.
func (s *agentServers) primary() (*a2aserver.Server, string) {
	agent := s.bridge.Directory.Primary()
	return s.at(agentAddress{agent, true, true}), agent
}

func (s *agentServers) at(p agentAddress) *a2aserver.Server {
	known := s.bridge.Directory.Lookup(p.agent) != nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if !known {
		delete(s.made, p)
		return nil
	}
	if s.made[p] == nil {
		s.made[p] = s.newAgentServer(p)
	}

	return s.made[p]
}

func (s *agentServers) address(p agentAddress) string {
	if p.root {
		return s.cfg.Load().URL
	}
	return s.cfg.Load().URL + directory.AgentPath + p.agent
}

// check returns what agent cards would promise and this server does not do.
func (s *agentServers) check() error {
	const any = "agent"
	srv := s.newAgentServer(agentAddress{agent: any})
	if err := srv.Check(s.published(&a2a.Card{Name: any})); err != nil {
		return fmt.Errorf("serving A2A: %w", err)
	}
	return nil
}

// ServeHTTP serves the agent that a path below directory.AgentPath names. Everything but
// public cards is behind the guard, also for agents that do not exist.
func (s *agentServers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), directory.AgentPath), "/")
	if strings.HasPrefix(rest, ".well-known/") {
		s.serveCard(s.named(agent), agent).ServeHTTP(w, r)
		return
	}
	s.guarded(s.ifKnown(s.named(agent), agent)).ServeHTTP(w, r)
}

// guarded lets pages of any origin call h with a token for it.
func (s *agentServers) guarded(h http.Handler) http.Handler {
	return crossOrigin(s.oauth.Guard.RequireAny(s.bodies.Limit(h), a2aScopes...))
}

// servePrimary serves the primary agent. The guard is outside.
func (s *agentServers) servePrimary(w http.ResponseWriter, r *http.Request) {
	srv, agent := s.primary()
	s.ifKnown(srv, agent).ServeHTTP(w, r)
}

func (s *agentServers) primaryCard(w http.ResponseWriter, r *http.Request) {
	srv, agent := s.primary()
	s.serveCard(srv, agent).ServeHTTP(w, r)
}
