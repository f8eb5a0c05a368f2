package token

import (
	"context"
	"errors"
	"strings"

	"rialto/oauth"
	"rialto/oauth/internal/endpoint"
	"rialto/oauth/internal/secret"
)

// IdentityStore keeps the accounts of people whom other issuers know.
type IdentityStore interface {
	// Identify returns the account of a's Issuer and Subject. If there is none it records a; of any
	// number of calls with one identity, all return the same account. If rights is set, the account
	// gets Admin and UseCases of a. It returns ErrExists if there is none and a's name is taken.
	Identify(ctx context.Context, a *oauth.Account, rights bool) (*oauth.Account, error)
}

// Identities finds the accounts of people whom other issuers know.
type Identities struct {
	Store  IdentityStore
	Grants *Grants
	Env    *endpoint.Env
}

// ExternalPrefix is the prefix of account names created from pasted tokens.
const ExternalPrefix = "token"

// ErrSignInDenied says why a person whom an issuer knows may not sign in, in words for the page.
type ErrSignInDenied struct{ Reason string }

func (e *ErrSignInDenied) Error() string { return e.Reason }

// AccountName returns the account name of a person whom an issuer knows. It begins with the
// provider's ID, so that it cannot be the name of a local account.
func AccountName(provider, label, subject string) string {
	name, err := oauth.UserName(provider + ":" + label)
	if label == "" || err != nil {
		return provider + ":" + secret.Hash(subject)[:12]
	}
	return name
}

// Identify returns the account of a person whom an issuer knows. The key is issuer and subject:
// names and addresses change hands. If rights is set, the account gets Admin and UseCases of a.
func (ids *Identities) Identify(
	ctx context.Context, a *oauth.Account, rights bool,
) (*oauth.Account, error) {
	a.ID = secret.NewID()
	a.Created = ids.Env.Now()
	known, err := ids.Store.Identify(ctx, a, rights)
	if errors.Is(err, oauth.ErrExists) {
		// Two people are called the same there.
		prefix, _, _ := strings.Cut(a.Name, ":")
		a.Name = prefix + ":" + secret.Hash(a.Issuer + " " + a.Subject)[:16]
		known, err = ids.Store.Identify(ctx, a, rights)
	}
	if rights {
		ids.Grants.Forget() // what it granted before ends with the rights that it took
	}
	if err == nil && known.Disabled {
		return nil, &ErrSignInDenied{"Your account here is disabled."}
	}

	return known, err
}
