package directory_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"rialto/a2a"
	"rialto/a2a/a2atest"
	"rialto/bridge/directory"
	"rialto/internal/i18n"
	"rialto/store"
	"rialto/store/recordsdb"
	"rialto/store/storetest"
)

// peer is an agent behind no wire.
type peer struct {
	a2a.Agent
	card *a2a.Card
}

func (p peer) Card() *a2a.Card { return p.card }

// newRegistry returns a registry with its own database, one configured agent, and a
// directory.
func newRegistry(t *testing.T) *directory.Registry {
	t.Helper()
	db, err := store.Open(t.Context(), storetest.File(t, store.Open))
	if err != nil {
		t.Fatal(err)
	}
	agent := a2atest.NewAgent()
	b := &directory.Directory{
		Now: time.Now, Log: slog.New(slog.DiscardHandler),
		Caller: func(context.Context) directory.Caller { return directory.Caller{User: "alice"} },
	}
	r := &directory.Registry{
		Configured: []directory.AgentConfig{{Name: "fixed", URL: "http://fixed"}},
		Store:      db.Records, Probes: recordsdb.Probes{Store: db.Records}, Cards: db.Records, Key: make([]byte, 32), Directory: b, Prober: connector{agent}, Now: time.Now, Log: b.Log,
	}
	if err := r.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(); agent.Close() })
	return r
}

// connector reaches an agent under every address but one.
type connector struct{ agent *a2atest.Agent }

// Check implements directory.Prober.
func (connector) Check(a directory.AgentConfig) error {
	if a.Name == "" {
		return errors.New("name: it is empty")
	}
	return nil
}

// Revision implements directory.Prober.
func (connector) Revision(directory.AgentConfig) string { return "" }

