// Package recordsdb keeps the agents that operators add, their cards, the connections of
// users with agents, usage and the audit log. It decides nothing.
package recordsdb

import (
	"rialto/internal/audit"
	"rialto/store/sqldb"
)

// Store implements directory.AgentStore, directory.CardStore, a2avault.Store, usage.Store and
// audit.Store.
type Store struct {
	sql *sqldb.DB

	AuditKey audit.Key // of the hashes of events; set it before the store is used
}

// New returns a store in an open database.
func New(db *sqldb.DB) *Store { return &Store{sql: db} }
