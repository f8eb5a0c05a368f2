package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"rialto/a2a/a2apush"
	"rialto/bridge/directory"
	"rialto/bridge/documents"
	"rialto/bridge/events"
	"rialto/bridge/ledger"
	"rialto/bridge/push"
	"rialto/bridge/runner"
	"rialto/bridge/sanitize"
	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/token"
)

// failedPushRetention is how long an undeliverable notification can be listed and retried.
const failedPushRetention = 30 * 24 * time.Hour

// The webhooks that get events for MCP clients.
const (
	eventSubscriptions        = 10_000
	eventSubscriptionsPerUser = 100
)

// webhooks tell others of changes, and let agents tell us.
type webhooks struct {
	push   *push.Service   // of tasks, to A2A clients; nil if it is off
	inbox  *a2apush.Inbox  // of agents; nil if they get no webhook
	events *events.Service // to MCP clients; nil if they are off
}

// buildPush builds the webhooks of A2A, in both directions.
func (s *Server) buildPush(secret []byte) {
	if s.cfg.Load().Push.Send {
		s.webhooks.push = newPush(s, secret)
		s.bridge.Runner.Webhooks = s.webhooks.push
	}
	if s.cfg.Load().Push.Receive {
		s.webhooks.inbox = newPushInbox(s, secret)
		s.bridge.Runner.Inbox = s.webhooks.inbox
	}
}

// newPush returns what lets A2A clients register webhooks for their tasks.
func newPush(s *Server, secret []byte) *push.Service {
	sender := &a2apush.Sender{
		HTTP:           webhookClient(s),
		Issuer:         s.cfg.Load().URL,
		SkipValidation: !s.cfg.Load().Push.Verify,
		Now:            time.Now,
	}
	if s.oauth.Keys.Algorithm != token.HS256 { // no public key is published for HS256
		sender.Signer = s.oauth.Keys
	}

	return &push.Service{
		Outbox:  s.store.Ledger.Outbox(),
		Sender:  sender,
		Key:     deriveKey(secret, "push webhooks"),
		Replica: s.bridge.Runner.Replica,
		Now:     time.Now,
		Log:     s.log,
	}
}

// newPushInbox returns what gives agents webhooks for the tasks that we follow.
func newPushInbox(s *Server, secret []byte) *a2apush.Inbox {
	return &a2apush.Inbox{
		URL:       s.cfg.Load().URL,
		Key:       deriveKey(secret, "push inbox"),
		Agents:    &agentKeys{agents: s.bridge.Directory, known: map[string]*a2apush.Keys{}},
		Followers: s.bridge.Runner,
		Now:       time.Now,
		Log:       s.log,
	}
}

// webhookClient returns what calls webhooks: those on hosts in push.allowed_hosts, or at public addresses.
func webhookClient(s *Server) *safehttp.Client {
	return &safehttp.Client{
		Allowed:  func() []string { return s.cfg.Load().Push.AllowedHosts },
		MaxBytes: 4 << 10,
		Timeout:  10 * time.Second,
	}
}

// buildEvents builds the events that tell MCP clients what happens to tasks and agents, and
// connects them with what causes them.
func (s *Server) buildEvents(secret []byte) {
	if !s.cfg.Load().MCP.Events {
		return
	}

	s.webhooks.events = &events.Service{
		Logs:          s.store.Events,
		Subscriptions: s.store.Events,
		Directory:     s.bridge.Directory,
		HTTP:          webhookClient(s),
		Key:           deriveKey(secret, "event webhooks"),
		Replica:       s.bridge.Runner.Replica,
		TaskURL:       s.cfg.Load().URL + documents.TaskPath,
		Now:           time.Now,
		Log:           s.log,
		Backend:       eventBackend{s},
	}
	source := eventSource{s.webhooks.events}
	s.bridge.Tools.Events = true
	publisher := &s.bridge.Runner.Publisher
	publisher.Listeners = append(publisher.Listeners, source)
	s.bridge.Directory.Listeners = append(s.bridge.Directory.Listeners, source)
}

// eventBackend is an events.Backend.
type eventBackend struct{ s *Server }

// Grant implements events.Backend.
func (eventBackend) Grant(ctx context.Context) string {
	p, _ := oauth.FromContext(ctx)
	return p.GrantID
}

// Access returns what a grant reaches now, and false if it gives no access to tools.
func (b eventBackend) Access(
	ctx context.Context, id string,
) (access directory.Access, alive bool, err error) {
	g, err := b.s.store.OAuth.Grants.Grant(ctx, id)
	if errors.Is(err, oauth.ErrNotFound) {
		return access, false, nil
	}
	if err != nil || !g.Live(time.Now()) {
		return access, false, err
	}
	resource, err := b.s.connectors.Resource(ctx, g.Resource, b.s.agents)
	if err != nil || resource == nil || !resource.Admits(g.Name) {
		return access, false, err
	}

	scope := resource.Within(g.Allows(g.Scope))
	some, all := scope.UseCases()
	access = b.s.bridge.Directory.AccessOf(directory.Caller{
		User:        g.AccountID,
		Client:      g.ClientID,
		UseCases:    some,
		AllUseCases: all,
		Connector:   b.s.bridge.Directory.ConnectorAt(g.Resource),
	})
	return access, scope.Meets(oauth.ScopeTools), nil
}

// Task implements events.Backend.
func (b eventBackend) Task(
	ctx context.Context, access directory.Access, task string,
) (*events.Task, error) {
	e, err := b.s.bridge.Runner.Current(ctx, access, task)
	if errors.Is(err, ledger.ErrNoTask) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	t := &events.Task{
		State:   string(e.State()),
		Ended:   e.State().Terminal(),
		Title:   ledger.Title(e.Asked),
		Request: sanitize.Short(e.RequestText(), events.MaxRequest),
	}
	if e.Idle && e.State().Interrupted() {
		t.Question = sanitize.Short(e.Task.Status.Message.Text(), events.MaxQuestion)
	}
	if e.AwaitsInput() {
		t.Form = runner.FormOf(e).Schema()
	}

	return t, nil
}

// Limits implements events.Backend.
func (eventBackend) Limits() (most, perUser int) {
	return eventSubscriptions, eventSubscriptionsPerUser
}

// eventSource tells events of the changes of tasks and agents.
type eventSource struct{ events *events.Service }

// TaskChanged implements runner.TaskListener.
func (e eventSource) TaskChanged(string, string, bool) { e.events.Wake() }

// AgentChanged implements directory.Listener.
func (e eventSource) AgentChanged(string) { e.events.AgentsChanged() }

// agentKeys are the keys with which agents sign their notifications. They are read
// on first use and cached while the agent keeps its address.
type agentKeys struct {
	agents *directory.Directory

	mu    sync.Mutex
	known map[string]*a2apush.Keys
}

// Keys implements a2apush.Agents.
func (k *agentKeys) Keys(name string) *a2apush.Keys {
	agent := k.agents.Lookup(name)
	k.mu.Lock()
	defer k.mu.Unlock()
	keys := k.known[name]
	switch {
	case agent == nil:
		delete(k.known, name)
		return nil
	case keys == nil || keys.Agent != agent.URL:
		k.known[name] = &a2apush.Keys{Agent: agent.URL, Now: time.Now}
	}

	return k.known[name]
}
