package directory

import (
	"context"
	"errors"
	"time"

	"rialto/internal/uptime"
)

// Errors of an AgentStore and of a Registry.
var (
	ErrNoAgent = errors.New("there is no such agent")
	ErrExists  = errors.New("there is an agent with this name")
	ErrChanged = errors.New("the agent was changed in between")
	ErrTooMany = errors.New("there are too many agents")
)

// ConfigError says what is wrong with the settings of an agent.
type ConfigError struct{ Err error }

// Error returns the reason.
func (e *ConfigError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *ConfigError) Unwrap() error { return e.Err }

// MaxAdded limits the number of added agents.
const MaxAdded = 500

// StoredAgent is an added agent in the store.
type StoredAgent struct {
	Name     string
	Settings []byte // JSON of an AgentConfig, without its secret
	Secret   string // sealed; "" is none

	// Version is the version of the list when the agent was last written.
	Version int64

	Created, Changed time.Time
	Removed          time.Time // zero while it is there
}

// StoredAgents is the content of an AgentStore.
type StoredAgents struct {
	Version int64 // grows with each change

	// Records are in the order in which they were added. Those that were removed
	// are among them while they have running tasks.
	Records []StoredAgent

	// Disabled are the names of disabled agents, added or configured.
	Disabled []string

	Connectors []StoredConnector // in the order in which they were added
}

// ProbeStore keeps how the probes of agents ended.
type ProbeStore interface {
	// History returns what is known of an agent at a URL in the week before now.
	History(ctx context.Context, agent, url string, now time.Time) (*uptime.History, error)
}

// AgentStore keeps agents. Its methods are atomic and may be called concurrently, by
// several replicas that share one database. Each that changes something makes
// Kept.Version larger by one, in the same transaction.
type AgentStore interface {
	// AgentsVersion returns StoredAgents.Version.
	AgentsVersion(context.Context) (int64, error)

	// NoteAgents records which version a replica offers.
	NoteAgents(ctx context.Context, replica string, version int64) error

	// KeptAgents returns the content. Its version may be older than the rest, never newer.
	KeptAgents(context.Context) (*StoredAgents, error)

	// AddAgent stores a new agent and deletes what is stored for a removed agent of
	// that name: that it was disabled, and its cards. With a card, it also puts that
	// card in force; if this fails, the agent is not added. It returns ErrExists if
	// there is an agent with the name, and ErrTooMany if there are most already.
	AddAgent(ctx context.Context, r StoredAgent, card *SeenCard, most int) error

	// ChangeAgent replaces the settings and the secret of the agent with version
	// r.Version, and with moved deletes its cards. It returns ErrNoAgent if there is
	// none with the name, and ErrChanged if it has another version.
	ChangeAgent(ctx context.Context, r StoredAgent, moved bool) error

	// RemoveAgent removes an agent, or returns ErrNoAgent.
	RemoveAgent(ctx context.Context, name string, now time.Time) error

	// DisableAgent notes that an agent with this name is disabled, and
	// EnableAgent that it is not. They report whether that is a change.
	DisableAgent(ctx context.Context, name string, now time.Time) (bool, error)
	EnableAgent(ctx context.Context, name string) (bool, error)

	// DropAgents deletes removed agents without running tasks, and probes of more than a week ago.
	DropAgents(context.Context) error

	// PutConnector stores a connector: a new one if c.Version is 0, and otherwise in place of the one
	// with that version. It returns ErrConnectorExists, ErrConnectorChanged, or ErrTooManyConnectors if
	// there are most already.
	PutConnector(ctx context.Context, c StoredConnector, most int) error

	// RemoveConnector removes a connector, or returns ErrNoConnector.
	RemoveConnector(ctx context.Context, name string) error
}