// Probe implements directory.Prober.
func (c connector) Probe(
	_ context.Context, a directory.AgentConfig,
) (directory.Conn, []*i18n.Message, error) {
	if a.URL == "http://nowhere" {
		return nil, nil, errors.New("connection refused")
	}
	card := *c.agent.Card()
	card.Name = "Clean\x1b Name"
	return peer{c.agent, &card}, []*i18n.Message{i18n.New("a key")}, nil
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// status returns an agent of the list, and checks what the bridge has of it.
func status(t *testing.T, r *directory.Registry, name string) *directory.AgentStatus {
	t.Helper()
	s, err := r.Agent(t.Context(), name)
	must(t, err)
	a := r.Directory.Lookup(name)
	if a == nil || a.URL != s.URL || a.Disabled == s.Enabled {
		t.Fatalf("the bridge has %+v, want %+v", a, s)
	}
	return s
}

func TestAnAgentIsAddedChangedAndRemoved(t *testing.T) {
	r := newRegistry(t)
	a := directory.AgentConfig{Name: "one", URL: "https://one.example/a2a", Review: true, Retention: directory.Duration(36 * time.Hour)}
	a.Credentials.Type, a.Credentials.Secret = "bearer", "s3cret"
	must(t, r.Add(t.Context(), a, nil))
	s := status(t, r, "one")
	if s.Configured || !s.Enabled || !s.HasSecret || s.Credentials.Secret != "" || s.Retention != a.Retention || !s.Review {
		t.Errorf("got %+v", s)
	}
	if got, ok := r.Config("one"); !ok || got.Credentials.Secret != "s3cret" {
		t.Errorf("who dials gets %+v", got)
	}
	for _, name := range []string{"one", "fixed"} {
		if err := r.Add(t.Context(), directory.AgentConfig{Name: name, URL: "http://x"}, nil); !errors.Is(err, directory.ErrExists) {
			t.Errorf("adding %s again: got %v", name, err)
		}
	}

	changed := s.AgentConfig
	changed.URL = "https://elsewhere.example/a2a"
	if err := r.Change(t.Context(), changed, s.Version, true); err == nil || !strings.Contains(err.Error(), "give it again") {
		t.Errorf("the secret went to another host: %v", err)
	}
	changed.URL = "https://one.example/other"
	must(t, r.Change(t.Context(), changed, s.Version, true))
	if got, _ := r.Config("one"); got.Credentials.Secret != "s3cret" || got.URL != changed.URL {
		t.Errorf("got %+v", got)
	}
	if err := r.Change(t.Context(), changed, s.Version, true); !errors.Is(err, directory.ErrChanged) {
		t.Errorf("a change after another change: got %v", err)
	}
	must(t, r.Change(t.Context(), changed, status(t, r, "one").Version, false))
	if s := status(t, r, "one"); s.HasSecret {
		t.Error("the secret that was left out is still there")
	}

	must(t, r.Remove(t.Context(), "one"))
	if _, err := r.Agent(t.Context(), "one"); !errors.Is(err, directory.ErrNoAgent) {
		t.Errorf("after it was removed: got %v", err)
	}
	must(t, r.Maintain(t.Context()))
	must(t, r.Add(t.Context(), a, nil))
}

func TestAnAgentOfTheConfigurationCanOnlyBeDisabled(t *testing.T) {
	r := newRegistry(t)
	if err := r.Remove(t.Context(), "fixed"); err == nil || !strings.Contains(err.Error(), "of the configuration") {
		t.Errorf("remove: got %v", err)
	}
	if err := r.Change(t.Context(), directory.AgentConfig{Name: "fixed", URL: "http://x"}, 0, false); err == nil {
		t.Error("it was changed")
	}
	for _, step := range []struct {
		do       func(context.Context, string) (bool, error)
		did, now bool
	}{{r.Disable, true, false}, {r.Disable, false, false}, {r.Enable, true, true}, {r.Enable, false, true}} {
		if did, err := step.do(t.Context(), "fixed"); err != nil || did != step.did {
			t.Errorf("got %v, %v, want %v", did, err, step.did)
		}
		if s := status(t, r, "fixed"); s.Enabled != step.now || !s.Configured {
			t.Errorf("got %+v", s)
		}
	}
	if _, err := r.Disable(t.Context(), "nobody"); !errors.Is(err, directory.ErrNoAgent) {
		t.Errorf("got %v", err)
	}
}

func TestASecretCannotBeSentElsewhereThroughTheDatabase(t *testing.T) {
	r := newRegistry(t)
	a := directory.AgentConfig{Name: "one", URL: "https://one.example"}
	a.Credentials.Secret = "s3cret"
	must(t, r.Add(t.Context(), a, nil))
	kept, err := r.Store.KeptAgents(t.Context())
	must(t, err)
	record := kept.Records[0]
	if text := string(record.Settings) + record.Secret; strings.Contains(text, "s3cret") {
		t.Fatalf("the secret is in the database as it is: %s", text)
	}
	record.Settings = []byte(strings.Replace(string(record.Settings), "one.example", "evil.example", 1))
	must(t, r.Store.ChangeAgent(t.Context(), record, false))
	must(t, r.Load(t.Context()))
	if got, ok := r.Config("one"); ok {
		t.Errorf("an agent whose address was forged is used: %+v", got)
	}
}

func TestAPreviewAndATestShowWhatAnAgentIs(t *testing.T) {
	r := newRegistry(t)
	p, err := r.Preview(t.Context(), directory.AgentConfig{Name: "one", URL: "http://one"})
	must(t, err)
	if p.Name != "Clean Name" || len(p.Problems) == 0 || !strings.Contains(p.Problems[0].Error(), "a key") {
		t.Errorf("got %+v", p)
	}
	if _, err := r.Preview(t.Context(), directory.AgentConfig{Name: "one", URL: "http://nowhere"}); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("got %v", err)
	}
	if _, err := r.Preview(t.Context(), directory.AgentConfig{Name: "fixed", URL: "http://elsewhere"}); !errors.Is(err, directory.ErrExists) {
		t.Errorf("another address under the name of a configured agent: got %v", err)
	}
	for message, want := range map[string]directory.Trial{
		"say hello":  {State: a2a.Completed, Answer: "hello"},
		"ask which?": {State: a2a.InputRequired, Answer: "which?"},
	} {
		got, err := r.Test(t.Context(), "alice", "fixed", message)
		must(t, err)
		if got.State != want.State || got.Answer != want.Answer {
			t.Errorf("%s: got %+v", message, got)
		}
	}
	if _, err := r.Test(t.Context(), "alice", "nobody", "x"); !errors.Is(err, directory.ErrNoAgent) {
		t.Errorf("got %v", err)
	}
}

// kept is a store whose list another process changes.
type kept struct {
	directory.AgentStore
	kept atomic.Pointer[directory.StoredAgents]
}

func (k *kept) AgentsVersion(context.Context) (int64, error) { return k.kept.Load().Version, nil }
func (k *kept) KeptAgents(context.Context) (*directory.StoredAgents, error) {
	return k.kept.Load(), nil
}

func TestAReplicaSeesWithinSecondsWhatAnotherChanged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := &kept{}
		k.kept.Store(&directory.StoredAgents{})
		b := &directory.Directory{}
		r := &directory.Registry{Store: k, Directory: b, Key: make([]byte, 32), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
		must(t, r.Load(t.Context()))
		ctx, stop := context.WithCancel(t.Context())
		go r.Run(ctx)
		k.kept.Store(&directory.StoredAgents{Version: 1, Records: []directory.StoredAgent{{Name: "one", Settings: []byte(`{"url":"http://one"}`)}}})
		time.Sleep(3 * time.Second)
		if b.Lookup("one") == nil {
			t.Error("it does not see it")
		}
		stop()
		synctest.Wait()
	})
}
