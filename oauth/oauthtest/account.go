package oauthtest

import (
	"context"
	"crypto/rand"
	"sync"
	"testing"

	"rialto/oauth"
	"rialto/oauth/authserver"
)

// hashed holds the passwords that were hashed in this process, in the PHC string format.
var hashed sync.Map

// AddUser adds a local account, as the server's own AddUser does. Each password is
// hashed once only: that takes 30 ms, on purpose, and most tests begin with people.
func AddUser(t testing.TB, s *authserver.Server, name, password string) {
	t.Helper()
	ctx := context.Background()
	if hash, ok := hashed.Load(password); ok {
		if err := s.Accounts.Store.AddAccount(ctx, &oauth.Account{ID: rand.Text(), Name: name, Password: hash.(string), Created: s.Accounts.Env.Now()}); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err := s.Accounts.Add(ctx, name, password); err != nil {
		t.Fatal(err)
	}
	a, err := s.Accounts.Find(ctx, name)
	if err != nil {
		t.Fatal(err)
	}
	hashed.Store(password, a.Password)
}
