package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"rialto/bridge/directory"
	"rialto/bridge/runner"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/audit"
)

// followSettings lets the parts read the settings in force at each call, so that Reload need not know them.
func followSettings(s *Server) {
	s.reloading.secrets.replace(s.cfg.Load().Secrets(), time.Now())
	s.oauth.Follow(oauthSettings{&s.cfg, &s.reloading.secrets})
	s.bridge.Directory.Policies = func() directory.Policy {
		c := s.cfg.Load()
		return directory.Policy{
			Default:      c.Calls.DefaultAgent,
			ForceUseCase: c.Calls.ForceUseCase,
			Topic:        c.Topic(),
		}
	}
	s.bridge.Runner.Limits.InForce = func() runner.Limits {
		l := s.cfg.Load().Limits
		return runner.Limits{
			Tasks:          l.Tasks,
			TasksPerUser:   l.TasksPerUser,
			TasksPerClient: half(l.Tasks),
			TasksPerAgent:  half(l.Tasks),
			TaskSize:       int(l.TaskSize),
			MemoryPerUser:  int(l.MemoryPerUser),
			Memory:         int(l.Memory),
			StoredPerUser:  int64(l.StoredPerUser),
			StoredPerAgent: int64(l.StoredPerAgent),
		}
	}
}

// oauthSettings are the settings in force of the authorization server.
type oauthSettings struct {
	cfg     *atomic.Pointer[config.Config]
	secrets *secrets
}

// Rate implements authserver.Settings. The steps of a login share a rate; the others are constants.
func (s oauthSettings) Rate(bucket string) int {
	if slices.Contains([]string{"authorize", "par", "provider", "callback"}, bucket) {
		return s.cfg.Load().Limits.AuthorizeRate
	}
	return 0
}

// RedirectPrefixes implements authserver.Settings.
func (s oauthSettings) RedirectPrefixes() []string { return s.cfg.Load().Apps.RedirectPrefixes }

// Secrets implements authserver.Settings.
func (s oauthSettings) Secrets(key string) []string {
	return s.secrets.accepted(key, time.Now(), s.cfg.Load().SecretOverlap)
}

// secrets are those that others know, too, by the keys of endpoint.Settings.
type secrets struct {
	mu  sync.RWMutex
	all map[string][]secret // the one in force is first
}

type secret struct {
	text     string
	replaced time.Time // zero if it is in force
}

// maxSecrets bounds the secrets of a key, the one in force included.
const maxSecrets = 10

// replace puts the secrets of a configuration in force.
func (s *secrets) replace(by map[string]string, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := s.all
	s.all = map[string][]secret{}
	for key, text := range by {
		list := slices.Clone(was[key])
		if len(list) == 0 || list[0].text != text {
			list = slices.Insert(list, 0, secret{text: text})
		}
		if len(list) > 1 && list[1].replaced.IsZero() {
			list[1].replaced = now
		}
		s.all[key] = list[:min(len(list), maxSecrets)]
	}
}

// accepted returns the secrets of a key that count: the one in force, and those that were replaced less
// than overlap ago.
func (s *secrets) accepted(key string, now time.Time, overlap time.Duration) (texts []string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, one := range s.all[key] {
		if one.replaced.IsZero() || now.Sub(one.replaced) < overlap {
			texts = append(texts, one.text)
		}
	}
	return texts
}

// Source is what Reload reads and sets. Set it before Serve.
type Source struct {
	Read  func() (*config.Config, error) // nil: Reload returns an error
	Level *slog.LevelVar                 // of the log
	Path  string                         // the configuration file, for config_watch (see watch); "" without one
}

// reloading is held while the settings are read again.
type reloading struct {
	sync.Mutex
	failed  atomic.Bool // the last time
	key     []byte      // of requests for a reload
	secrets secrets
}

// Reload reads the settings again and applies those that differ: all of them or, if one is wrong
// or needs a restart, none. It returns the differences. The log, whose level it sets, and the audit
// log have them, too.
func (s *Server) Reload(ctx context.Context) ([]config.Change, error) {
	s.reloading.Lock()
	defer s.reloading.Unlock()
	changes, err := reload(ctx, s)
	s.reloading.failed.Store(err != nil)
	if err == nil {
		s.cfg.Load().Log.SetLevel(s.Source.Level)
	}
	event := audit.Event{Kind: audit.Reloaded, Actor: "server", Detail: describeChanges(changes)}
	switch {
	case err != nil:
		event.Outcome, event.Detail = audit.Failed, err.Error()
		s.log.ErrorContext(
			ctx, "the configuration was not reloaded; nothing has changed",
			"err", err,
		)
	case len(changes) == 0:
		s.log.InfoContext(ctx, "the configuration was reloaded: no setting has changed")
		return nil, nil
	default:
		for _, c := range changes {
			s.log.InfoContext(
				ctx, "setting changed",
				"key", c.Key,
				"was", c.Was,
				"is", c.Is,
				"needs_restart", c.Restart,
			)
		}
		s.log.InfoContext(ctx, "the configuration was reloaded", "changes", len(changes))
	}
	s.audit.Record(ctx, event)
	return changes, err
}

func describeChanges(changes []config.Change) string {
	var all []string
	for _, c := range changes {
		all = append(all, c.String())
	}
	return strings.Join(all, "; ")
}

// reload applies what s.Source.Read returns. The caller holds s.reloading.
func reload(ctx context.Context, s *Server) ([]config.Change, error) {
	if s.Source.Read == nil {
		return nil, errors.New("this server has no configuration to read again")
	}
	next, err := s.Source.Read()
	if err != nil {
		return nil, err
	}
	before := s.cfg.Load()
	next.ListensAs(before)
	changes := before.Changes(next)
	if err := needRestart(changes); err != nil {
		return changes, err
	}
	if len(changes) == 0 {
		s.cfg.Store(next) // a setting may have its value from another source now
		return nil, nil
	}
	brand, err := next.Brand.Load(next.Name)
	if err != nil {
		return nil, err
	}
	s.cfg.Store(next) // first: an agent with a new revision is dialed with its new settings
	if err := s.agents.Reconfigure(ctx, withoutSecrets(next.Agents), next.Calls.Connectors); err != nil {
		s.cfg.Store(before)
		return nil, err
	}
	s.brand.Store(&brand)
	s.reloading.secrets.replace(next.Secrets(), time.Now())
	return changes, nil
}

// needRestart returns an error that lists the settings that only a restart applies.
func needRestart(changes []config.Change) error {
	var keys []string
	for _, c := range changes {
		if c.Restart {
			keys = append(keys, c.Key)
		}
	}
	if keys == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrNeedsRestart, strings.Join(keys, ", "))
}

// ErrNeedsRestart says that settings have changed that a reload cannot apply.
var ErrNeedsRestart = errors.New("these settings have changed and need a restart")
