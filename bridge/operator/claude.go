package operator

import (
	"context"
	"errors"
	"slices"
	"time"

	"rialto/internal/doctor"
	"rialto/oauth"
	"rialto/oauth/client"
)

// AppClaude names Claude as the app that a client is registered for. Claude has logged in without
// ever calling the server; a client with a secret, typed into its settings, helped
// (modelcontextprotocol/modelcontextprotocol#1675).
const AppClaude = "claude"

// claudeCallbacks are where Claude awaits the answers to its logins.
var claudeCallbacks = []string{
	"https://claude.ai/api/mcp/auth_callback",
	"https://claude.com/api/mcp/auth_callback",
}

// NewClient describes a client that cannot register itself.
type NewClient struct {
	// App says whose client it is instead of the other fields: AppClaude, or "" for none.
	App       string
	Connector string // the one that the app is for; "" is the server as a whole

	Name         string
	RedirectURIs []string
	KeepsSecret  bool
}

// IssuedClient is a client that was registered by hand, with what its app needs.
type IssuedClient struct {
	client.Issued
	URL string `json:"url"` // the MCP server's address for the app
}

// ClaudeSettings returns the fields of Claude's settings, by the names that they have there.
func (c *IssuedClient) ClaudeSettings() [][2]string {
	return [][2]string{
		{"Remote MCP server URL", c.URL},
		{"OAuth Client ID", c.ID},
		{"OAuth Client Secret", c.Secret},
	}
}

// complete fills in what is known of the app, and returns the address for it.
func (c *NewClient) complete(ctx context.Context, s *Service) (address string, err error) {
	switch c.App {
	case AppClaude:
		c.Name = "Claude"
		c.RedirectURIs = claudeCallbacks
		c.KeepsSecret = true
	case "":
	default:
		return "", errApp
	}
	if c.Connector == "" {
		return s.OAuth.Resource, nil
	}
	of, err := s.Agents.Connector(ctx, c.Connector)
	if err != nil {
		return "", err
	}
	return of.URL, nil
}

// silentAfter is how long an app is connected before it is missed: grants whose code was not redeemed
// have been dropped by then, and uses have been saved.
const silentAfter = 10 * time.Minute

// noteClaude adds to a report what the records say of Claude: whether it logged in to this address,
// and has called nothing since.
func noteClaude(ctx context.Context, s *Service, report *doctor.Report) error {
	of, err := s.OAuth.Resources.Asked([]string{report.URL})
	if err != nil {
		return nil // another server's
	}
	page, err := s.Grants(ctx, GrantFilter{Span: Span{Size: LargestPage}, Live: true})
	if err != nil {
		return err
	}
	for _, g := range page.Items {
		if g.Resource != of.URL {
			continue
		}
		c, err := s.Client(ctx, g.ClientID)
		switch {
		case errors.Is(err, ErrNotFound):
			continue
		case err != nil:
			return err
		case !slices.Contains(c.RedirectHosts, "claude.ai"):
			continue
		}
		silent := g.Used.IsZero() && s.Now().Sub(g.Created) > silentAfter
		if silent && c.Auth == oauth.AuthNone {
			report.AddSilentClaude(g.Created, oauth.PathOf(of.URL), of.Name)
		}
		return nil // the latest decides
	}
	return nil
}
