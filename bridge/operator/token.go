package operator

import (
	"context"
	"strings"
	"time"

	"rialto/internal/audit"
)

// IssueToken returns a token that acts for an account, with scopes, for a time. It fails as
// oauth.Server.IssueToken does. The audit log has the account and the scopes, and never the token.
func (s *Service) IssueToken(
	ctx context.Context,
	by Actor,
	account string,
	scopes []string,
	ttl time.Duration,
) (string, error) {
	token, expires, err := s.OAuth.Tokens.Issue(ctx, account, scopes, ttl)
	detail := strings.Join(scopes, " ")
	if err == nil {
		detail += "; " + expires.UTC().Format(time.RFC3339)
	}

	return token, record(ctx, s.Audit, by, audit.Issued, account, detail, err)
}
