package server

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"rialto/internal/audit"
)

// auditSettings writes an audit event if the settings have changed since the last one.
// The event has only their digest.
func (s *Server) auditSettings(ctx context.Context) error {
	b, err := json.Marshal(s.cfg.Settings())
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
		s.audit.Record(ctx, audit.Event{Kind: audit.Settings, Actor: "server", Target: digest, Detail: Version()})
	}
	return nil
}

// deleteBatch is how many records one statement deletes.
const deleteBatch = 2000

// deleteOldRecords deletes usage and audit records that are older than the configured retention.
func (s *Server) deleteOldRecords(ctx context.Context) error {
	now := time.Now()
	return errors.Join(
		deleteInBatches(func() (int, error) {
			return s.store.Records.DropCalls(ctx, now.Add(-s.cfg.Usage.Retention), deleteBatch)
		}),
		deleteInBatches(func() (int, error) {
			return s.store.Records.DropEvents(ctx, now.Add(-s.cfg.Audit.Retention), deleteBatch)
		}),
	)
}

// deleteInBatches deletes batches until one is not full.
func deleteInBatches(batch func() (int, error)) error {
	for range 10_000 {
		if n, err := batch(); err != nil || n < deleteBatch {
			return err
		}
	}
	return nil
}
