package server

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"rialto/bridge"
	"rialto/bridge/directory"
	"rialto/bridge/operator"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/connectors"
	"rialto/cmd/rialto/internal/telemetry"
	"rialto/internal/audit"
	"rialto/internal/dberr"
	"rialto/internal/usage"
	"rialto/mcp"
	"rialto/oauth/authserver"
	"rialto/static"
	"rialto/store"
	"rialto/store/ledgerdb"
)

// Server is the assembled program. Close it.
type Server struct {
	cfg      atomic.Pointer[config.Config] // in force: Reload replaces it
	brand    atomic.Pointer[static.Brand]
	log      *slog.Logger
	store    *store.DB
	oauth    *authserver.Server
	bridge   *bridge.Bridge
	agents   *directory.Registry
	mcp      *mcp.Server
	operator *operator.Service
	audit    *audit.Log
	usage    *usage.Log
	webhooks webhooks

	connectors  *connectors.Table
	connections connections // credentials that users have stored for agents

	telemetry *telemetry.Telemetry // nil if nothing asks for it
	scrapes   net.Listener         // metrics.listen; nil without it

	Source    Source // of Reload
	reloading reloading

	certificate *certificate // of the listeners; nil without one
	limits      *callLimiter
	bodies      *bodyBudget
	shutdown    shutdownTimes
	health      *health
	jobs        jobs
}

// New opens the store, assembles the server and starts it. It takes over the tasks that
// an earlier server left. Close it.
func New(ctx context.Context, cfg *config.Config, log *slog.Logger) (*Server, error) {
	build := ThisBuild()
	telemetry.LogErrors(log)
	t, err := telemetry.Start(ctx, build.Version, build.Commit, cfg.Serving.Metrics.Listen != "")
	if err != nil {
		return nil, err
	}
	s, err := assemble(ctx, cfg, log, t)
	if err != nil {
		return nil, errors.Join(err, t.Stop())
	}
	log = s.log
	s.bridge.Runner.Alone, err = s.store.LockServer(ctx)
	if err != nil {
		log.WarnContext(
			ctx, "cannot lock the database: tasks of a killed server continue when their leases expire",
			"err", err,
		)
	}
	if s.bridge.Runner.Alone {
		if err := logWhileWaiting(
			log,
			"the database: reading the tasks that ended last",
			func() error { return s.store.StartWriteBehind(ctx, log) },
		); err != nil {
			return nil, errors.Join(err, s.store.Close())
		}
	}
	s.start(ctx)
	return s, nil
}

