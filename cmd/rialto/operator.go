package main

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"rialto/bridge"
	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/internal/store"
	"rialto/oauth"
)

// newOperator returns the operator's view of a server. Without a bridge, tasks
// cannot be canceled.
func newOperator(cfg *config, log *slog.Logger, db *store.DB, as *oauth.Server, b *bridge.Bridge) *operator.Service {
	return &operator.Service{Store: db, OAuth: as, Bridge: b, Now: time.Now, Log: log, InForce: cfg.settings}
}

// actor is who makes a request as an operator.
func (s *server) actor(r *http.Request) operator.Actor {
	p, _ := oauth.FromContext(r.Context())
	return operator.Actor{ID: p.User, Name: p.Name, Address: s.oauth.Address(r)}
}

// saveUses writes each minute, and at the end, which grants were used.
func (s *server) saveUses(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		if err := s.oauth.SaveUses(saving); err != nil {
			s.log.Error("noting which grants were used", "err", err)
		}
		cancel()
	}
}

// openOperator returns the operator's view of a store, beside a server that may be
// running. What is done through it is in the audit log once done is called.
func openOperator(ctx context.Context, cfg *config, log *slog.Logger, db *store.DB) (s *operator.Service, done func(), err error) {
	secret, err := loadSecret(cfg)
	if err != nil {
		return nil, nil, err
	}
	record := (&audit.Log{Store: db, Now: time.Now, Log: log}).Open()
	silent := slog.New(slog.DiscardHandler)
	as := newOAuth(cfg, silent, db, secret)
	s = newOperator(cfg, log, db, as, nil)
	s.Audit, s.Agents = record, newRegistry(cfg, silent, db, secret, as.Vouch, nil)
	return s, func() { record.Flush(context.WithoutCancel(ctx)) }, nil
}
