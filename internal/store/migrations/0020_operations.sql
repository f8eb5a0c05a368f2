-- +goose Up
-- When the grant was used last, to the minute; 0 stands for never.
ALTER TABLE grants ADD COLUMN used BIGINT NOT NULL DEFAULT 0;

-- The operator's pages: of everything the latest first, or by account, client,
-- agent. An index that begins as another does takes its place.
CREATE INDEX grants_created ON grants (created, id);
CREATE INDEX grants_of_account ON grants (account_id, created, id);
CREATE INDEX grants_of_client ON grants (client_id, created, id);
CREATE INDEX grants_client_used ON grants (client_id, used);
DROP INDEX grants_account;
DROP INDEX grants_client;

CREATE INDEX clients_by_age ON clients (registered, id);
CREATE INDEX client_documents_by_age ON client_documents (fetched, id);
DROP INDEX clients_registered;
DROP INDEX client_documents_fetched;

CREATE INDEX tasks_all ON tasks (created, handle);
CREATE INDEX tasks_of_agent ON tasks (agent, created, handle);

-- Most tasks end well, and those are not written into this one.
CREATE INDEX tasks_stopped ON tasks (state, created, handle) WHERE settled = 1 AND state <> 'completed';
