package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"time"

	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/telemetry"
	"rialto/internal/audit"
	"rialto/internal/batch"
	"rialto/internal/usage"
)

// auditSettings writes an audit event if the settings have changed since the last one.
// The event has only their digest.
func (s *Server) auditSettings(ctx context.Context) error {
	b, err := json.Marshal(s.cfg.Load().Settings())
	if err != nil {
		return err
	}

	sum := sha256.Sum256(b)
	digest := base64.RawURLEncoding.EncodeToString(sum[:12])
	last, err := s.store.Records.Events(ctx, audit.Filter{Kind: audit.Settings, Limit: 1})
	if err != nil {
		return err
	}
	if len(last) == 0 || last[0].Target != digest {
		s.audit.Record(ctx, audit.Event{
			Kind:   audit.Settings,
			Actor:  "server",
			Target: digest,
			Detail: Version(),
		})
	}

	return nil
}

// auditKey is what the key of the audit log is derived for.
const auditKey = "audit log"

// deleteBatch is how many records one statement deletes.
const deleteBatch = 500

// buildRecords builds the audit log and the log of calls, which write into the store.
func (s *Server) buildRecords(secret []byte) error {
	s.store.Records.AuditKey = deriveKey(secret, auditKey)
	stream, err := auditStream(s.cfg.Load(), s.telemetry, s.log)
	if err != nil {
		return err
	}

	s.audit = (&audit.Log{
		Store:  s.store.Records,
		Now:    time.Now,
		Log:    s.log,
		Stream: stream,
	}).Open()
	s.usage = usage.NewLog(s.store.Records, s.log)
	return nil
}

// auditStream returns where events go as they happen; nil for nowhere.
func auditStream(
	cfg *config.Config, to *telemetry.Telemetry, logs *slog.Logger,
) (audit.Stream, error) {
	switch a := cfg.Audit; a.Stream {
	case config.StreamStdout:
		return audit.ToWriter(os.Stdout, logs), nil
	case config.StreamOTLP:
		if log := to.Exported("rialto.audit"); log != nil {
			return audit.ToLogger(log), nil
		}
		return nil, errors.New(
			"audit.stream: otlp needs OTEL_EXPORTER_OTLP_ENDPOINT, or OTEL_LOGS_EXPORTER=otlp, in the environment",
		)
	default:
		return fileStream(cfg, logs), nil
	}
}

// fileStream returns the stream of events into a file; nil if the settings name none.
func fileStream(cfg *config.Config, log *slog.Logger) audit.Stream {
	if path := cfg.Audit.StreamFile(); path != "" {
		return audit.ToFile(path, log)
	}
	return nil
}

// deleteOldRecords deletes usage and audit records that are older than the configured retention.
func (s *Server) deleteOldRecords(ctx context.Context) error {
	now := time.Now()
	return errors.Join(
		batch.Drop(ctx, deleteBatch, func(size int) (int, error) {
			return s.store.Records.DropCalls(ctx, now.Add(-s.cfg.Load().Usage.Retention), size)
		}),
		batch.Drop(ctx, deleteBatch, func(size int) (int, error) {
			return s.store.Records.DropEvents(ctx, now.Add(-s.cfg.Load().Audit.Retention), size)
		}),
	)
}
