package server

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/internal/i18n"
	"rialto/store"
	"rialto/store/recordsdb"
)

// newRegistry returns the agents of the configuration and of the database. It keeps
// agents up to date, unless that is nil.
func newRegistry(
	cfg func() *config.Config,
	log *slog.Logger,
	db *store.DB,
	secret []byte,
	assert assertion,
	agents *directory.Directory,
) *directory.Registry {
	return &directory.Registry{
		Store:     db.Records,
		Probes:    recordsdb.Probes{Store: db.Records},
		Cards:     db.Records,
		Key:       deriveKey(secret, "agents"),
		Directory: agents,
		Prober: agentProber{
			cfg,
			log,
			assert,
		},
		Now:        time.Now,
		Log:        log,
		Configured: withoutSecrets(cfg().Agents),
		URL:        cfg().URL,

		ConfiguredConnectors: cfg().Calls.Connectors,
	}
}

// agentProber reaches agents as their settings say.
type agentProber struct {
	cfg    func() *config.Config
	log    *slog.Logger
	assert assertion
}

// Check implements directory.Prober.
func (agentProber) Check(a directory.AgentConfig) error { return config.CheckAdded(a) }

// Revision implements directory.Prober.
func (c agentProber) Revision(a directory.AgentConfig) string { return c.cfg().Revision(a) }

// Probe implements directory.Prober.
func (c agentProber) Probe(
	ctx context.Context, a directory.AgentConfig,
) (directory.Conn, []*i18n.Message, error) {
	settings, ok := c.cfg().Agent(a.Name)
	if !ok || settings.URL != a.URL { // its secrets are for that address alone
		settings = a
	}
	recorder := &cardRecorder{}
	cards := &directory.Cards{Store: recorder, Now: time.Now, Log: c.log}
	client, missing, err := visit(ctx, settings, c.log, c.assert, cards)
	if err != nil {
		return nil, nil, err
	}
	return previewedAgent{peer{client}, recorder.card}, missing, nil
}

// withoutSecrets returns agents; those that this process starts have no secrets.
func withoutSecrets(agents []config.Agent) []directory.AgentConfig {
	agents = slices.Clone(agents)
	for i := range agents {
		agents[i].Credentials.Secret = ""
	}
	return agents
}

// cardRecorder is a directory.CardStore that keeps only the last card.
type cardRecorder struct{ card []byte }

// SeeCard implements directory.CardStore.
func (g *cardRecorder) SeeCard(_ context.Context, c directory.SeenCard, _ bool) error {
	g.card = c.Card
	return nil
}

// AcceptCard implements directory.CardStore.
func (*cardRecorder) AcceptCard(context.Context, string, string, time.Time) error {
	return directory.ErrNoCard
}

// SeenCards implements directory.CardStore.
func (*cardRecorder) SeenCards(context.Context, string) ([]directory.SeenCard, error) {
	return nil, nil
}

// previewedAgent is an agent that was previewed, with the JSON of its card.
type previewedAgent struct {
	peer
	card []byte
}

// CardJSON implements directory.CardSource.
func (v previewedAgent) CardJSON() []byte { return v.card }
