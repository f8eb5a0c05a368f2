package oauthtest

import (
	"rialto/oauth/authserver"
	"rialto/oauth/client"
	"rialto/oauth/flow"
	"rialto/oauth/signin"
	"rialto/oauth/token"
)

// Store is one value that keeps all the state of a server. Embed it to replace a method in a test.
type Store struct {
	token.KeyStore
	token.GrantStore
	token.OnceStore
	token.IdentityStore
	client.Store
	client.DocumentStore
	signin.AccountStore
	signin.SessionStore
	signin.SetupStore
	signin.LoginStore
	flow.RequestStore
	flow.CodeStore
	authserver.ExpiredStore
}

// StoreOf returns a store of all contracts, which s must implement.
func StoreOf(s any) Store {
	in := Stores(s)
	return Store{in.Keys, in.Grants, in.Once, in.Identities, in.Clients, in.Documents, in.Accounts, in.Sessions, in.Setup, in.Logins, in.Requests, in.Codes, in.Expired}
}

// Stores returns s, which must implement every contract, as the stores of a server.
func Stores(s any) authserver.Stores {
	return authserver.Stores{
		Keys:       s.(token.KeyStore),
		Grants:     s.(token.GrantStore),
		Once:       s.(token.OnceStore),
		Identities: s.(token.IdentityStore),
		Clients:    s.(client.Store),
		Documents:  s.(client.DocumentStore),
		Accounts:   s.(signin.AccountStore),
		Sessions:   s.(signin.SessionStore),
		Setup:      s.(signin.SetupStore),
		Logins:     s.(signin.LoginStore),
		Requests:   s.(flow.RequestStore),
		Codes:      s.(flow.CodeStore),
		Expired:    s.(authserver.ExpiredStore),
	}
}