// assemble opens the store and builds the parts. It starts nothing.
func assemble(
	ctx context.Context,
	cfg *config.Config,
	log *slog.Logger,
	t *telemetry.Telemetry,
) (*Server, error) {
	log = slog.New(t.Logs(dberr.Log(log.Handler())))
	if cfg.Storage.Database == store.Memory {
		log.WarnContext(ctx, "the database is in memory: all data is lost when this process ends")
	}
	s := &Server{log: log, telemetry: t, shutdown: defaultShutdown}
	s.cfg.Store(cfg)
	s.limits = &callLimiter{cfg: &s.cfg, telemetry: t}
	if cfg.Serving.Metrics.Listen != "" {
		scrapes, err := Listen(cfg.Serving.Metrics.Listen)
		if err != nil {
			return nil, err
		}
		s.scrapes = scrapes
	}
	err := logWhileWaiting(log, "the database: opening it and updating its tables", func() (err error) {
		s.store, err = openStore(ctx, cfg, log)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("database: %w", err)
	}
	secret, err := config.LoadSecret(
		cfg,
	) // after the database: a key without one means that it was lost
	if err == nil {
		err = s.build(secret)
	}
	if err == nil {
		err = askDatabase(ctx, cfg, log, "the database: reading agents, settings and keys", s.load)
	}
	if err != nil {
		return nil, errors.Join(err, s.store.Close())
	}
	return s, nil
}

// build builds the parts, each from the parts before it.
func (s *Server) build(secret []byte) error {
	if err := s.readFiles(); err != nil {
		return err
	}
	if err := s.buildRecords(secret); err != nil {
		return err
	}
	s.buildLogin(secret)
	s.buildAgents(secret)
	s.buildPush(secret)
	s.buildEvents(secret)
	if err := s.buildMCP(secret); err != nil {
		return err
	}
	s.buildOperator()
	s.reloading.key = deriveKey(secret, "reload")
	followSettings(s)
	s.observe()
	return nil
}

// readFiles reads the look of the pages and the certificate.
func (s *Server) readFiles() error {
	cfg := s.cfg.Load()
	brand, err := cfg.Brand.Load(cfg.Name)
	if err != nil {
		return err
	}
	s.brand.Store(&brand)
	s.certificate, err = newCertificate(cfg.Serving.TLS)
	return err
}

// start starts the background jobs. They run until Close.
func (s *Server) start(ctx context.Context) {
	s.bridge.Start()
	s.logWaiting("the cards of agents", func() { s.bridge.Tools.ReadSkills(ctx) })
	all := []func(context.Context){
		s.maintain,
		s.saveGrantUses,
		s.audit.Run,
		s.usage.Run,
		s.usage.Charges.Run,
		s.agents.Run,
		s.probeAgents,
	}
	if at := s.cfg.Load().Audit; at.AnchorURL != "" {
		all = append(all, s.audit.Anchor(at.AnchorFile(), at.AnchorURL))
	}
	if s.webhooks.push != nil {
		all = append(all, s.webhooks.push.Run)
	}
	if s.webhooks.events != nil {
		all = append(all, s.webhooks.events.Run)
	}
	if s.telemetry != nil {
		all = append(all, s.telemetry.Refresh)
	}
	if s.scrapes != nil {
		all = append(
			all, func(ctx context.Context) { serveScrapes(ctx, s.scrapes, s.telemetry, s.log) },
		)
	}
	s.jobs.start(context.WithoutCancel(ctx), all)
}

// jobs run in the background.
type jobs struct {
	running sync.WaitGroup
	cancel  context.CancelFunc // nil before the start
}

func (j *jobs) start(ctx context.Context, all []func(context.Context)) {
	ctx, j.cancel = context.WithCancel(ctx)
	for _, run := range all {
		j.running.Go(func() { run(ctx) })
	}
}

// stop ends the jobs and waits for them.
func (j *jobs) stop() {
	if j.cancel != nil {
		j.cancel()
	}
	j.running.Wait()
}

// load reads the agents and checks what would otherwise fail at the first login.
func (s *Server) load(ctx context.Context) error {
	if err := s.agents.Load(ctx); err != nil {
		return err
	}
	if err := s.auditSettings(ctx); err != nil {
		return err
	}
	if err := s.oauth.Ready(ctx); err != nil {
		return fmt.Errorf(
			"reading the signing keys (is this the secret that the database was created with?): %w",
			err,
		)
	}
	return nil
}

// maintain rotates keys and deletes expired data, once an hour.
func (s *Server) maintain(ctx context.Context) {
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		round, cancel := context.WithTimeout(ctx, time.Hour)
		if err := errors.Join(
			s.oauth.Maintain(round),
			s.bridge.Prune(round),
			s.agents.Maintain(round),
			ledgerdb.SessionNotes{Store: s.store.Ledger}.DropOld(round, time.Now()),
			s.store.Ledger.Outbox().DropDeadNotices(round, time.Now().Add(-failedPushRetention)),
			s.deleteOldRecords(round),
		); err != nil &&
			ctx.Err() == nil {
			s.log.ErrorContext(ctx, "maintenance", "err", err)
		}
		cancel()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Close stops the background jobs and closes the store.
func (s *Server) Close() error {
	s.logWaiting("background jobs", s.jobs.stop)
	s.logWaiting("writing tasks", s.bridge.Close)
	s.logWaiting("writing audit and usage records", func() {
		s.usage.Flush(context.Background()) // the bridge has recorded its last calls
		s.usage.Charges.Flush(context.Background())
		s.audit.Flush(context.Background())
	})
	err := logWhileWaiting(s.log, "closing the database", s.store.Close)
	return errors.Join(err, s.telemetry.Stop())
}

// deriveKey derives a key of 32 bytes for one purpose (RFC 5869).
func deriveKey(secret []byte, purpose string) []byte {
	key, err := hkdf.Key(sha256.New, secret, nil, purpose, 32)
	if err != nil {
		panic(err) // only if the length is too large
	}
	return key
}
