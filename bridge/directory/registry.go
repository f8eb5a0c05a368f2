package directory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"rialto/internal/i18n"
)

// Registry is the list of agents. All fields but Directory are required.
type Registry struct {
	Configured []AgentConfig // of the configuration; their secrets stay there. Reconfigure replaces them
	Store      AgentStore
	Probes     ProbeStore

	ConfiguredConnectors []Connector // of the configuration
	URL                  string      // of the server
	Offer                Offer       // gets the connectors; nil where there is none

	Cards CardStore
	Key   []byte // seals secrets: 32 bytes

	// Directory gets the list; nil where there is none, as in a command that
	// runs beside the server.
	Directory *Directory

	// Await waits after a change until the processes that offer the agents have read it. It
	// is called where Directory is nil; nil does not wait.
	Await func(context.Context)

	// Replica is the name under which Store notes which version the directory has; "": it does not.
	Replica string

	Prober Prober

	Now func() time.Time
	Log *slog.Logger

	mu      sync.Mutex
	version int64 // version of the list that the directory has
	known   map[string]AgentConfig
}

// Prober knows how agents are reached.
type Prober interface {
	// Check returns what is wrong with the settings of an agent, nil if nothing.
	Check(AgentConfig) error

	// Probe connects to an agent and reads its card, of which it notes nothing.
	// It tells what the card asks for that the settings do not have. Whether the
	// agent is of the configuration is known by its name.
	Probe(context.Context, AgentConfig) (peer Conn, unmet []*i18n.Message, err error)

	// Revision identifies how an agent is reached, beside what is stored of it.
	Revision(AgentConfig) string
}

// Refresh is how often another process looks for changes.
const Refresh = 2 * time.Second

const (
	readFor = 10 * time.Second // how long the database may take to say what there is
)

// Run passes changes by other processes to the directory, until ctx ends.
func (r *Registry) Run(ctx context.Context) {
	tick := time.Tick(Refresh)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick:
		}
		if err := r.refresh(ctx); err != nil && ctx.Err() == nil {
			r.Log.ErrorContext(ctx, "reading the list of agents", "err", err)
		}
	}
}

// refresh loads the list if it has changed.
func (r *Registry) refresh(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readFor)
	defer cancel()
	version, err := r.Store.AgentsVersion(ctx)
	if err != nil {
		return err
	}
	r.mu.Lock()
	if r.known == nil || version != r.version {
		err = r.load(ctx)
		version = r.version
	}
	r.mu.Unlock()
	if err != nil || r.Replica == "" {
		return err
	}
	return r.Store.NoteAgents(ctx, r.Replica, version)
}

// Load reads the list and passes it to the directory.
func (r *Registry) Load(ctx context.Context) error {
	r.mu.Lock() // so that no older list comes after a newer one
	defer r.mu.Unlock()
	return r.load(ctx)
}

// Reconfigure replaces the agents and connectors of the configuration. If the list cannot be read,
// nothing changes.
func (r *Registry) Reconfigure(
	ctx context.Context, agents []AgentConfig, connectors []Connector,
) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	before := r.Configured
	connectorsBefore := r.ConfiguredConnectors
	r.Configured = agents
	r.ConfiguredConnectors = connectors
	err := r.load(ctx)
	if err != nil {
		r.Configured = before
		r.ConfiguredConnectors = connectorsBefore
	}
	return err
}

// load is Load. The caller holds r.mu.
func (r *Registry) load(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, readFor) // who wants to know of an agent waits meanwhile
	defer cancel()
	all, kept, err := r.read(ctx, r.Configured)
	if err != nil {
		return fmt.Errorf("reading the agents: %w", err)
	}
	if err := r.offer(ctx, kept); err != nil {
		return fmt.Errorf("putting connectors in force: %w", err)
	}
	r.known = map[string]AgentConfig{}
	var agents []AgentConfig
	for _, e := range all {
		a := e.AgentConfig
		a.Credentials.Secret = ""
		a.Disabled = a.Disabled || e.removed() // a removed agent may still have tasks
		if e.record != nil {
			a.Revision = strconv.FormatInt(e.record.Version, 10)
		}
		if r.Prober != nil {
			a.Revision += "/" + r.Prober.Revision(e.AgentConfig)
		}
		agents = append(agents, a)
		r.known[e.Name] = e.AgentConfig
	}
	r.version = kept.Version
	if r.Directory != nil {
		r.Directory.SetAgents(agents)
	}
	return nil
}

