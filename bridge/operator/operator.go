// Package operator holds what an operator can do, each as one function: agents, clients, grants,
// accounts, tasks, usage, the audit log, signing keys and settings. The console, the REST API and
// the command line call it, so that each can do what the others can. It also describes the lists of
// these resources, with their columns, filters and removal: see Table and Query.
//
// It does not know who is an operator: the guards in front of its callers do. Lists
// come in pages of a bounded size, each sorted by an index of the store.
package operator

import (
	"context"
	"time"

	"rialto/bridge"
	"rialto/bridge/ledger"
	"rialto/internal/audit"
	"rialto/internal/usage"
	"rialto/oauth/authserver"
)

// Service serves an operator. The stores, OAuth, Now and Log are required. It may be
// used concurrently.
type Service struct {
	Store      Store
	TaskStore  TaskStore
	UsageStore usage.Store
	AuditStore audit.Store
	AnchorFile string // of audit.anchor_url; "" for none

	OAuth *authserver.Server
	Now   func() time.Time

	// Bridge cancels tasks at their agents; nil cancels none.
	Bridge *bridge.Bridge

	Agents      Agents
	Connections Connections

	// Audit records the changes that are made here; nil records none.
	Audit audit.Recorder

	Examinations Examinations

	// InForce returns the settings in force, without secrets; nil has none to show.
	InForce func() []Setting
}

// Setting is one setting in force. The value of a secret says only where it is.
type Setting struct {
	Key     string `json:"key"`
	Value   string `json:"value"`
	About   string `json:"-"` // its meaning, in English
	Default string `json:"-"` // "" is none
	Source  string `json:"-"` // file, environment, flag or computed; "" is the default
	Live    bool   `json:"-"` // a reload applies a change
}

// Settings returns the settings in force, in the order of the documentation.
func (s *Service) Settings() []Setting {
	if s.InForce == nil {
		return []Setting{}
	}
	return s.InForce()
}

// MostCounted bounds what is counted to be shown beside a row.
const MostCounted = 100

// MostNamed bounds the apps of one name that a filter chooses: each account may register its own.
const MostNamed = 1000

// Store is what an operator reads of accounts, clients and grants. Its methods may be called concurrently. Lists are
// sorted by time, the latest first; with a text, by the word that was found.
type Store interface {
	// ListClients returns clients that registered or have a document.
	ListClients(context.Context, ClientFilter, Rows) ([]ClientRow, error)
	// ClientRow returns one of them, or oauth.ErrNotFound.
	ClientRow(ctx context.Context, id string, now time.Time) (*ClientRow, error)
	// UseOf returns when a grant of a client was used last, zero for never, and
	// the number of its live grants, up to MostCounted.
	UseOf(ctx context.Context, client string, now time.Time) (used time.Time, live int, err error)

	// ClientsNamed returns the IDs of clients of the store whose name is, or ends with, a text, up to
	// MostNamed and one more.
	ClientsNamed(ctx context.Context, name string) ([]string, error)

	// ListGrants returns grants, made with NewGrant, with the names of registered clients.
	ListGrants(context.Context, GrantFilter, Rows) ([]Grant, error)

	// The counts are of the same lists, up to most.
	CountClients(ctx context.Context, f ClientFilter, most int) (int, error)
	CountGrants(ctx context.Context, f GrantFilter, now time.Time, most int) (int, error)
	CountAccounts(ctx context.Context, f AccountFilter, most int) (int, error)

	// ListAccounts returns accounts. Without a text they are sorted by name, and the
	// ID of a Mark is a name.
	ListAccounts(context.Context, AccountFilter, Rows) ([]Account, error)
}

// TaskStore is what an operator reads of tasks. Its methods may be called concurrently.
type TaskStore interface {
	// ListTasks returns the tasks of all accounts, sorted by when they were created.
	ListTasks(context.Context, TaskFilter, Rows) ([]Task, error)
	// CountTasks counts the same tasks, up to most.
	CountTasks(ctx context.Context, f TaskFilter, most int) (int, error)
	// AnyTask returns a task of any account, or ledger.ErrNoTask.
	AnyTask(ctx context.Context, handle string) (*ledger.Record, error)
}
