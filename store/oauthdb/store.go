// Package oauthdb keeps what the authorization server declares in its stores: accounts,
// sessions, clients, requests, grants, tokens and keys. It decides nothing: each method
// is a step of the protocol, in one statement or one transaction.
package oauthdb

import "rialto/store/sqldb"

// Store implements the stores of the authorization server, and operator.Store.
type Store struct{ sql *sqldb.DB }

// New returns a store in an open database.
func New(db *sqldb.DB) *Store { return &Store{db} }
