package main

import (
	"crypto/hkdf"
	"crypto/sha256"
	"time"

	"rialto/a2a/a2apush"
	"rialto/bridge/push"
	"rialto/internal/guardhttp"
	"rialto/oauth"
)

// deadFor is how long a notification that was given up can be listed and tried
// again.
const deadFor = 30 * 24 * time.Hour

// takeWebhooks lets callers name webhooks, and has them told of tasks.
func (s *server) takeWebhooks(secret []byte) error {
	if !s.cfg.Push.Send {
		return nil
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "push webhooks", 32)
	if err != nil {
		return err
	}
	sender := &a2apush.Sender{
		HTTP:     &guardhttp.Client{Allowed: s.cfg.Push.AllowedHosts, MaxBytes: 4 << 10, Timeout: 10 * time.Second},
		Issuer:   s.cfg.URL,
		Trusting: !s.cfg.Push.Verify,
		Now:      time.Now,
	}
	if s.oauth.Algorithm != oauth.HS256 { // else nobody could check what we sign
		sender.Sign = s.oauth.Sign
	}
	s.desk = &push.Desk{
		Outbox:  s.store,
		Sender:  sender,
		Key:     key,
		Replica: s.bridge.Replica,
		Now:     time.Now,
		Log:     s.log,
	}
	s.bridge.Webhooks = s.desk
	return nil
}

// openInbox has agents that can tell us of their tasks by push notifications.
func (s *server) openInbox(secret []byte) error {
	if !s.cfg.Push.Receive {
		return nil
	}
	key, err := hkdf.Key(sha256.New, secret, nil, "push inbox", 32)
	if err != nil {
		return err
	}
	keys := map[string]*a2apush.Keys{}
	for _, a := range s.cfg.Agents {
		keys[a.Name] = &a2apush.Keys{Agent: a.URL, Now: time.Now}
	}
	s.inbox = &a2apush.Inbox{URL: s.cfg.URL, Key: key, Keys: keys, Poke: s.bridge.Poke, Now: time.Now, Log: s.log}
	s.bridge.Hook = s.inbox.Config
	return nil
}
