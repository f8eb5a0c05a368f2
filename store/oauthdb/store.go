// Package oauthdb keeps what the authorization server declares in its stores: accounts,
// sessions, clients, requests, grants, tokens and keys. It decides nothing: each method
// is a step of the protocol, in one statement or one transaction.
package oauthdb

import (
	"rialto/oauth/authserver"
	"rialto/store/sqldb"
)

// New returns the stores of the authorization server in an open database.
func New(db *sqldb.DB) authserver.Stores {
	accounts := &Accounts{db}
	clients := &Clients{db}
	grants := &Grants{db}
	return authserver.Stores{
		Keys:       &Keys{db},
		Grants:     grants,
		Once:       &Once{db},
		Identities: accounts,
		Clients:    clients,
		Documents:  clients,
		Accounts:   accounts,
		Guesses:    accounts,
		Sessions:   accounts,
		Passkeys:   accounts,
		Setup:      accounts,
		Links:      accounts,
		Logins:     accounts,
		Requests:   grants,
		Codes:      grants,
		Expired:    &Expired{db},
	}
}

// NewLists returns the lists of an operator in an open database.
func NewLists(db *sqldb.DB) *Lists { return &Lists{db} }
