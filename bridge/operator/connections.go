package operator

import (
	"context"
	"errors"

	"rialto/a2a/a2avault"
	"rialto/internal/audit"
)

// Vault stores the accounts of users at agents: see a2avault.Vault.
type Vault interface {
	Connections(ctx context.Context, user string) ([]a2avault.Connection, error)
	Forget(ctx context.Context, user, agent string) error
}

// Connections returns the accounts at agents that a user has connected.
func (s *Service) Connections(ctx context.Context, user string) ([]a2avault.Connection, error) {
	if s.Vault == nil {
		return nil, nil
	}
	return s.Vault.Connections(ctx, user)
}

// RecordConnection records in the audit log that a user has connected an agent.
func (s *Service) RecordConnection(ctx context.Context, by Actor, agent string) {
	_ = s.record(ctx, by, audit.AgentConnected, agent, "", nil)
}

// ForgetConnection deletes the account of a user at an agent, or fails with ErrNotFound.
func (s *Service) ForgetConnection(ctx context.Context, by Actor, agent string) error {
	if s.Vault == nil {
		return ErrNotFound
	}
	err := s.Vault.Forget(ctx, by.ID, agent)
	if errors.Is(err, a2avault.ErrNone) {
		return ErrNotFound
	}
	if err != nil {
		return err
	}
	return s.record(ctx, by, audit.AgentForgotten, agent, "", nil)
}
