package store

import (
	"testing"

	"rialto/bridge/operator/operatortest"
)

func TestSQLiteKeepsTheContractOfTheOperator(t *testing.T) {
	operatortest.TestStore(t, func(t *testing.T) operatortest.Store { return openTemp(t) })
}

func TestMemoryKeepsTheContractOfTheOperator(t *testing.T) {
	operatortest.TestStore(t, func(t *testing.T) operatortest.Store { return open(t, Memory) })
}

func TestPostgreSQLKeepsTheContractOfTheOperator(t *testing.T) {
	operatortest.TestStore(t, func(t *testing.T) operatortest.Store { return openSchema(t) })
}

func TestSQLiteKeepsTheContractOfRecords(t *testing.T) {
	operatortest.TestRecords(t, func(t *testing.T) operatortest.Records { return openTemp(t) })
}

func TestPostgreSQLKeepsTheContractOfRecords(t *testing.T) {
	operatortest.TestRecords(t, func(t *testing.T) operatortest.Records { return openSchema(t) })
}
