package server

import (
	"context"
	"crypto/rand"
	"log/slog"
	"sync/atomic"
	"time"

	"rialto/bridge"
	"rialto/bridge/call"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/runner"
	"rialto/cmd/rialto/internal/config"
	"rialto/oauth"
	"rialto/store"
)

// buildAgents builds the bridge, and how its agents are known, connected and dialed.
func (s *Server) buildAgents(secret []byte) {
	s.bridge = newBridge(s.cfg.Load(), s.log, s.store, secret, s.usage)
	s.oauth.Consent.Agents = consentAgents{s.bridge.Directory}
	assert := s.oauth.Assertions.Issue
	s.agents = newRegistry(s.cfg.Load, s.log, s.store, secret, assert, s.bridge.Directory)
	s.agents.Replica = s.bridge.Runner.Replica
	settings := agentSettings{&s.cfg, s.agents}
	s.connections = newConnections(s, settings, secret)
	s.bridge.Directory.Connections = s.connections
	s.bridge.Directory.Dialer = &dialers{
		cfg:       &s.cfg,
		telemetry: s.telemetry,
		agents:    settings,
		log:       s.log,
		assert:    assert,
		vault:     s.connections.vault,
		cards: &directory.Cards{
			Store:   s.store.Records,
			Now:     time.Now,
			Log:     s.log,
			Changed: s.telemetry.CardChanged,
		},
		memory: answerMemory{s.bridge.Runner},
	}
}

func newDirectory(cfg *config.Config, log *slog.Logger) *directory.Directory {
	d := &directory.Directory{
		Pages: cfg.SignIn.SignsInPages(),
		URL:   cfg.URL,
		Now:   time.Now,
		Log:   log,
	}
	d.Caller = func(ctx context.Context) directory.Caller {
		p, _ := oauth.FromContext(ctx)
		some, all := p.UseCases()
		return directory.Caller{
			User:        p.User,
			Client:      p.ClientID,
			Connector:   d.ConnectorAt(p.Resource),
			UseCases:    some,
			AllUseCases: all,
		}
	}
	return d
}

func newBridge(
	cfg *config.Config, log *slog.Logger, db *store.DB, secret []byte, calls call.Sink,
) *bridge.Bridge {
	tasks := &runner.Runner{
		Directory: newDirectory(cfg, log),
		Ledger:    db.Ledger,
		Lists:     db.Ledger,
		Leases:    db.Ledger,
		Publisher: runner.Publisher{Signals: db.Ledger.Signals(log)},
		Replica:   rand.Text(),
		Now:       time.Now,
		Log:       log,
	}
	tasks.Uploads = cfg.Links.Uploads.Service(
		db.Ledger.Uploads(), deriveKey(secret, "uploads"), accounts{db.OAuth.Accounts},
	)
	library := &documents.Service{Index: db.Ledger, Accounts: accounts{db.OAuth.Accounts}}
	if cfg.Links.DownloadLinks > 0 {
		library.Downloads = &documents.Downloads{
			Key: deriveKey(secret, "download links"),
			TTL: cfg.Links.DownloadLinks,
		}
	}
	if cfg.Links.ShareLinks > 0 {
		library.Sharing = &documents.Sharing{Store: db.Ledger.Shares(), TTL: cfg.Links.ShareLinks}
	}

	b := bridge.New(tasks, library, calls)
	b.Tools.Card = cfg.MCP.TaskCard != config.TaskCardNever
	return b
}

// agentSettings finds the settings of agents: those of the configuration, or those of the
// database if they were added.
type agentSettings struct {
	cfg   *atomic.Pointer[config.Config]
	added *directory.Registry
}

func (s agentSettings) find(name string) (config.Agent, bool) {
	if a, ok := s.cfg.Load().Agent(name); ok {
		return a, true
	}
	return s.added.Config(name)
}
