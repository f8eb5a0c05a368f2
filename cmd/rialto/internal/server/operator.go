package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"time"

	"rialto/a2a/a2avault"
	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/ledger"
	"rialto/bridge/operator"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/connectors"
	"rialto/internal/audit"
	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/store"
)

// buildOperator builds the use cases of operators, from all parts that they look after.
func (s *Server) buildOperator() {
	s.operator = newOperator(s.cfg.Load, s.log, s.store, s.oauth, s.bridge)
	s.operator.Audit = s.audit
	s.operator.Examinations.Doctor = ownDoctor{s}
	s.operator.Agents = operator.Agents{Registry: s.agents, Bridge: s.bridge, Audit: s.audit}
	s.operator.Connections = operator.Connections{Vault: s.connections.vault, Audit: s.audit}
}

// newOperator returns the use cases of operators. Without a bridge they cannot cancel tasks.
func newOperator(
	cfg func() *config.Config,
	log *slog.Logger,
	db *store.DB,
	as *authserver.Server,
	b *bridge.Bridge,
) *operator.Service {
	return &operator.Service{
		Store:      db.OAuthLists,
		TaskStore:  db.Ledger,
		UsageStore: db.Records,
		AuditStore: db.Records,
		AnchorFile: cfg().Audit.AnchorFile(),
		OAuth:      as,
		Bridge:     b,
		Now:        time.Now,
		InForce:    func() []operator.Setting { return cfg().Settings() },
	}
}

func (s *Server) operatorActor(r *http.Request) operator.Actor {
	p, _ := oauth.FromContext(r.Context())
	return operator.Actor{ID: p.User, Name: p.Name, Address: s.oauth.Address(r)}
}

// agentAccounts implements web.Accounts.
type agentAccounts struct{ *Server }

// App implements web.Accounts.
func (s agentAccounts) App(agent string) (a2avault.App, bool) { return s.connections.App(agent) }

// Connected implements web.Accounts.
func (s agentAccounts) Connected(r *http.Request, agent string) {
	s.operator.Connections.Record(r.Context(), s.operatorActor(r), agent)
}

// Forget implements web.Accounts.
func (s agentAccounts) Forget(r *http.Request, agent string) error {
	err := s.operator.Connections.Forget(r.Context(), s.operatorActor(r), agent)
	if errors.Is(err, operator.ErrNotFound) {
		return nil
	}
	return err
}

// OpenOperator returns the use cases of operators on a store, beside a server that may
// be running. Call done at the end: it writes the audit log.
func OpenOperator(
	ctx context.Context,
	cfg *config.Config,
	log *slog.Logger,
	db *store.DB,
) (s *operator.Service, done func(), err error) {
	secret, err := config.LoadSecret(cfg)
	if err != nil {
		return nil, nil, err
	}

	db.Records.AuditKey = deriveKey(secret, auditKey)
	record := (&audit.Log{
		Store:  db.Records,
		Now:    time.Now,
		Log:    log,
		Stream: fileStream(cfg, log),
	}).Open()
	silent := slog.New(slog.DiscardHandler)
	as := NewOAuth(cfg, silent, db, secret)
	s = newOperator(func() *config.Config { return cfg }, log, db, as, nil)
	registry := newRegistry(
		func() *config.Config { return cfg },
		silent,
		db,
		secret,
		as.Assertions.Issue,
		nil,
	)
	registry.Await = func(ctx context.Context) {
		if err := awaitServers(ctx, db); err != nil {
			log.ErrorContext(
				ctx, "the change is stored, but may not be in force everywhere yet",
				"err", err,
			)
		}
	}
	s.Audit, s.Agents = record, operator.Agents{Registry: registry, Audit: record}
	all, err := registry.ConnectorsInForce(ctx)
	if err != nil {
		return nil, nil, err
	}
	as.Resources.Set(*as.Resources.Default(), connectors.Resources(cfg.URL, all)...)
	return s, func() { record.Flush(context.WithoutCancel(ctx)) }, nil
}

// awaitServers waits until the servers on a store, if there are some, have read its list of agents.
// It returns an error if a server that lives has not after three looks. One without a heartbeat
// in that time is dead.
func awaitServers(ctx context.Context, db *store.DB) error {
	release, idle, err := db.ExcludeServers(ctx)
	if release != nil {
		_ = release() // it was only looked at
	}
	if err != nil || idle {
		return err
	}

	version, err := db.Records.AgentsVersion(ctx)
	if err != nil {
		return err
	}

	ctx, cancel := context.WithTimeout(ctx, 3*directory.Refresh)
	defer cancel()
	again := time.NewTicker(directory.Refresh / 20)
	defer again.Stop()
	first, err := db.Records.ReplicasBehind(ctx, version)
	behind := first
	for err == nil && len(behind) > 0 {
		select {
		case <-ctx.Done():
			behind = maps.Clone(behind)
			maps.DeleteFunc(behind, func(id string, count int64) bool { return first[id] == count })
			if len(behind) == 0 {
				return nil
			}
			return fmt.Errorf("servers that have not read the list of agents: %d", len(behind))
		case <-again.C:
		}
		if now, failed := db.Records.ReplicasBehind(ctx, version); ctx.Err() == nil {
			behind = now
			err = failed
		}
	}

	return err
}

// CancelTask cancels a task as a short-lived replica of the server. It takes over only
// this task, and only if no server follows it.
func CancelTask(
	ctx context.Context,
	cfg *config.Config,
	who operator.Actor,
	task string,
) (*ledger.Record, error) {
	s, err := assemble(ctx, cfg, slog.New(slog.DiscardHandler), nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	release, idle, err := s.store.ExcludeServers(ctx)
	if err != nil {
		return nil, err
	}
	defer release()
	s.bridge.Runner.Only = task
	s.bridge.Runner.Alone = idle
	s.bridge.Start()
	return s.operator.CancelTask(ctx, who, task)
}
