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

// Connections are the use cases about the accounts of users at agents.
type Connections struct {
	Vault Vault          // nil if no agent wants an account
	Audit audit.Recorder // records the changes; nil records none
}

// List returns the accounts at agents that a user has connected.
func (s Connections) List(ctx context.Context, user string) ([]a2avault.Connection, error) {
	if s.Vault == nil {
		return nil, nil
	}
	return s.Vault.Connections(ctx, user)
}

// Record records in the audit log that a user has connected an agent.
func (s Connections) Record(ctx context.Context, by Actor, agent string) {
	_ = record(ctx, s.Audit, by, audit.AgentConnected, agent, "", nil)
}

// Forget deletes the account of a user at an agent, or fails with ErrNotFound.
func (s Connections) Forget(ctx context.Context, by Actor, agent string) error {
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

	return record(ctx, s.Audit, by, audit.AgentForgotten, agent, "", nil)
}
