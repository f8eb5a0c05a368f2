package store

import (
	"testing"

	"rialto/bridge"
	"rialto/bridge/bridgetest"
)

func TestSQLiteKeepsTheContractOfTheLedger(t *testing.T) {
	bridgetest.TestLedger(t, func(t *testing.T) bridge.Ledger { return openTemp(t) })
}

func TestMemoryKeepsTheContractOfTheLedger(t *testing.T) {
	bridgetest.TestLedger(t, func(t *testing.T) bridge.Ledger { return open(t, Memory) })
}

func TestPostgreSQLKeepsTheContractOfTheLedger(t *testing.T) {
	bridgetest.TestLedger(t, func(t *testing.T) bridge.Ledger { return openSchema(t) })
}

func TestMemoryKeepsTheContractOfTheOutbox(t *testing.T) {
	bridgetest.TestOutbox(t, func(t *testing.T) bridgetest.Watched { return open(t, Memory) })
}

func TestSQLiteKeepsTheContractOfTheOutbox(t *testing.T) {
	bridgetest.TestOutbox(t, func(t *testing.T) bridgetest.Watched { return openTemp(t) })
}

func TestPostgreSQLKeepsTheContractOfTheOutbox(t *testing.T) {
	bridgetest.TestOutbox(t, func(t *testing.T) bridgetest.Watched { return openSchema(t) })
}

func TestMemoryKeepsTheContractOfTheIndex(t *testing.T) {
	bridgetest.TestIndex(t, func(t *testing.T) bridgetest.Indexed { return open(t, Memory) })
}

func TestSQLiteKeepsTheContractOfTheIndex(t *testing.T) {
	bridgetest.TestIndex(t, func(t *testing.T) bridgetest.Indexed { return openTemp(t) })
}

func TestPostgreSQLKeepsTheContractOfTheIndex(t *testing.T) {
	bridgetest.TestIndex(t, func(t *testing.T) bridgetest.Indexed { return openSchema(t) })
}

func TestSQLiteKeepsTheContractOfCards(t *testing.T) {
	bridgetest.TestCards(t, func(t *testing.T) bridge.CardStore { return openTemp(t) })
}

func TestPostgreSQLKeepsTheContractOfCards(t *testing.T) {
	bridgetest.TestCards(t, func(t *testing.T) bridge.CardStore { return openSchema(t) })
}
