package operator

import (
	"context"
	"strings"
	"time"

	"rialto/internal/audit"
	"rialto/oauth"
)

// IssueToken returns a token that acts for an account, with scopes, for a time, at a connector; ""
// is the server as a whole; and its grant, for RevokeGrant. It fails as token.Tokens.IssueFor does, and
// with ErrNotFound without the connector. The audit log has the account and the scopes, and never the
// token.
func (s *Service) IssueToken(
	ctx context.Context,
	by Actor,
	connector, account string,
	scopes []string,
	ttl time.Duration,
) (string, *oauth.Grant, error) {
	resource := s.OAuth.Resources.Default()
	if connector != "" {
		c, err := s.Agents.Connector(ctx, connector)
		if err != nil {
			return "", nil, err
		}
		resource = s.OAuth.Resources.Of(c.URL)
		if resource == nil {
			return "", nil, ErrNotFound
		}
	}

	return issue(ctx, s, by, resource, account, scopes, ttl)
}

// issue returns a token for a resource with its grant, and records it.
func issue(
	ctx context.Context,
	s *Service,
	by Actor,
	resource *oauth.Resource,
	account string,
	scopes []string,
	ttl time.Duration,
) (string, *oauth.Grant, error) {
	token, g, err := s.OAuth.Tokens.IssueFor(ctx, resource, account, scopes, ttl)
	detail := strings.Join(scopes, " ")
	if resource.Name != "" {
		detail += "; at " + resource.Name
	}
	if err == nil {
		detail += "; " + g.Expires.UTC().Format(time.RFC3339)
	}

	return token, g, record(ctx, s.Audit, by, audit.Issued, account, detail, err)
}
