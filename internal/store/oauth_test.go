package store

import (
	"testing"

	"rialto/oauth/oauthtest"
)

func TestSQLiteKeepsTheContractOfOAuth(t *testing.T) {
	oauthtest.TestStore(t, func(t *testing.T) oauthtest.Store { return oauthtest.StoreOf(openTemp(t)) })
}

func TestMemoryKeepsTheContractOfOAuth(t *testing.T) {
	oauthtest.TestStore(t, func(t *testing.T) oauthtest.Store { return oauthtest.StoreOf(open(t, Memory)) })
}

func TestPostgreSQLKeepsTheContractOfOAuth(t *testing.T) {
	oauthtest.TestStore(t, func(t *testing.T) oauthtest.Store { return oauthtest.StoreOf(openSchema(t)) })
}
