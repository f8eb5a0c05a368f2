package server

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"time"

	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
	"rialto/cmd/rialto/internal/telemetry"
	"rialto/internal/audit"
	"rialto/internal/safehttp"
	"rialto/oauth"
	"rialto/oauth/authserver"
	"rialto/oauth/signin"
	"rialto/store"
)

// trustedProxies returns the networks of proxies. The configuration was checked.
func trustedProxies(cfg *config.Config) (proxies []netip.Prefix) {
	for _, p := range cfg.TrustedProxies {
		proxies = append(proxies, netip.MustParsePrefix(p))
	}
	return proxies
}

// buildLogin builds the authorization server, and what needs no other part to guard requests.
func (s *Server) buildLogin(secret []byte) {
	s.oauth = NewOAuth(s.cfg.Load(), s.log, s.store, secret)
	s.oauth.Record(oauthEvents{s.audit, s.telemetry})
	s.health = &health{store: s.store, keys: s.oauth.Keys, log: s.log}
	s.bodies = &bodyBudget{size: int64(s.cfg.Load().Limits.RequestSize), oauth: s.oauth}
}

// NewOAuth returns the authorization server. The configuration was checked.
func NewOAuth(
	cfg *config.Config,
	log *slog.Logger,
	db *store.DB,
	secret []byte,
) *authserver.Server {
	clients, _ := cfg.OAuthClients()
	var fetch *safehttp.Client
	if cfg.Apps.ClientDocuments {
		fetch = &safehttp.Client{MaxBytes: 16 << 10}
	}

	as := authserver.Config{
		Clients:        clients,
		Fetch:          fetch,
		Issuer:         cfg.URL,
		Resource:       cfg.URL + "/mcp",
		Name:           cfg.Name,
		Scopes:         config.Scopes,
		Ordinary:       cfg.Scope(),
		Secret:         secret,
		Now:            time.Now,
		Log:            log,
		TrustedProxies: trustedProxies(cfg),
	}
	as.Upstreams = cfg.OAuthUpstreams()
	cfg.Tokens.Apply(&as)
	cfg.Apps.Registration.Apply(&as)
	cfg.SignIn.Apply(&as)
	as.RedirectPrefixes = cfg.Apps.RedirectPrefixes
	return authserver.New(as, db.OAuth)
}

// consentAgents names agents on the consent page.
type consentAgents struct{ directory *directory.Directory }

// Titles implements flow.Agents.
func (a consentAgents) Titles(resource string, useCases []string, all bool) []string {
	return a.directory.Titles(a.directory.AccessOf(directory.Caller{
		UseCases:    useCases,
		AllUseCases: all,
		Connector:   a.directory.ConnectorAt(resource),
	}))
}

// SetDemoAccount sets the password of the demo's account, an administrator, which it adds if needed.
// The sign-in page then says where that password is. Call it before Serve.
func (s *Server) SetDemoAccount(ctx context.Context, name, password string) error {
	s.oauth.Pages.Demo = true
	if err := s.oauth.Accounts.SetPassword(ctx, name, password); err != nil {
		return err
	}
	return s.oauth.Accounts.SetAdmin(ctx, name, true)
}

// accounts are the accounts that may sign in.
type accounts struct{ store signin.AccountStore }

// Active implements documents.Accounts.
func (a accounts) Active(ctx context.Context, user string) (bool, error) {
	account, err := a.store.AccountOf(ctx, user)
	if errors.Is(err, oauth.ErrNotFound) {
		return false, nil
	}
	return err == nil && !account.Disabled, err
}

// oauthEvents writes the events of the authorization server to the audit log, and counts some.
type oauthEvents struct {
	to        audit.Recorder
	telemetry *telemetry.Telemetry
}

var kinds = map[oauth.EventKind]audit.Kind{
	oauth.EventSignIn:     audit.SignIn,
	oauth.EventConsent:    audit.Consent,
	oauth.EventReuse:      audit.Reuse,
	oauth.EventRegistered: audit.ClientRegistered,
	oauth.EventChanged:    audit.ClientChanged,
	oauth.EventRemoved:    audit.ClientRemoved,
	oauth.EventRevoked:    audit.GrantRevoked,
	oauth.EventAccount:    audit.AccountAdded,
	oauth.EventLink:       audit.AccountLink,
	oauth.EventPassword:   audit.AccountPassword,
	oauth.EventPasskey:    audit.AccountPasskey,
	oauth.EventKey:        audit.KeyRotated,
}

// Happened implements oauth.Events.
func (o oauthEvents) Happened(ctx context.Context, e oauth.Event) {
	target := cmp.Or(e.GrantID, e.ClientID)
	actor := e.Account
	switch e.Kind {
	case oauth.EventReuse:
		o.telemetry.RefreshReused()
	case oauth.EventRegistered:
		o.telemetry.ClientRegistered(e.Outcome == "")
	case oauth.EventAccount, oauth.EventLink, oauth.EventPassword, oauth.EventPasskey:
		target = e.Account
	case oauth.EventKey:
		actor = cmp.Or(actor, "server")
	}

	o.to.Record(ctx, audit.Event{
		Kind: kinds[e.Kind], Outcome: audit.Outcome(e.Outcome), ActorID: e.AccountID, Actor: actor,
		Address: e.Address, Target: target, Detail: e.Detail,
	})
}

// saveGrantUses saves, once a minute and at shutdown, which grants were used.
func (s *Server) saveGrantUses(ctx context.Context) {
	tick := time.NewTicker(time.Minute)
	defer tick.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
		saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		if err := s.oauth.Grants.SaveUses(saving); err != nil {
			s.log.ErrorContext(ctx, "saving the last use of grants", "err", err)
		}
		cancel()
	}
}
