package operator

import (
	"context"
	"strings"
	"time"

	"rialto/internal/audit"
)

// IssueToken returns a token that acts for an account, with scopes, for a time, at a connector; ""
// is the server as a whole. It fails as token.Tokens.IssueFor does, and with ErrNotFound without
// the connector. The audit log has the account and the scopes, and never the token.
func (s *Service) IssueToken(
	ctx context.Context,
	by Actor,
	connector, account string,
	scopes []string,
	ttl time.Duration,
) (string, error) {
	resource := s.OAuth.Resources.Default()
	if connector != "" {
		c, err := s.Agents.Connector(ctx, connector)
		if err != nil {
			return "", err
		}
		resource = s.OAuth.Resources.Of(c.URL)
		if resource == nil {
			return "", ErrNotFound
		}
	}

	token, expires, err := s.OAuth.Tokens.IssueFor(ctx, resource, account, scopes, ttl)
	detail := strings.Join(scopes, " ")
	if connector != "" {
		detail += "; at " + connector
	}
	if err == nil {
		detail += "; " + expires.UTC().Format(time.RFC3339)
	}

	return token, record(ctx, s.Audit, by, audit.Issued, account, detail, err)
}
