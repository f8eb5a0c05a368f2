package server

import (
	"sync"
	"time"

	"rialto/a2a/a2apush"
	"rialto/bridge/push"
	"rialto/internal/guardhttp"
	"rialto/oauth/token"
)

// failedPushRetention is how long an undeliverable notification can be listed and retried.
const failedPushRetention = 30 * 24 * time.Hour

// startPush lets A2A clients register webhooks for their tasks.
func (s *Server) startPush(secret []byte) {
	if !s.cfg.Push.Send {
		return
	}
	sender := &a2apush.Sender{
		HTTP:     &guardhttp.Client{Allowed: s.cfg.Push.AllowedHosts, MaxBytes: 4 << 10, Timeout: 10 * time.Second},
		Issuer:   s.cfg.URL,
		Trusting: !s.cfg.Push.Verify,
		Now:      time.Now,
	}
	if s.oauth.Keys.Algorithm != token.HS256 { // no public key is published for HS256
		sender.Sign = s.oauth.Keys.Sign
	}
	s.push = &push.Service{
		Outbox:  s.store.Ledger,
		Sender:  sender,
		Key:     deriveKey(secret, "push webhooks"),
		Replica: s.bridge.Runner.Replica,
		Now:     time.Now,
		Log:     s.log,
	}
	s.bridge.Runner.Webhooks = s.push
}

// startPushInbox gives agents webhooks for the tasks that we follow.
func (s *Server) startPushInbox(secret []byte) {
	if !s.cfg.Push.Receive {
		return
	}
	s.inbox = &a2apush.Inbox{URL: s.cfg.URL, Key: deriveKey(secret, "push inbox"), Keys: s.pushKeys(), Wake: s.bridge.Runner.Wake, Now: time.Now, Log: s.log}
	s.bridge.Runner.Hook = s.inbox.Config
}

// pushKeys returns the keys with which an agent signs its notifications. They are read
// on first use and cached while the agent keeps its address.
func (s *Server) pushKeys() func(agent string) *a2apush.Keys {
	var mu sync.Mutex
	known := map[string]*a2apush.Keys{}
	return func(name string) *a2apush.Keys {
		agent, ok := s.bridge.Directory.Agent(name)
		mu.Lock()
		defer mu.Unlock()
		switch keys := known[name]; {
		case !ok:
			delete(known, name)
			return nil
		case keys == nil || keys.Agent != agent.URL:
			known[name] = &a2apush.Keys{Agent: agent.URL, Now: time.Now}
		}
		return known[name]
	}
}
