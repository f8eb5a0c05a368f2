package server

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"rialto/bridge"
	"rialto/bridge/operator"
	"rialto/internal/audit"
	"rialto/internal/config"
	"rialto/internal/store"
	"rialto/oauth"
	"rialto/oauth/authserver"
)

// newOperator returns the operator's view of a server. Without a bridge, tasks
// cannot be canceled.
func newOperator(cfg *config.Config, log *slog.Logger, db *store.DB, as *authserver.Server, b *bridge.Bridge) *operator.Service {
	return &operator.Service{Store: db.OAuth, TaskStore: db.Ledger, UsageStore: db.Records, AuditStore: db.Records, OAuth: as, Bridge: b, Now: time.Now, Log: log, InForce: cfg.Settings}
}

// operatorActor is who makes a request as an operator.
func (s *Server) operatorActor(r *http.Request) operator.Actor {
	p, _ := oauth.FromContext(r.Context())
	return operator.Actor{ID: p.User, Name: p.Name, Address: s.OAuth.Env.Address(r)}
}

// saveGrantUses writes each minute, and at the end, which grants were used.
func (s *Server) saveGrantUses(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		if err := s.OAuth.Grants.SaveUses(saving); err != nil {
			s.log.Error("noting which grants were used", "err", err)
		}
		cancel()
	}
}

// OpenOperator returns the operator's view of a store, beside a server that may be
// running. What is done through it is in the audit log once done is called.
func OpenOperator(ctx context.Context, cfg *config.Config, log *slog.Logger, db *store.DB) (s *operator.Service, done func(), err error) {
	secret, err := config.LoadSecret(cfg)
	if err != nil {
		return nil, nil, err
	}
	record := (&audit.Log{Store: db.Records, Now: time.Now, Log: log}).Open()
	silent := slog.New(slog.DiscardHandler)
	as := NewOAuth(cfg, silent, db, secret)
	s = newOperator(cfg, log, db, as, nil)
	s.Audit, s.Agents = record, newRegistry(cfg, silent, db, secret, as.Assertions.Issue, nil)
	return s, func() { record.Flush(context.WithoutCancel(ctx)) }, nil
}