// Config returns how the agent with a name is set up, its secret with it; the
// secrets of the configuration are not here.
func (r *Registry) Config(name string) (AgentConfig, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	a, ok := r.known[name]
	return a, ok
}

// listed is an agent of the list.
type listed struct {
	AgentConfig
	record     *StoredAgent // nil if it is of the configuration
	configured bool
}

func (e *listed) removed() bool { return e.record != nil && !e.record.Removed.IsZero() }

// read returns the list: the agents of the configuration, and then those that
// were added. A name of the configuration wins.
func (r *Registry) read(
	ctx context.Context, configured []AgentConfig,
) ([]*listed, *StoredAgents, error) {
	kept, err := r.Store.KeptAgents(ctx)
	if err != nil {
		return nil, nil, err
	}
	var all []*listed
	names := map[string]bool{}
	for _, a := range configured {
		names[a.Name] = true
		all = append(all, &listed{AgentConfig: a, configured: true})
	}
	for i := range kept.Records {
		record := &kept.Records[i]
		if names[record.Name] {
			r.Log.WarnContext(
				ctx, "an agent that was added is hidden by one of the configuration with its name",
				"agent", record.Name,
			)
			continue
		}
		e, err := r.open(record)
		if err != nil {
			r.Log.ErrorContext(
				ctx, "an agent that was added cannot be used",
				"agent", record.Name,
				"err", err,
			)
			continue
		}
		all = append(all, e)
	}
	for _, e := range all {
		e.Disabled = slices.Contains(kept.Disabled, e.Name)
	}
	return all, kept, nil
}

// find returns the agent with a name.
func (r *Registry) find(ctx context.Context, name string) (*listed, error) {
	all, _, err := r.read(ctx, r.ofConfiguration())
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(e *listed) bool { return e.Name == name && !e.removed() })
	if i < 0 {
		return nil, ErrNoAgent
	}
	return all[i], nil
}

func (r *Registry) open(record *StoredAgent) (*listed, error) {
	e := &listed{record: record}
	err := json.Unmarshal(record.Settings, &e.AgentConfig)
	if err == nil && record.Secret != "" {
		e.Credentials.Secret, err = r.unseal(e.AgentConfig, record.Secret)
	}
	e.Name = record.Name
	return e, err
}

// Add stores a new agent, enabled, and puts the card of its preview in force in the
// same transaction. A nil preview adds it without a card. Add returns ErrExists,
// ErrTooMany, or what is wrong with the settings.
func (r *Registry) Add(ctx context.Context, a AgentConfig, p *Preview) error {
	if r.configured(a.Name) {
		return ErrExists
	}
	record, err := r.record(a)
	if err != nil {
		return err
	}
	record.Created = record.Changed
	var card *SeenCard
	if p != nil && p.card != nil {
		card = &SeenCard{
			Agent:  a.Name,
			URL:    a.URL,
			Digest: p.Digest(),
			Card:   p.card,
			Last:   record.Created,
		}
	}
	return r.changed(ctx, r.Store.AddAgent(ctx, *record, card, MaxAdded))
}

// Change replaces how the agent with a's name is set up. Version is that of the
// AgentStatus that the caller has seen: if the agent was changed since, the error is
// ErrChanged. With keepSecret the secret stays, as long as the hosts do that it
// is sent to: another host must not be given it by mistake.
func (r *Registry) Change(ctx context.Context, a AgentConfig, version int64, keepSecret bool) error {
	was, err := r.find(ctx, a.Name)
	switch {
	case err != nil:
		return err
	case was.configured:
		return ErrConfigured
	case keepSecret && was.Credentials.Secret != "" && !sameHosts(was.AgentConfig, a):
		return &ConfigError{
			i18n.Errorf("credentials: the secret was for another host; give it again, or leave it out"),
		}
	case keepSecret:
		a.Credentials.Secret = was.Credentials.Secret
	}
	record, err := r.record(a)
	if err != nil {
		return err
	}
	record.Version = version
	return r.changed(ctx, r.Store.ChangeAgent(ctx, *record, was.URL != a.URL))
}

