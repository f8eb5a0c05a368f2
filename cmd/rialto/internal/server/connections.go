package server

import (
	"context"
	"net/url"
	"time"

	"rialto/a2a/a2avault"
	"rialto/bridge/directory"
	"rialto/cmd/rialto/internal/config"
)

// connections are the credentials that users have stored for agents.
type connections struct {
	vault  *a2avault.Vault
	agents agentSettings
}

var (
	_ directory.Connections = connections{}
	_ a2avault.Agents       = connections{}
)

// newConnections returns them with the store that encrypts the credentials.
func newConnections(s *Server, agents agentSettings, secret []byte) connections {
	c := connections{agents: agents}
	c.vault = &a2avault.Vault{
		Store:   s.store.Records,
		Key:     deriveKey(secret, "connections"),
		URL:     s.cfg.Load().URL,
		Name:    s.cfg.Load().Name,
		Replica: s.bridge.Runner.Replica,
		Now:     time.Now,
		Log:     s.log,
		Agents:  c,
	}
	return c
}

// Wanted implements directory.Connections.
func (c connections) Wanted(agent string) bool {
	a, ok := c.agents.find(agent)
	return ok && a.Credentials.Type == config.TypeUser
}

// Connected implements directory.Connections.
func (c connections) Connected(ctx context.Context, user, agent string) (bool, error) {
	return c.vault.Connected(ctx, user, agent)
}

// Host implements a2avault.Agents.
func (c connections) Host(agent string) string {
	a, _ := c.agents.find(agent)
	u, err := url.Parse(a.URL)
	if err != nil {
		return ""
	}
	return u.Host
}

// App returns how users sign in at the authorization server of an agent.
func (c connections) App(agent string) (a2avault.App, bool) {
	a, ok := c.agents.find(agent)
	return appOf(a), ok && a.Credentials.Type == config.TypeUser
}

// appOf returns how users sign in for an agent whose credentials are of type user.
// Hosts that the operator configured, and the agent's own host, may be in a private
// network; hosts that only the card names may not.
func appOf(a config.Agent) a2avault.App {
	c := config.Credentials(a.Credentials)
	var secret string
	if c.HasSecret() {
		secret, _ = c.ReadSecret() // checked with the configuration
	}

	hosts := config.AllowedHosts(a.URL, c.Issuer, c.AuthorizationURL, c.TokenURL)
	return a2avault.App{
		Agent:            a.Name,
		Fetch:            a2avault.Client(hosts...),
		Issuer:           c.Issuer,
		AuthorizationURL: c.AuthorizationURL,
		TokenURL:         c.TokenURL,
		ClientID:         c.ClientID,
		ClientSecret:     secret,
		InBody:           c.ClientAuth == "post",
		Scopes:           c.Scopes,
		Resource:         c.Resource,
	}
}
