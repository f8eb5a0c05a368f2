package store

import (
	"testing"

	"rialto/oauth"
	"rialto/oauth/oauthtest"
)

func TestSQLiteKeepsTheContractOfOAuth(t *testing.T) {
	oauthtest.TestStore(t, func(t *testing.T) oauth.Store { return openTemp(t) })
}

func TestMemoryKeepsTheContractOfOAuth(t *testing.T) {
	oauthtest.TestStore(t, func(t *testing.T) oauth.Store { return open(t, Memory) })
}

func TestPostgreSQLKeepsTheContractOfOAuth(t *testing.T) {
	oauthtest.TestStore(t, func(t *testing.T) oauth.Store { return openSchema(t) })
}