// ErrConfigured says that an agent is of the configuration, and cannot be changed.
var ErrConfigured = i18n.Errorf(
	"the agent is of the configuration: change it there; here it can only be disabled and enabled",
)

// sameHosts reports whether the secret of b is sent where that of a is.
func sameHosts(a, b AgentConfig) bool {
	origin := func(s string) string {
		u, err := url.Parse(s)
		if err != nil {
			return s
		}
		return u.Scheme + "://" + u.Host
	}
	return origin(a.URL) == origin(b.URL) &&
		origin(a.Credentials.TokenURL) == origin(b.Credentials.TokenURL)
}

// Remove takes an agent away that was added. What runs there goes on.
func (r *Registry) Remove(ctx context.Context, name string) error {
	if r.configured(name) {
		return ErrConfigured
	}
	return r.changed(ctx, r.Store.RemoveAgent(ctx, name, r.Now()))
}

// Disable takes an agent out of every list: it gets no new tasks. It reports
// whether the agent was enabled before.
func (r *Registry) Disable(ctx context.Context, name string) (bool, error) {
	if err := r.exists(ctx, name); err != nil {
		return false, err
	}
	did, err := r.Store.DisableAgent(ctx, name, r.Now())
	return did, r.changed(ctx, err)
}

// Enable undoes Disable. It reports whether the agent was disabled before.
func (r *Registry) Enable(ctx context.Context, name string) (bool, error) {
	if err := r.exists(ctx, name); err != nil {
		return false, err
	}
	did, err := r.Store.EnableAgent(ctx, name)
	return did, r.changed(ctx, err)
}

// Accept puts a changed card in force, which Cards says more of. The agent's card is
// then read again, by every process that offers it.
func (r *Registry) Accept(ctx context.Context, name, digest string) error {
	return r.changed(ctx, r.Cards.AcceptCard(ctx, name, digest, r.Now()))
}

// exists returns ErrNoAgent for an unknown name. A command without a configuration
// knows the agents of the server by their cards.
func (r *Registry) exists(ctx context.Context, name string) error {
	_, err := r.find(ctx, name)
	if !errors.Is(err, ErrNoAgent) || r.Directory != nil {
		return err
	}
	cards, err := r.Cards.SeenCards(ctx, name)
	if err == nil && len(cards) == 0 {
		return ErrNoAgent
	}
	return err
}

func (r *Registry) ofConfiguration() []AgentConfig {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.Configured
}

func (r *Registry) configured(name string) bool {
	return slices.ContainsFunc(
		r.ofConfiguration(), func(a AgentConfig) bool { return a.Name == name },
	)
}

// changed loads the list after a change, unless err says that there was none. The
// change is stored by then: if the list cannot be read now, Run reads it later.
func (r *Registry) changed(ctx context.Context, err error) error {
	switch {
	case err != nil:
		return err
	case r.Directory == nil && r.Await != nil:
		r.Await(ctx)
		return nil
	case r.Directory == nil:
		return nil
	}
	if err := r.Load(ctx); err != nil {
		r.Log.ErrorContext(ctx, "reading the changed list of agents", "err", err)
	}
	return nil
}

// record returns a as it is kept, or what is wrong with it.
func (r *Registry) record(a AgentConfig) (*StoredAgent, error) {
	if err := r.Prober.Check(a); err != nil {
		return nil, &ConfigError{err}
	}
	settings, err := json.Marshal(a)
	if err != nil {
		return nil, err
	}
	sealed, err := r.seal(a)
	return &StoredAgent{
		Name:     a.Name,
		Settings: settings,
		Secret:   sealed,
		Changed:  r.Now(),
	}, err
}

// Maintain forgets what is not needed any more.
func (r *Registry) Maintain(ctx context.Context) error { return r.Store.DropAgents(ctx) }
