package server

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"rialto/a2a/a2aauth"
	"rialto/bridge/directory"
	"rialto/internal/config"
	"rialto/internal/message"
	"rialto/internal/store"
)

// newRegistry returns the agents of the configuration and of the database. It keeps
// agents up to date, unless that is nil.
func newRegistry(cfg func() *config.Config, log *slog.Logger, db *store.DB, secret []byte, says assertion, agents *directory.Directory) *directory.Registry {
	r := &directory.Registry{
		Store: db.Records, Cards: db.Records, Key: deriveKey(secret, "agents"), Directory: agents,
		Check: config.CheckAdded, Now: time.Now, Log: log, Configured: withoutSecrets(cfg().Agents),
	}
	r.Visit = func(ctx context.Context, a directory.Settings) (directory.Conn, []*message.Message, error) {
		settings, ok := cfg().Agent(a.Name)
		if !ok || settings.URL != a.URL { // its secrets are for that address alone
			settings = a
		}
		look := &cardRecorder{}
		dialer, err := newDialer(settings, log, says, nil, &directory.Cards{Store: look, Now: time.Now, Log: log})
		if err != nil {
			return nil, nil, err
		}
		client, err := dialer.Dial(ctx, a.URL)
		if err != nil {
			return nil, nil, err
		}
		return probedAgent{peer{client}, look.card}, a2aauth.Unmet(client.Card(), config.Credentials(settings.Credentials).Means()), nil
	}
	return r
}

// withoutSecrets returns agents; those that this process starts have no secrets.
func withoutSecrets(agents []config.Agent) []directory.Settings {
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

// probedAgent is an agent that was previewed, with the JSON of its card.
type probedAgent struct {
	peer
	card []byte
}

// Shows implements directory.Shower.
func (v probedAgent) Shows() []byte { return v.card }
