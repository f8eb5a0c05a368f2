package server

import (
	"net/http"
	"strings"
	"sync"

	"rialto/a2a"
	"rialto/a2a/a2aserver"
	"rialto/internal/config"
)

// agentServers are the A2A servers of the agents. They are created on first use,
// because agents change while the server runs.
type agentServers struct {
	s *Server

	mu   sync.Mutex
	made map[agentAddress]*a2aserver.Server
}

// agentAddress is an address of an agent. At the root it is the primary agent.
type agentAddress struct {
	agent         string
	root, primary bool
}

func (s *Server) newAgentServers() *agentServers {
	return &agentServers{s: s, made: map[agentAddress]*a2aserver.Server{}}
}

// named returns the server of an agent at its own address, or nil if there is no such agent.
func (f *agentServers) named(agent string) *a2aserver.Server {
	return f.at(agentAddress{agent, false, agent == f.s.bridge.Directory.Primary()})
}

// primary returns the server of the primary agent at the root, and its name; nil and ""
// if there is none.
func (f *agentServers) primary() (*a2aserver.Server, string) {
	agent := f.s.bridge.Directory.Primary()
	return f.at(agentAddress{agent, true, true}), agent
}

func (f *agentServers) at(p agentAddress) *a2aserver.Server {
	known := f.s.bridge.Directory.Lookup(p.agent) != nil
	f.mu.Lock()
	defer f.mu.Unlock()
	switch srv := f.made[p]; {
	case !known:
		delete(f.made, p)
		return nil
	case srv != nil:
		return srv
	}
	f.made[p] = f.s.newAgentServer(p)
	return f.made[p]
}

func (s *Server) address(p agentAddress) string {
	if p.root {
		return s.cfg.Load().URL
	}
	return s.cfg.Load().URL + config.AgentPath + p.agent
}

// check returns what agent cards would promise and this server does not do.
func (f *agentServers) check() error {
	const any = "agent"
	return f.s.newAgentServer(agentAddress{agent: any}).Check(f.s.published(&a2a.Card{Name: any}))
}

// ServeHTTP serves the agent that a path below config.AgentPath names. Everything but
// public cards is behind the guard, also for agents that do not exist.
func (f *agentServers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	agent, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.EscapedPath(), config.AgentPath), "/")
	if strings.HasPrefix(rest, ".well-known/") {
		f.s.serveCard(f.named(agent), agent).ServeHTTP(w, r)
		return
	}
	crossOrigin(f.s.oauth.Guard.RequireAny(f.s.bodies.limit(f.s.ifKnown(f.named(agent), agent)), a2aScopes...)).ServeHTTP(w, r)
}

// servePrimary serves the primary agent. The guard is outside.
func (f *agentServers) servePrimary(w http.ResponseWriter, r *http.Request) {
	srv, agent := f.primary()
	f.s.ifKnown(srv, agent).ServeHTTP(w, r)
}

func (f *agentServers) primaryCard(w http.ResponseWriter, r *http.Request) {
	srv, agent := f.primary()
	f.s.serveCard(srv, agent).ServeHTTP(w, r)
}
