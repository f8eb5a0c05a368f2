package store

import (
	"slices"
	"testing"

	"rialto/bridge/operator"
	"rialto/bridge/operator/operatortest"

	"github.com/pressly/goose/v3"
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

func TestWhatThereWasBeforeIsFoundByItsWords(t *testing.T) {
	db := openTemp(t)
	for _, s := range []string{
		`INSERT INTO accounts (id, name, password, created) VALUES ('a1', 'alice.dee', 'x', 1)`,
		`INSERT INTO clients (id, name, uri, redirect_uris, auth_method, secret_hash, grant_types, registered) VALUES ('c1', 'Chat App', '', '', 'none', '', '', 1)`,
		`INSERT INTO client_documents (id, body, fetched, fresh, expires) VALUES ('https://d.example/x', '{"client_name":"Kept"}', 1, 1, 1)`,
		`DROP TABLE client_terms`, `DROP TABLE document_terms`, `DROP TABLE account_terms`, `DROP INDEX accounts_admin`, `DROP INDEX accounts_disabled`,
	} {
		if _, err := db.write.ExecContext(t.Context(), s); err != nil {
			t.Fatal(err)
		}
	}
	provider, err := goose.NewProvider(goose.DialectSQLite3, db.write.DB, nil,
		goose.WithDisableGlobalRegistry(true), goose.WithTableName("again"), goose.WithGoMigrations(termsMigration(goose.DialectSQLite3)))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{"dee": "a1", "app": "c1", "kept": "https://d.example/x", "d.exa": "https://d.example/x"} {
		clients, err := db.ListClients(t.Context(), operator.ClientRows{Text: text, Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		accounts, err := db.ListAccounts(t.Context(), operator.AccountRows{Text: text, Limit: 9})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, c := range clients {
			got = append(got, c.ID())
		}
		for _, a := range accounts {
			got = append(got, a.ID)
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("got %q for %q, want %s", got, text, want)
		}
	}
}
