-- +goose Up
-- What clients say of themselves at the URL that is their ID.
CREATE TABLE client_documents (
	id      TEXT   NOT NULL PRIMARY KEY,
	body    TEXT   NOT NULL,
	fetched BIGINT NOT NULL,
	fresh   BIGINT NOT NULL,
	expires BIGINT NOT NULL
);

CREATE INDEX client_documents_expires ON client_documents (expires);
CREATE INDEX client_documents_fetched ON client_documents (fetched);
